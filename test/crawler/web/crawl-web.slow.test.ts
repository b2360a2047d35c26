import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import type { CrawlWebOptions, WebBatch } from "../../../src/crawler/web/web-options.ts";
import { startProgram } from "../../cli/run-program.ts";
import { longer } from "../../long-run.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type GeneratedWeb, generateWeb, type LoopbackWeb, openLoopbackWeb, serveWeb } from "./loopback-web.ts";
import { addresses, addressOf, optionsFor, readLinkFiles } from "./web-crawling.ts";

const pagesOf = ({ hosts, pathsOf }: GeneratedWeb): string[] =>
  hosts.flatMap((host) => pathsOf(host).map((path) => host + path)).sort();

function checkLinks(web: LoopbackWeb, generated: GeneratedWeb, into: string): void {
  const bare = (url: string): string => url.replace(/^http:\/\//, "").replace(`:${web.port}`, "");
  const kept = readLinkFiles(into);
  assert.deepEqual([...kept.keys()].map(bare).sort(), pagesOf(generated));
  for (const [url, links] of kept)
    assert.deepEqual(links.map(bare).sort(), [...new Set(generated.linksOf(bare(url)))].sort());
}

describe("crawlWeb over 200 sites", () => {
  it("finds them from one page, requests each page once, one request at a time to an address", async () => {
    const generated = generateWeb(200, 1);
    await using web = await openLoopbackWeb({ addressOf, answer: serveWeb(generated), addresses });
    using temp = makeTempFolder();
    const summary = await crawlWeb(optionsFor(web, temp.path));
    assert.deepEqual(web.pages().sort(), pagesOf(generated));
    const { end, sites, pages, done, waiting, failed } = summary;
    assert.deepEqual([end, sites, pages, done, waiting, failed], ["done", 200, done, web.pages().length, 0, 0]);
    assert.equal(web.requests.filter(({ path }) => path === "/robots.txt").length, 200);
    assert.equal(new Set(web.names.asked).size, web.names.asked.length, "no name is asked for twice");
    for (const address of addresses) {
      const at = web.requests.filter((one) => one.address === address).sort((a, b) => a.beganAt - b.beganAt);
      for (const [number, one] of at.slice(1).entries())
        assert.ok(one.beganAt >= (at[number]?.endedAt ?? 0), `two requests at once to ${address}`);
    }
    checkLinks(web, generated, temp.path);
  });

  it("chooses batches by rank while it goes on, and requests each page once", async () => {
    const generated = generateWeb(80, 3);
    const batches: WebBatch[] = [];
    const answerNow = serveWeb(generated);
    let pages = 0;
    // However fast the crawl is, it is not at its end before a batch was chosen: of 180 pages at least 140 are in turns that ended.
    const answer: typeof answerNow = (request, response) => {
      if (request.path !== "/robots.txt") pages++;
      const timer = setInterval(() => {
        if (pages > 180 && batches.length === 0) return;
        clearInterval(timer);
        answerNow(request, response);
      }, 1);
      response.once("close", () => clearInterval(timer));
    };
    await using web = await openLoopbackWeb({ addressOf, answer, addresses });
    using temp = makeTempFolder();
    const onEvent: CrawlWebOptions["onEvent"] = (event) => event.event === "web-batch" && batches.push(event);
    const options = {
      ...optionsFor(web, temp.path, { timeoutMs: 30_000 }),
      order: "batch",
      batchPages: 30,
      onEvent,
    } as const;
    const first = await crawlWeb({ ...options, maxTotal: 100 });
    assert.deepEqual([first.end, first.done], ["full", 100]);
    const summary = await crawlWeb(options);
    assert.deepEqual([...web.pages()].sort(), pagesOf(generated));
    assert.deepEqual([summary.end, summary.waiting, summary.done], ["done", 0, pagesOf(generated).length]);
    assert.ok(batches.length > 0 && batches.every(({ pages, links }) => pages <= 30 && links > 0));
    checkLinks(web, generated, temp.path);
  });

  it("goes on after kills at any moment: all pages, and again only those that were under way", async () => {
    const generated = generateWeb(150, 2);
    await using web = await openLoopbackWeb({ addressOf, answer: serveWeb(generated), addresses });
    using temp = makeTempFolder();
    const seeds = join(temp.path, "seeds.txt");
    writeFileSync(seeds, `${web.originOf("s0.example")}/\n`);
    const into = join(temp.path, "web");
    const run = async (killAfterPages: number): Promise<unknown[]> => {
      const args = ["crawl", "--web", seeds, "--into", into, "--name-server", web.names.address, "--allow-private"];
      const program = join(repositoryFolder(), "bin/tidemark.js");
      const child = spawn(process.execPath, [program, ...args, "--keep", "none", "--quiet"], { stdio: "inherit" });
      const goal = web.requests.length + killAfterPages;
      const timer = setInterval(() => {
        if (web.requests.length >= goal) child.kill("SIGKILL");
      }, 5);
      const ended = await once(child, "exit");
      clearInterval(timer);
      return ended;
    };
    const kills = longer(4, 12);
    for (let kill = 0; kill < kills; kill++) {
      const ended = await run(25 + kill * 11);
      assert.ok(ended[1] === "SIGKILL" || ended[0] === 0, `it ended with ${ended}`);
    }
    assert.deepEqual(await run(Number.POSITIVE_INFINITY), [0, null]);
    const pages = web.pages();
    assert.deepEqual([...new Set(pages)].sort(), pagesOf(generated));
    // Of each address the page that was under way at a kill, and the one before, which was not kept yet.
    const again = pages.length - new Set(pages).size;
    assert.ok(again <= kills * addresses.length * 2, `${again} pages were requested again`);
    checkLinks(web, generated, into);
  });

  it("requests no page again that was answered before the one at which it was killed", async () => {
    const paths = Array.from({ length: 9 }, (_, at) => `/${at}`);
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        if (path === "/8" && web.pages().filter((page) => page.endsWith(path)).length === 1) return;
        response.setHeader("content-type", "text/html").end(paths.map((one) => `<a href="${one}">x</a>`).join(""));
      },
    });
    using temp = makeTempFolder();
    const seeds = join(temp.path, "seeds.txt");
    writeFileSync(seeds, `${web.originOf("s0.example")}/\n`);
    const args = ["crawl", "--web", seeds, "--into", join(temp.path, "web"), "--name-server", web.names.address];
    const run = async (isEnough: () => boolean): Promise<void> => {
      const child = startProgram([
        ...args,
        "--allow-private",
        "--keep",
        "none",
        "--quiet",
        "--pages-before-rest",
        "20",
      ]);
      const timer = setInterval(() => isEnough() && child.kill("SIGKILL"), 5);
      await once(child, "exit");
      clearInterval(timer);
    };
    // Of one turn the last page is never answered.
    await run(() => web.pages().some((page) => page.endsWith("/8")));
    await run(() => false);
    const pages = web.pages();
    assert.equal(new Set(pages).size, 10);
    const again = pages.filter((page, at) => pages.indexOf(page) < at);
    assert.ok(again.length <= 2, `requested again: ${again}`);
  });
});
