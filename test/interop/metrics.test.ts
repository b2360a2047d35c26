import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import axe from "axe-core";
import { formatWebMetrics } from "../../src/report/index.ts";
import { type FolderServer, serveFolder } from "../../src/server/folder-server.ts";
import { exampleWebStatus } from "../example-status.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Browser, colourSchemes } from "./browser.ts";
import { findCli, runTidemark } from "./command.ts";
import { type Legibility, legibilityScript } from "./legibility.ts";
import { requireProgram, skipWithout } from "./programs.ts";

const skip =
  skipWithout("prometheus", "promtool", "chromium", "chromedriver") ||
  (process.platform !== "linux" && "the addresses 127.0.0.0/8 are of Linux");
const keys = { tab: "\uE004", enter: "\uE007" } as const;

async function untilTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let left = 200; left > 0; left--) {
    if (await isTrue()) return;
    await wait(100);
  }
  assert.fail(`it never came: ${what}`);
}

/** A port that was free a moment ago. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Sites that are followed, and the follower that is looked at. */
class Followed {
  readonly #temp = makeTempFolder("metrics");
  readonly #servers: FolderServer[] = [];
  child: ChildProcess | undefined;
  url = "";

  get into(): string {
    return join(this.#temp.path, "mirrors");
  }

  folder(name: string): string {
    const path = join(this.#temp.path, name);
    mkdirSync(path);
    return path;
  }

  get sites(): string[] {
    return [...this.#servers.map(({ url }) => url), "http://127.0.9.99:9"];
  }

  async start(): Promise<void> {
    const site = this.folder("site");
    writeFileSync(join(site, "index.html"), '<p><a href="/a.html">another page</a>');
    writeFileSync(join(site, "a.html"), "<p>the other page");
    for (let number = 1; number <= 4; number++)
      this.#servers.push(await serveFolder({ folder: site, host: `127.0.9.${number}` }));
    const list = join(this.#temp.path, "sites.txt");
    writeFileSync(list, this.sites.map((url) => `${url}/\n`).join(""));
    const args = ["crawl", "--sites", list, "--forever", "--into", this.into, "--listen", "0", "--json"];
    this.child = spawn(process.execPath, [findCli(), ...args], { stdio: ["ignore", "pipe", "inherit"] });
    assert.ok(this.child.stdout !== null);
    for await (const line of createInterface({ input: this.child.stdout })) {
      const event = JSON.parse(line);
      if (event.event === "listening") this.url = event.url;
      if (event.event === "site-summary" && event.site === this.sites[0]) break;
    }
    this.child.stdout.resume();
  }

  async end(): Promise<number | null> {
    const ended = this.child === undefined ? [null] : once(this.child, "close");
    this.child?.kill("SIGINT");
    const [code] = await ended;
    for (const server of this.#servers) await server.close();
    this.#temp[Symbol.dispose]();
    return code;
  }
}

describe("tidemark crawl --listen", { skip, timeout: 180_000 }, () => {
  const followed = new Followed();
  before(async () => await followed.start());
  after(async () => {
    assert.equal(await followed.end(), 0, "connections keep nobody from the end");
  });

  it("has metrics that promtool finds nothing wrong with", async () => {
    for (const accept of ["text/plain", "*/*"]) {
      const answer = await fetch(`${followed.url}/metrics`, { headers: { accept } });
      assert.equal(answer.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
      execFileSync(requireProgram("promtool"), ["check", "metrics"], { input: await answer.text(), timeout: 10_000 });
    }
  });

  it("has metrics of a crawl of the Web that promtool finds nothing wrong with", () => {
    const input = formatWebMetrics({ ...exampleWebStatus(), newShare: 0.7 }, "prometheus");
    execFileSync(requireProgram("promtool"), ["check", "metrics"], { input, timeout: 10_000 });
  });

  it("is scraped by Prometheus, which has the right numbers and types", async () => {
    const port = await findPort();
    const folder = followed.folder("prometheus");
    const target = new URL(followed.url).host;
    writeFileSync(
      join(folder, "prometheus.yml"),
      `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: tidemark, static_configs: [{targets: ["${target}"]}]}]\n`,
    );
    const args = [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const prometheus = spawn(requireProgram("prometheus"), args, { stdio: "ignore" });
    try {
      const ask = async (path: string): Promise<unknown> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
        return answer?.ok === true ? ((await answer.json()) as { data: unknown }).data : undefined;
      };
      const numberOf = async (query: string): Promise<number> => {
        const data = (await ask(`query?query=${encodeURIComponent(query)}`)) as
          | { result: { value: [number, string] }[] }
          | undefined;
        return Number(data?.result[0]?.value[1] ?? Number.NaN);
      };
      await untilTrue("five sites", async () => (await numberOf("tidemark_follower_sites")) === 5);
      await untilTrue(
        "the pages of four sites",
        async () => (await numberOf('tidemark_follower_pages_total{outcome="created"}')) === 8,
      );
      await untilTrue("the site in back-off", async () => (await numberOf("tidemark_follower_back_off_sites")) === 1);
      assert.equal(await numberOf("up"), 1);
      assert.equal(await numberOf("sum(tidemark_follower_sites_by_age)"), 5);
      const metadata = (await ask("metadata")) as Record<string, { type: string; unit: string }[]>;
      assert.equal(metadata.tidemark_follower_visits?.[0]?.type, "counter", "by OpenMetrics, not the older text");
      assert.equal(metadata.tidemark_follower_received_bytes?.[0]?.unit, "bytes");
    } finally {
      const ended = once(prometheus, "close");
      prometheus.kill();
      await ended;
    }
  });

  it("has a page that is legible and accessible, on a phone and a screen, by day and by night", async () => {
    await using browser = await Browser.start();
    for (const scheme of colourSchemes)
      for (const width of [390, 1280]) {
        const where = `${scheme}, ${width} pixels`;
        await browser.open(`${followed.url}/`, scheme, width, 900);
        const { texts, troubles } = await browser.evaluate<Legibility>(legibilityScript);
        assert.ok(texts > 40, where);
        assert.deepEqual(troubles.slice(0, 5), [], where);
        const overflow = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;";
        assert.equal(await browser.evaluate<number>(overflow), 0, where);
        // The driver's scripts are not those of the page, which lets in none but its own.
        await browser.evaluate(axe.source);
        const violations = await browser.evaluateLater<{ id: string; nodes: { html: string }[] }[]>(
          "const done = arguments[0]; window.axe.run().then(({ violations }) => done(violations));",
        );
        assert.deepEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
          [],
          where,
        );
        if (process.env.TIDEMARK_SCREENSHOTS !== undefined)
          writeFileSync(
            join(process.env.TIDEMARK_SCREENSHOTS, `follower-${scheme}-${width}.png`),
            await browser.takeScreenshot(),
          );
      }
  });

  it("pauses a site by the keyboard alone, and says so", async () => {
    await using browser = await Browser.start();
    await browser.open(`${followed.url}/`, "light", 390, 900);
    const site = followed.sites[2];
    const focused = "return document.activeElement.getAttribute('aria-label');";
    const isWanted = async (): Promise<boolean> => (await browser.evaluate<string>(focused)) === `Pause ${site}`;
    for (let presses = 0; presses < 60 && !(await isWanted()); presses++) await browser.press(keys.tab);
    assert.ok(await isWanted(), "the button can be reached");
    // What comes meanwhile leaves the focus where it is.
    await wait(2500);
    assert.ok(await isWanted(), "the focus stays");
    await browser.press(keys.enter);
    const said = "return document.getElementById('answer').textContent;";
    await untilTrue("the answer", async () => (await browser.evaluate<string>(said)) === `Pause ${site}: done.`);
    const { events } = await runTidemark(["sites", followed.into, `${site}/`, "--json"]);
    assert.equal(events.find(({ event }) => event === "followed-site")?.isPaused, true);
    await untilTrue(
      "the focus on the button that undoes it",
      async () => (await browser.evaluate<string>(focused)) === `Resume ${site}`,
    );
    await browser.press(keys.enter);
    await untilTrue("it is resumed", async () => (await browser.evaluate<string>(said)) === `Resume ${site}: done.`);
  });
});
