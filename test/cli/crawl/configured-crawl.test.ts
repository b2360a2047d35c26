import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { type FolderServer, type ServedRequest, serveFolder } from "../../../src/server/folder-server.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";

import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { endOf, runProgram, runProgramWith, startProgram } from "../run-program.ts";

type Line = Readonly<Record<string, unknown>>;

const linesOf = (stdout: string): Line[] =>
  stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const of = (stdout: string, event: string): Line[] => linesOf(stdout).filter((line) => line.event === event);

describe("crawls of a configuration file, one after the other", () => {
  let folder: TempFolder;
  let config = "";
  const servers: FolderServer[] = [];
  const requests: ServedRequest[][] = [[], []];
  const inFolder = (...names: string[]): string => join(folder.path, ...names);
  const addressOf = (at: number): string => `${servers[at]?.url}/`;
  const mirrorOf = (at: number, ...into: string[]): string => inFolder(...into, mirrorFolderOf(servers[at]?.url ?? ""));
  const writeConfig = (sites: readonly object[], defaults: object = {}): void =>
    writeFileSync(config, JSON.stringify({ defaults, sites }));

  before(async () => {
    folder = makeTempFolder();
    config = inFolder("crawl.json");
    for (const [at, name] of ["a", "b"].entries()) {
      mkdirSync(inFolder(name));
      writeFileSync(inFolder(name, "index.html"), `${name} <a href="/picture.png">picture</a>`);
      writeFileSync(inFolder(name, "picture.png"), name);
      servers.push(await serveFolder({ folder: inFolder(name), onRequest: (request) => requests[at]?.push(request) }));
    }
  });
  after(async () => {
    for (const server of servers) await server.close();
    folder[Symbol.dispose]();
  });

  it("crawls each as the file says of it, and what holds for both", async () => {
    writeConfig(
      [
        { url: addressOf(0), types: ["text/html"] },
        { url: addressOf(1), into: "other", keep: "warc" },
      ],
      {
        into: "mirrors",
        sources: ["links"],
      },
    );
    const { code, stdout, stderr } = await runProgram("crawl", "--config", config, "--json");
    assert.equal(code, exitCodes.done, stderr);
    assert.deepEqual(
      of(stdout, "site-summary").map(({ site, created, source }) => [`${site}/`, created, source]),
      [
        [addressOf(0), 1, "links"],
        [addressOf(1), 2, "links"],
      ],
    );
    assert.equal(linesOf(stdout).at(-1)?.created, 3);
    assert.deepEqual(readdirSync(mirrorOf(0, "mirrors")), ["index.html"]);
    assert.ok(readdirSync(mirrorOf(1, "other")).some((name) => name.endsWith(".warc.gz")));
  });

  it("weighs pages by a table of ranks under a budget, which both are read and needed", async () => {
    const ranks = inFolder("ranks.tsv");
    const crawl = (site: object): ReturnType<typeof runProgram> => {
      const file = inFolder("weighed.json");
      const sites = [{ url: addressOf(0), into: "weighed", sources: ["links"], ranks, ...site }];
      writeFileSync(file, JSON.stringify({ sites }));
      return runProgram("crawl", "--config", file);
    };
    writeFileSync(ranks, "name\tpagerank\nhttp://a.example/\tone\n");
    const [broken, unlimited] = [await crawl({ budget: 5 }), await crawl({})];
    writeFileSync(ranks, `name\tpagerank\n${addressOf(0)}\t0.5\n`);
    const read = await crawl({ budget: 5 });
    assert.deepEqual([broken.code, unlimited.code, read.code], [exitCodes.usage, exitCodes.usage, exitCodes.done]);
    assert.match(broken.stderr, /ranks\.tsv is no table of ranks: no name and rank/);
    assert.match(read.stdout, /2 pages|2 created|created 2/);
  });

  it("crawls those that are picked, by either way, with options before those of the file", async () => {
    for (const picked of [["--site", addressOf(1)], [addressOf(1)]]) {
      const into = inFolder(`picked-${picked.length}`);
      for (const log of requests) log.splice(0);
      const args = ["crawl", ...picked, "--config", config, "--into", into, "--keep", "mirror", "--types", "image/*"];
      const { code, stdout, stderr } = await runProgram(...args, "--json");
      assert.equal(code, exitCodes.done, stderr);
      assert.deepEqual(
        of(stdout, "page").map(({ path }) => path),
        ["/picture.png"],
      );
      assert.deepEqual(readdirSync(mirrorOf(1, `picked-${picked.length}`)), ["picture.png"]);
      assert.deepEqual(requests[0], []);
    }
  });

  it("spares each site as the file says of it", async () => {
    writeConfig([{ url: addressOf(0), crawlDelaySeconds: 2, maxWaitSeconds: 0 }, { url: addressOf(1) }], {
      into: "spared",
      sources: ["links"],
    });
    const { stdout } = await runProgram("crawl", "--config", config, "--json");
    // The first would have to wait, and may not; the second need not.
    assert.deepEqual(
      of(stdout, "site-summary").map(({ created }) => Number(created) === 2),
      [false, true],
    );
    assert.ok(of(stdout, "warning").some(({ site, code }) => `${site}/` === addressOf(0) && code === "site-postponed"));
    assert.ok(of(stdout, "warning").every(({ site }) => `${site}/` === addressOf(0)));
  });

  it("crawls the others although one fails, and ends with the worst code", async () => {
    writeFileSync(inFolder("file"), "x");
    writeConfig([{ url: addressOf(0), into: "file" }, { url: addressOf(1) }], { into: "left", sources: ["links"] });
    const { code, stdout, stderr } = await runProgram("crawl", "--config", config, "--json");
    assert.equal(code, exitCodes.broken);
    const [failed] = of(stdout, "site-error");
    assert.equal(failed?.site, addressOf(0));
    assert.match(stderr, new RegExp(`^tidemark: ${addressOf(0)}: `));
    assert.ok(existsSync(mirrorOf(1, "left")));
    assert.equal(linesOf(stdout).at(-1)?.created, 2);
  });

  it("shares what was seen as the file says, with --forever", async () => {
    const shared = { shareInto: "docroot", shareUrl: "https://crawler.example/", shareContact: "me@crawler.example" };
    const file = inFolder("sharing.json");
    const defaults = { into: "sharing", sources: ["links"], ...shared };
    writeFileSync(file, JSON.stringify({ defaults, sites: [{ url: addressOf(0) }] }));
    const child = startProgram(["crawl", "--config", file, "--forever", "--json", "--share-contact", "you@x.example"]);
    const ended = endOf(child);
    child.stdout?.on("data", (bytes) => {
      if (String(bytes).includes('"site-summary"')) child.kill("SIGTERM");
    });
    const { code, stdout, stderr } = await ended;
    assert.equal(code, exitCodes.done, stderr);
    assert.deepEqual(
      of(stdout, "share").map(({ events }) => events),
      [2],
    );
    const control = readFileSync(inFolder("docroot", "robots.shr"), "utf8");
    assert.match(control, /^contact: you@x\.example$/m);
    assert.match(control, /^repository: https:\/\/crawler\.example\/share\/$/m);
  });

  it("tells what of file and command line does not go together, before it asks anybody", {
    timeout: 60_000,
  }, async () => {
    for (const log of requests) log.splice(0);
    writeConfig([{ url: addressOf(0) }], { into: "m", mode: "parasitic", rho: 0.5 });
    const crawl = (...more: string[]) => runProgram("crawl", "--config", config, "--forever", ...more);
    const own = await crawl();
    assert.equal(own.code, exitCodes.usage);
    assert.match(own.stderr, /--mode parasitic has a rho of its own: 0/);
    const overridden = await crawl("--mode", "altruistic");
    assert.equal(overridden.code, exitCodes.usage);
    assert.match(overridden.stderr, /--mode altruistic needs --share-into/);
    assert.deepEqual(requests, [[], []]);
  });

  it("tells mistakes with their places before it asks anybody", async () => {
    for (const log of requests) log.splice(0);
    writeFileSync(config, `{"sites": [\n {"url": "${addressOf(0)}", "into": "m"},\n {"url": "b", "into": 1}\n]}`);
    const { code, stdout, stderr } = await runProgram("crawl", "--config", config);
    assert.deepEqual([code, stdout], [exitCodes.usage, ""]);
    assert.match(stderr, /line 3: sites\[1\]\.url: must be an http or https URL, not "b"/);
    assert.match(stderr, /line 3: sites\[1\]\.into: must be a path, not 1/);
    assert.deepEqual(requests, [[], []]);
    writeFileSync(config, '{"sites": [\n]');
    const broken = await runProgram("crawl", "--config", config, "--json");
    assert.match(String(linesOf(broken.stdout).at(-1)?.message), /line 2, column 2: a comma or \} is missing/);
  });

  it("refuses a site that the file has not, and one to pick without a file", async () => {
    writeConfig([{ url: addressOf(0), into: "m" }]);
    const none = await runProgram("crawl", "https://d.example/", "--config", config);
    assert.equal(none.code, exitCodes.usage);
    assert.match(none.stderr, /has no site https:\/\/d\.example\/\.\n {2}It has http:/);
    const alone = await runProgram("crawl", addressOf(0), "--into", inFolder("m"), "--site", addressOf(0));
    assert.equal(alone.code, exitCodes.usage);
    assert.match(alone.stderr, /--config is missing/);
    assert.ok(!existsSync(inFolder("m")));
  });

  it("reads a list of URLs once for all sites, from standard input too", async () => {
    const list = [0, 1].map((at) => `${addressOf(at)}picture.png`).join("\n");
    writeConfig([{ url: addressOf(0) }, { url: addressOf(1) }], { into: "listed" });
    const { code, stderr } = await runProgramWith(list, "crawl", "--config", config, "--urls", "-");
    assert.equal(code, exitCodes.done, stderr);
    for (const at of [0, 1]) {
      assert.equal(readFileSync(join(mirrorOf(at, "listed"), "picture.png"), "utf8"), at === 0 ? "a" : "b");
    }
  });
});
