import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { listenNames } from "../../dns-server.ts";
import { listenSite } from "../../site-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram, startProgram } from "../run-program.ts";

const mistakes: ReadonlyArray<readonly [readonly string[], RegExp]> = [
  [["--web", "seeds"], /--into is missing/],
  [["https://a.example/", "--web", "seeds", "--into", "x"], /--web has its seeds in a file/],
  [["--web", "https://a.example/", "--into", "x"], /--web has its seeds in a file: write the URL into one/],
  [["--web", "seeds", "--sites", "sites", "--into", "x"], /--web has its seeds in a file/],
  [["--web", "seeds", "--into", "x", "--forever", "--no-revisit"], /--forever and --no-revisit exclude each other/],
  [["--web", "seeds", "--into", "x", "--batch-pages", "9"], /--batch-pages needs --order batch/],
  [["--web", "seeds", "--into", "x", "--site", "https://a.example/"], /no URL, --site, --sites or --config beside it/],
  [["--web", "seeds", "--into", "x", "--new-share", "0.9"], /--new-share is for crawls that go on/],
  [["--web", "seeds", "--into", "x", "--forever", "--new-share", "1.5"], /--new-share "1.5": not a number from 0 to 1/],
  [["--web", "seeds", "--into", "x", "--max-interval", "1d"], /--min-interval and --max-interval need --forever/],
  [["--web", "seeds", "--into", "x", "--budget", "5"], /--budget and --web exclude each other/],
  [["--web", "seeds", "--into", "x", "--order", "optimal"], /--order optimal and --ranks need each other/],
  [["--web", "seeds", "--into", "x", "--ranks", "y"], /--order optimal and --ranks need each other/],
  [["--web", "seeds", "--into", "x", "--order", "batch", "--depth", "3"], /--order batch excludes/],
  [["https://a.example/", "--into", "x", "--order", "batch"], /--order batch needs --web/],
  [["https://a.example/", "--into", "x", "--max-hops", "1"], /--max-hops needs --web/],
  [["--web", "seeds", "--into", "x", "--name-server", "ns.example"], /seeds/],
];

describe("tidemark crawl --web", () => {
  for (const [args, message] of mistakes) {
    it(`refuses ${args.join(" ")}`, async () => {
      const { code, stderr } = await runProgram("crawl", ...args);
      assert.match(stderr, message);
      assert.ok(code === exitCodes.usage || code === exitCodes.broken, String(code));
    });
  }

  it("says by its exit code that nothing was reached", async () => {
    using temp = makeTempFolder();
    const seeds = join(temp.path, "seeds");
    writeFileSync(seeds, "http://nowhere.invalid/\n");
    await using names = await listenNames(() => []);
    const args = ["--web", seeds, "--into", join(temp.path, "a"), "--name-server", names.address];
    const { code, stdout } = await runProgram("crawl", ...args);
    assert.match(stdout, /^1 site without an address$/m);
    assert.equal(code, exitCodes.siteUnavailable);
  });

  it("says that no page was ever answered, where the only one failed in an earlier run, and that a bound is reached", async () => {
    await using site = await listenSite(({ url }, response) => {
      response.writeHead(url === "/fine" ? 200 : 403, { "content-type": "text/html" }).end();
    });
    using temp = makeTempFolder();
    const seeds = join(temp.path, "seeds");
    const crawl = ["crawl", "--web", seeds, "--keep", "none", "--into"];
    writeFileSync(seeds, `${site.origin}/\n`);
    const first = await runProgram(...crawl, join(temp.path, "a"));
    assert.equal(first.code, exitCodes.itemsFailed, first.stderr);
    const again = await runProgram(...crawl, join(temp.path, "a"));
    assert.equal(again.code, exitCodes.siteUnavailable);
    assert.match(again.stdout, /^no page was ever answered, in this run or before$/m);
    writeFileSync(seeds, `${site.origin}/fine\n`);
    const full = await runProgram(...crawl, join(temp.path, "b"), "--max-total", "1");
    assert.match(full.stdout, /^there are as many pages as --max-total allows$/m);
  });

  it("says at once which seed does not answer, why, and when it is tried again", async () => {
    const { origin, ...site } = await listenSite(() => undefined);
    await site[Symbol.asyncDispose]();
    using temp = makeTempFolder();
    const seeds = join(temp.path, "seeds");
    writeFileSync(seeds, `${origin}/\n`);
    for (const [json, message] of [
      [[], /^warning: http:\/\/127\.0\.0\.1:\d+: robots\.txt could not be fetched: .*; it is tried again in \d+ s\.$/m],
      [["--quiet"], /^warning: http:\/\/127\.0\.0\.1:\d+: robots\.txt could not be fetched: /m],
      [["--json"], /^\{"event":"warning","site":"http:\/\/127[^"]*","code":"site-unreachable",.*tried again in/m],
    ] as const) {
      const program = startProgram(["crawl", "--web", seeds, "--into", join(temp.path, "a"), ...json]);
      const timer = setTimeout(() => program.kill("SIGKILL"), 20_000);
      let text = "";
      for (const output of [program.stdout, program.stderr])
        output?.on("data", (piece: Buffer) => {
          text += piece.toString();
          if (message.test(text)) program.kill("SIGINT");
        });
      await once(program, "close");
      clearTimeout(timer);
      assert.match(text, message);
    }
  });

  it("says what it came to, for people and as JSON, and in its exit code what failed", async () => {
    await using site = await listenSite(({ url }, response) => {
      if (url === "/") response.setHeader("content-type", "text/html").end("<a href=/a>a</a><a href=/broken>b</a>");
      else if (url === "/a") response.setHeader("content-type", "text/html").end("a");
      else response.writeHead(url === "/broken" ? 403 : 404).end();
    });
    using temp = makeTempFolder();
    const seeds = join(temp.path, "seeds");
    writeFileSync(seeds, `${site.origin}/\n`);
    const first = await runProgram("crawl", "--web", seeds, "--into", join(temp.path, "a"), "--keep", "none");
    assert.equal(first.code, exitCodes.itemsFailed, first.stderr);
    assert.match(first.stderr, /^failed: http:\/\/127\.0\.0\.1:\d+\/broken: the server answered 403$/m);
    assert.match(first.stdout, /^1 site, 2 pages \(1 failed\), 0 waiting, .*\n4 requests, 2 links, /);
    const second = await runProgram(
      "crawl",
      "--web",
      seeds,
      "--into",
      join(temp.path, "b"),
      "--json",
      "--max-total",
      "1",
    );
    assert.equal(second.code, exitCodes.done, second.stderr);
    const summary = JSON.parse(second.stdout.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
    const { event, end, done, waiting, links } = summary;
    assert.deepEqual(
      { event, end, done, waiting, links },
      { event: "summary", end: "full", done: 1, waiting: 2, links: 2 },
    );
    const third = await runProgram(
      "crawl",
      "--web",
      seeds,
      "--into",
      join(temp.path, "a"),
      "--quiet",
      "--keep",
      "none",
    );
    assert.deepEqual([third.code, third.stdout], [exitCodes.done, ""]);
    assert.equal(site.requests.filter((request) => request === "GET /a").length, 1);
  });
});
