import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { on } from "node:events";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { readSitesFile } from "../../../src/cli/crawl/sites-file.ts";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { readFollowStatus } from "../../../src/crawler/follow/follow-status.ts";
import { readMirror } from "../../crawler/engine/mirror.ts";
import { PublishedSite } from "../../crawler/engine/published-site.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { commandOf, endOf, runProgram, startProgram } from "../run-program.ts";

interface Line {
  readonly event: string;
  readonly site?: string;
  readonly [key: string]: unknown;
}

function linesOf(text: string): Line[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** Sites on addresses of their own, a file that lists them, and a folder for their mirrors. */
class Trial implements AsyncDisposable {
  readonly folder: TempFolder = makeTempFolder();
  readonly sites: PublishedSite[] = [];
  readonly file: string = join(this.folder.path, "sites.txt");
  readonly into: string = join(this.folder.path, "mirrors");

  static async open(count: number): Promise<Trial> {
    const trial = new Trial();
    for (let number = 1; number <= count; number++) {
      const site = await PublishedSite.open(`127.0.8.${number}`);
      site.set({ "/": `<p>home ${number}` });
      site.publishBase();
      trial.sites.push(site);
    }
    return trial;
  }

  /** Puts another list in the file's place, as editors do. */
  list(...lines: string[]): void {
    writeFileSync(`${this.file}.new`, `# sites\n\n${lines.join("\n")}\n`);
    renameSync(`${this.file}.new`, this.file);
  }

  get urls(): string[] {
    return this.sites.map(({ origin }) => `${origin}/`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const site of this.sites) await site[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

/** How many visits have ended; 0 before a follower says so. */
function visitsIn(folder: string): number {
  try {
    return readFollowStatus(folder, Date.now).status.visits;
  } catch {
    return 0;
  }
}

describe("tidemark crawl --sites", () => {
  it("visits each site once, tells each visit and the sum", async () => {
    await using trial = await Trial.open(3);
    trial.list(...trial.urls);
    const args = ["crawl", "--sites", trial.file, "--into", trial.into, "--connections", "2"];
    const { code, stdout } = await runProgram(...args, "--json", "--quiet");
    assert.equal(code, exitCodes.done);
    const lines = linesOf(stdout);
    const visits = lines.filter(({ event }) => event === "site-summary");
    assert.deepEqual(visits.map(({ site }) => site).sort(), trial.sites.map(({ origin }) => origin).sort());
    const last = lines.at(-1);
    assert.deepEqual([last?.event, last?.visits, last?.created, last?.failedVisits], ["summary", 3, 3, 0]);
    const again = await runProgram(...args);
    assert.match(again.stdout, /0 created, 0 updated, 0 deleted, 1 unchanged/);
  });

  it("ends with 6 if one of the sites cannot be had, and visits the others", async () => {
    await using trial = await Trial.open(2);
    trial.list("http://127.0.8.200:9/", ...trial.urls);
    const { code } = await runProgram("crawl", "--sites", trial.file, "--into", trial.into, "--quiet");
    assert.equal(code, exitCodes.siteUnavailable);
    for (const site of trial.sites) assert.equal(Object.keys(readMirror(trial.into, site.origin)).length, 1);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`with --forever goes on, takes up what is listed later, and ends in order at ${signal}`, async () => {
      await using trial = await Trial.open(2);
      const [first = "", second = ""] = trial.urls;
      trial.list(`${first} priority=9 look-most=2d`);
      const child = startProgram(["crawl", "--sites", trial.file, "--into", trial.into, "--forever", "--json"]);
      const ended = endOf(child);
      assert.ok(child.stdout !== null);
      const lines = on(createInterface({ input: child.stdout }), "line");
      const told = async (event: string): Promise<Line> => {
        for (;;) {
          const { value } = await lines.next();
          const parsed = JSON.parse(value[0]) as Line;
          if (parsed.event === event) return parsed;
        }
      };
      const visit = await told("site-summary");
      assert.equal(visit.site, new URL(first).origin);
      assert.ok(Number(visit.nextMs) > Date.now());
      // A mistake is told, and the list that was read before holds on.
      trial.list(first, "nonsense");
      assert.match(String((await told("warning")).message), /line 4: the address "nonsense"/i);
      trial.list(first, second);
      assert.equal((await told("sites")).sites, 2);
      assert.equal((await told("site-summary")).site, new URL(second).origin);
      child.kill(signal);
      const { code, stdout } = await ended;
      assert.equal(code, exitCodes.done);
      assert.deepEqual([linesOf(stdout).at(-1)?.event, linesOf(stdout).at(-1)?.visits], ["summary", 2]);
    });
  }

  it("with --forever asks for what a list of URLs says anew, at once, also after it was replaced or missing", {
    timeout: 120_000,
  }, async () => {
    await using trial = await Trial.open(1);
    const [site] = trial.sites;
    assert.ok(site !== undefined);
    site.set({ "/": "home", "/a": "<p>a", "/b": "<p>b", "/c": "<p>c" });
    const file = join(trial.folder.path, "urls.txt");
    const list = (...paths: string[]): void => {
      writeFileSync(`${file}.new`, paths.map((path) => `${site.origin}${path}\n`).join(""));
      renameSync(`${file}.new`, file);
    };
    list("/a");
    const args = ["crawl", `${site.origin}/`, "--urls", file, "--into", trial.into, "--forever", "--json"];
    const child = startProgram(args);
    const ended = endOf(child);
    assert.ok(child.stdout !== null);
    const lines = on(createInterface({ input: child.stdout }), "line");
    const told = async (event: string): Promise<Line> => {
      for (;;) {
        const { value } = await lines.next();
        const parsed = JSON.parse(value[0]) as Line;
        if (parsed.event === event) return parsed;
      }
    };
    const held = (): string => Object.keys(readMirror(trial.into, site.origin)).sort().join(" ");
    await told("site-summary");
    assert.equal(held(), "/a");
    list("/a", "/b");
    assert.equal((await told("site-summary")).created, 1);
    assert.equal(held(), "/a /b");
    rmSync(file);
    assert.match(String((await told("warning")).message), /urls\.txt/);
    list("/a", "/b", "/c");
    assert.equal((await told("site-summary")).created, 1);
    assert.equal(held(), "/a /b /c");
    child.kill("SIGINT");
    assert.equal((await ended).code, exitCodes.done);
  });

  it("with --forever says at its end what all visits came to", async () => {
    await using trial = await Trial.open(1);
    trial.list(...trial.urls, "http://127.0.8.200:9/");
    const child = startProgram(["crawl", "--sites", trial.file, "--into", trial.into, "--forever"]);
    const ended = endOf(child);
    while (visitsIn(trial.into) < 2) await setTimeout(50);
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    assert.equal(code, exitCodes.done);
    assert.match(stdout, /^2 visits \(1 failed\), \d+ requests, 1 change, \d+ bytes\n$/);
  });

  it("with --forever ends where nothing can be kept any more, though a list could still come", async () => {
    await using trial = await Trial.open(20);
    trial.list(...trial.urls);
    const { program, args } = commandOf("crawl", "--sites", trial.file, "--into", trial.into, "--forever");
    // The state is larger than any file may be before all sites are visited.
    const limited = ["-c", 'ulimit -f 600; exec "$@"', "sh", program, ...args];
    const { code, stderr } = await endOf(spawn("sh", limited, { stdio: ["ignore", "pipe", "pipe"], timeout: 60_000 }));
    assert.equal(code, exitCodes.broken, stderr);
    assert.match(stderr, /The state could not be used/);
  });

  it("with --listen serves a page that has a site visited now; its end ends those who listen", async () => {
    await using trial = await Trial.open(1);
    const file = join(trial.folder.path, "crawl.json");
    const [url = ""] = trial.urls;
    writeFileSync(file, JSON.stringify({ defaults: { into: trial.into, listen: "127.0.0.1:0" }, sites: [{ url }] }));
    const child = startProgram(["crawl", "--config", file, "--forever", "--json"]);
    const ended = endOf(child);
    assert.ok(child.stdout !== null);
    const lines = on(createInterface({ input: child.stdout }), "line");
    const told = async (event: string): Promise<Line> => {
      for (;;) {
        const { value } = await lines.next();
        const parsed = JSON.parse(value[0]) as Line;
        if (parsed.event === event) return parsed;
      }
    };
    const { url: page } = await told("listening");
    await told("site-summary");
    const token = /name="token" value="([\w-]+)"/.exec(await (await fetch(`${page}/`)).text())?.[1] ?? "";
    const body = new URLSearchParams({ token, site: url, action: "visit" });
    const reply = await fetch(`${page}/control`, { method: "POST", body, redirect: "manual" });
    assert.equal(reply.status, 303);
    const { site, isDue } = await told("decision");
    assert.deepEqual([site, isDue], [new URL(url).origin, true]);
    assert.equal((await told("site-summary")).site, site);
    const unknown = new URLSearchParams({ token, site: "https://unknown.example/", action: "pause" });
    assert.equal((await fetch(`${page}/control`, { method: "POST", body: unknown })).status, 404);
    const taken = await runProgram(
      "crawl",
      url,
      "--forever",
      "--into",
      trial.folder.path,
      "--listen",
      new URL(String(page)).port,
    );
    assert.equal(taken.code, exitCodes.broken);
    assert.match(taken.stderr, /Choose another port with --listen/);
    const events = await fetch(`${page}/events`);
    child.kill("SIGINT");
    await events.text().catch(() => undefined);
    assert.equal((await ended).code, exitCodes.done);
  });

  it("counts visits to sites that do not answer as failed", async () => {
    using folder = makeTempFolder();
    const into = join(folder.path, "mirrors");
    const file = join(folder.path, "sites.txt");
    writeFileSync(file, "http://127.0.8.200:9/\nhttp://127.0.8.201:9/\n");
    const { stdout } = await runProgram("crawl", "--sites", file, "--into", into, "--json", "--quiet");
    const last = linesOf(stdout).at(-1);
    assert.deepEqual([last?.event, last?.visits, last?.failedVisits], ["summary", 2, 2]);
  });

  it("says what is wrong with the command line", async () => {
    using folder = makeTempFolder();
    const rows: [string[], RegExp][] = [
      [["--sites", "missing.txt", "--into", folder.path], /missing\.txt/],
      [["--sites", "x", "--config", "y"], /exclude each other/],
      [["--sites", "x", "https://a.example/", "--into", folder.path], /--sites lists the sites/],
      [["https://a.example/", "--into", folder.path, "--connections", "0"], /from 1 to 1024/],
      [["--forever", "--into", folder.path], /url is missing/],
      [
        ["https://a.example/", "--into", folder.path, "--listen", "0"],
        /--listen is for crawls that go on: add --forever/,
      ],
      [
        ["https://a.example/", "--forever", "--into", folder.path, "--listen", "a.example:80"],
        /not an address and a port/,
      ],
      [["https://a.example/", "--forever", "--into", folder.path, "--listen", "0.0.0.0:0"], /Other machines can reach/],
    ];
    for (const [args, message] of rows) {
      const { code, stderr } = await runProgram("crawl", ...args);
      assert.ok(code === exitCodes.usage || code === exitCodes.broken, `${args}: ${code}`);
      assert.match(stderr, message);
    }
  });
});

describe("readSitesFile", () => {
  it("reads a URL and its settings a line; what is given beside the file goes before it", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "sites");
    writeFileSync(
      file,
      "\uFEFF# all of them\r\nhttps://a.example/ priority=8 types=text/html,image/* allow-private\r\n\r\nhttps://b.example/x rest=3 budget=7\n",
    );
    assert.deepEqual(await readSitesFile(file, { into: "m", budget: 5 }), [
      {
        url: "https://a.example/",
        into: "m",
        budget: 5,
        types: ["text/html", "image/*"],
        allowPrivate: true,
        priority: 8,
      },
      { url: "https://b.example/x", into: "m", budget: 5, restMs: 3000 },
    ]);
  });

  it("reads a configuration in JSON as well", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "sites");
    writeFileSync(file, '\n {"sites": [{"url": "https://a.example/", "priority": 3, "lookLeastMs": 60000}]}');
    const sites = await readSitesFile(file, { into: "m" });
    assert.deepEqual(sites, [{ url: "https://a.example/", priority: 3, minIntervalMs: 60_000, into: "m" }]);
  });

  it("tells every mistake with its line", async () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "sites");
    const lines = [
      "https://a.example/ pririty=8",
      "https://a.example/ priority=11",
      "ftp://a.example/",
      "https://b.example/",
      "https://b.example/ rest",
      "https://c.example/ allow-private=1",
      "https://b.example/again",
      "https://d.example/ into=x",
    ];
    writeFileSync(file, lines.join("\n"));
    await assert.rejects(readSitesFile(file, {}), (error: Error) => {
      const told = error.message.split("\n  ").slice(1);
      assert.deepEqual(told, [
        'line 1: "pririty" is not a setting; did you mean priority?',
        'line 2: --priority "11": not a whole number from 0 to 10.',
        'line 3: the address "ftp://a.example/": not an http or https URL.',
        "line 5: rest needs a value",
        "line 6: allow-private stands alone",
        "line 7: https://b.example is listed already",
        'line 8: "into" is not a setting',
      ]);
      return true;
    });
  });
});
