import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crawlWeb } from "../../../src/crawler/web/crawl-web.ts";
import type { CrawlWebOptions, WebSummary } from "../../../src/crawler/web/web-options.ts";
import type { NameAnswer } from "../../dns-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type LoopbackWeb, openLoopbackWeb } from "./loopback-web.ts";
import { optionsFor } from "./web-crawling.ts";

const goodHosts = Array.from({ length: 12 }, (_, at) => `good${at}.test`);

interface Hostility {
  /** What the seed page links to first, as hosts with path. */
  readonly bait: readonly string[];
  readonly addressOf: (host: string) => NameAnswer;
  /** Links of a hostile page; undefined for no answer at all. */
  readonly linksOf: (host: string, path: string) => readonly string[] | undefined;
}

/** A seed, a dozen good sites of five pages, and something bad that the seed links to first. */
function openHostileWeb({ bait, addressOf, linksOf }: Hostility): Promise<LoopbackWeb> {
  return openLoopbackWeb({
    addresses: ["127.0.0.1", "127.0.0.2"],
    addressOf: (host) => (host === "seed.test" || goodHosts.includes(host) ? ["127.0.0.1"] : addressOf(host)),
    answer: ({ host, path, port }, response) => {
      const isGood = goodHosts.includes(host);
      const good = isGood && path === "/" ? [1, 2, 3, 4].map((at) => `${host}/${at}`) : [];
      const own = host === "seed.test" ? [...bait, ...goodHosts.map((name) => `${name}/`)] : good;
      const links = host === "seed.test" || isGood ? own : linksOf(host, path);
      if (links === undefined) return;
      if (path === "/robots.txt") response.writeHead(404).end();
      else {
        response.setHeader("content-type", "text/html");
        response.end(links.map((link) => `<a href="http://${link.replace("/", `:${port}/`)}">x</a>`).join(""));
      }
    },
  });
}

const isGood = (page: string): boolean => page.startsWith("good");

interface Outcome {
  readonly summary: WebSummary;
  readonly pages: readonly string[];
  readonly asked: readonly string[];
}

async function crawl(hostility: Hostility, more: Partial<CrawlWebOptions> = {}): Promise<Outcome> {
  await using web = await openHostileWeb(hostility);
  using temp = makeTempFolder();
  const seeds = [`${web.originOf("seed.test")}/`];
  const summary = await crawlWeb({ ...optionsFor(web, temp.path), seeds, ...more });
  const pages = web.pages();
  assert.equal(pages.filter(isGood).length, goodHosts.length * 5, "all good pages were requested");
  assert.equal(new Set(pages).size, pages.length, "each page was requested once");
  return { summary, pages, asked: web.names.asked };
}

describe("a crawl of a hostile Web", () => {
  it("takes so many sites of a domain with wildcard names, and asks for no more names", async () => {
    const { summary, pages, asked } = await crawl(
      {
        bait: ["1.farm.test/"],
        addressOf: () => ["127.0.0.2"],
        linksOf: (host) => Array.from({ length: 200 }, (_, at) => `${Number.parseInt(host, 10) * 200 + at}.farm.test/`),
      },
      { maxDomainSites: 50 },
    );
    assert.equal(summary.sites, 1 + goodHosts.length + 50);
    assert.equal(pages.filter((page) => page.includes(".farm.test")).length, 50);
    assert.equal(asked.length, summary.sites);
    assert.ok((summary.heldBack["domain-sites"] ?? 0) >= 50 * 150, JSON.stringify(summary.heldBack));
  });

  it("takes so many new sites from the pages of a domain, whatever domains they are", async () => {
    const { summary } = await crawl(
      {
        bait: ["farm.test/"],
        addressOf: () => ["127.0.0.2"],
        linksOf: (host, path) =>
          host === "farm.test"
            ? [
                `farm.test${path}x`.slice(0, 15),
                ...Array.from({ length: 1000 }, (_, at) => `d${path.length}-${at}.test/`),
              ]
            : [],
      },
      { maxNewSites: 60 },
    );
    assert.equal(summary.sites, 2 + goodHosts.length + 60);
    assert.ok((summary.heldBack["new-sites"] ?? 0) > 900);
  });

  it("takes so many sites at one address, whatever domains they are", async () => {
    const { summary, pages } = await crawl(
      {
        bait: Array.from({ length: 80 }, (_, at) => `d${at}.test/`),
        addressOf: () => ["127.0.0.2"],
        linksOf: () => [],
      },
      { maxAddressSites: 30 },
    );
    assert.equal(pages.filter((page) => page.startsWith("d")).length, 30);
    assert.deepEqual([summary.heldBack["address-sites"], summary.end], [50, "done"]);
  });

  it("goes to no private address that a name server says, but to that of a seed", async () => {
    const addressOf = (host: string): NameAnswer => [host === "inside.test" ? "10.0.0.1" : "169.254.169.254"];
    const bait = ["inside.test/", "metadata.test/"];
    await using web = await openHostileWeb({ bait, addressOf, linksOf: () => [] });
    using temp = makeTempFolder();
    const seeds = ["seed.test", "good0.test"].map((host) => `${web.originOf(host)}/`);
    const summary = await crawlWeb({ ...optionsFor(web, temp.path), seeds, allowPrivate: false });
    assert.deepEqual(
      [...new Set(web.requests.map(({ host }) => host))].sort(),
      ["good0.test", "seed.test"],
      "only seeds have loopback addresses",
    );
    assert.deepEqual(summary.heldBack["private-address"], goodHosts.length - 1 + bait.length);
  });

  it("counts sites without an address, and looks up no more names of a domain of which many have none", async () => {
    const names = Array.from({ length: 100 }, (_, at) => `n${at}.gone.test/`);
    const { summary, asked } = await crawl({
      bait: [...names, "broken.test/"],
      addressOf: (host) => (host === "broken.test" ? "failure" : "no-name"),
      linksOf: () => [],
    });
    assert.deepEqual([summary.unresolvedSites, summary.unreachableSites], [101, 0]);
    const gone = asked.filter((name) => name.endsWith(".gone.test")).length;
    assert.ok(gone >= 20 && gone < 40, `${gone} look-ups`);
  });

  it("goes on with all other sites while hosts never answer, and gives those up", async () => {
    const silent = Array.from({ length: 6 }, (_, at) => `silent${at}.test/`);
    const options = { connections: 4, timeoutMs: 1000 };
    const { summary, pages } = await crawl(
      { bait: silent, addressOf: () => ["127.0.0.2"], linksOf: () => undefined },
      options,
    );
    assert.deepEqual([summary.unreachableSites, summary.waiting], [6, 6]);
    assert.deepEqual(
      pages.filter((page) => !isGood(page)),
      ["seed.test/"],
    );
  });

  it("looks up a name once more whose server was in trouble, and no other", async () => {
    const asked = new Map<string, number>();
    await using web = await openLoopbackWeb({
      addressOf: (host) => {
        const times = (asked.get(host) ?? 0) + 1;
        asked.set(host, times);
        if (host === "seed.test") return ["127.0.0.1"];
        if (host === "none.test") return "no-name";
        return host === "never.test" || times <= 2 ? "failure" : ["127.0.0.1"];
      },
      answer: ({ host, port }, response) => {
        const hosts = host === "seed.test" ? ["late.test", "never.test", "none.test"] : [];
        response
          .setHeader("content-type", "text/html")
          .end(hosts.map((to) => `<a href="http://${to}:${port}/">x</a>`).join(""));
      },
    });
    using temp = makeTempFolder();
    const summary = await crawlWeb({ ...optionsFor(web, temp.path), seeds: [`${web.originOf("seed.test")}/`] });
    assert.deepEqual(web.pages(), ["seed.test/", "late.test/"], JSON.stringify([...asked]));
    assert.equal(summary.unresolvedSites, 2);
    assert.ok((asked.get("none.test") ?? 0) < (asked.get("never.test") ?? 0), JSON.stringify([...asked]));
  });

  it("waits for no host that never answers before it goes on with sites that did", async () => {
    const silent = Array.from({ length: 40 }, (_, at) => `silent${at}.test/`);
    let open = 0;
    let most = 0;
    await using web = await openLoopbackWeb({
      addresses: ["127.0.0.1", ...silent.map((_, at) => `127.0.1.${at + 1}`)],
      addressOf: (host) => [host === "seed.test" ? "127.0.0.1" : `127.0.1.${Number(/\d+/.exec(host)?.[0]) + 1}`],
      answer: ({ host, path, port }, response) => {
        if (host !== "seed.test") {
          most = Math.max(most, ++open);
          stop.signal.addEventListener("abort", () => response.destroy());
          return;
        }
        const own = path === "/" ? Array.from({ length: 60 }, (_, at) => `http://${host}:${port}/${at}`) : [];
        const links = path === "/" ? [...silent.map((link) => `http://${link.replace("/", `:${port}/`)}`), ...own] : [];
        response.setHeader("content-type", "text/html").end(links.map((url) => `<a href="${url}">x</a>`).join(""));
      },
    });
    using temp = makeTempFolder();
    const stop = new AbortController();
    const timer = setInterval(
      () => web.pages().filter((page) => page.startsWith("seed")).length === 61 && stop.abort(),
      5,
    );
    const late = setTimeout(() => stop.abort(new Error("the other pages were not requested")), 20_000);
    const options = { ...optionsFor(web, temp.path), seeds: [`${web.originOf("seed.test")}/`], timeoutMs: 60_000 };
    await assert.rejects(crawlWeb({ ...options, connections: 8, signal: stop.signal }), { code: "aborted" });
    clearInterval(timer);
    clearTimeout(late);
    assert.equal(web.pages().length, 61, String(stop.signal.reason));
    assert.equal(most, 2, "those that one site led to have a quarter of the places");
  });
});
