import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PolitenessOptions } from "../../../src/crawler/index.ts";
import { LeasedList } from "../../../src/crawler/leased/leased-list.ts";
import type { LeasedMeans, LeasedVisitor } from "../../../src/crawler/leased/leased-visit.ts";
import { LeasedWeb } from "../../../src/crawler/leased/leased-web.ts";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import { type Fleet, openFleet } from "../../../src/fleet/index.ts";
import { FleetWorker } from "../../../src/fleet/worker/fleet-worker.ts";
import type { WorkerVisit } from "../../../src/fleet/worker/worker-options.ts";
import { openWorkerPlace } from "../../../src/fleet/worker/worker-place.ts";
import { LinkLog, stateVersion } from "../../../src/storage/index.ts";
import { readLinks } from "../../../src/storage/links/read-links.ts";
import { openObjects } from "../../../src/storage/objects/open-objects.ts";
import {
  generateWeb,
  type LoopbackWeb,
  type LoopbackWebOptions,
  openLoopbackWeb,
  serveWeb,
} from "../../crawler/web/loopback-web.ts";
import { addresses, addressOf, optionsFor } from "../../crawler/web/web-crawling.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const limits = { timeout: 60_000 };
const made = generateWeb(24, 5);
const all = made.hosts.flatMap((host) => made.pathsOf(host).map((path) => host + path));

const control = ["addSites", "outlook", "now", "identity", "report"] as const;
const verbs = ["claim", "renew", "commit", "release", "reap", "read", ...control] as const;

interface Work {
  readonly web: LoopbackWeb;
  readonly folder: string;
  readonly name: string;
  /** What stands between the worker and its fleet. */
  readonly between?: (fleet: Fleet) => Partial<Fleet>;
  readonly signal?: AbortSignal;
  readonly leaseMs?: number;
  readonly politeness?: PolitenessOptions;
  readonly options?: Partial<CrawlWebOptions>;
  readonly visitor?: (means: LeasedMeans) => LeasedVisitor;
}

async function work({
  web,
  folder,
  name,
  between,
  signal = new AbortController().signal,
  options: crawl = {},
  visitor,
  leaseMs = 5000,
  politeness,
}: Work): Promise<WorkerVisit[]> {
  using place = openWorkerPlace(folder, name);
  const options = { worker: name, version: "1", leaseMs, stateVersion, delayMs: 20 };
  await using fleet = await openFleet(join(folder, "fleet.db"), options);
  await using links = new LinkLog(place.links, { clock: Date.now });
  const visits: WorkerVisit[] = [];
  const asked = {
    ...Object.fromEntries(
      verbs.map((verb) => [
        verb,
        (...args: readonly unknown[]) => (fleet[verb] as (...of: readonly unknown[]) => unknown)(...args),
      ]),
    ),
    leaseMs: fleet.leaseMs,
    ...between?.(fleet),
  } as unknown as Fleet;
  const worker = new FleetWorker({
    fleet: asked,
    createVisitor: (means) =>
      visitor?.(means) ?? new LeasedWeb(optionsFor(web, folder, { pagesBeforeRest: 3, ...crawl }), means),
    ...{ scratch: place.scratch, links, visitsAtOnce: 4, isForever: false, signal },
    objects: await openObjects(join(folder, "objects")),
    politeness: { pagesBeforeRest: 3, ...politeness },
    nameServers: [web.names.address],
    onVisit: (visit) => visits.push(visit),
  });
  await worker.run();
  return visits;
}

const openWeb = (): Promise<LoopbackWeb> => openLoopbackWeb({ addresses, addressOf, answer: serveWeb(made) });

/** A site whose first page leads to one with a link to another site, and to one that is answered after the signal, with a link to a third. */
function serveSlowSite(later: AbortSignal): LoopbackWebOptions["answer"] {
  const linksOf: Readonly<Record<string, readonly string[]>> = {
    "a.example/": ["a.example/1", "a.example/2"],
    "a.example/1": ["b.example/"],
    "a.example/2": ["c.example/"],
  };
  return ({ host, path, port }, response) => {
    if (path === "/robots.txt") return void response.end();
    response.setHeader("content-type", "text/html");
    const links = (linksOf[host + path] ?? []).map((to) => `<a href="http://${to.replace("/", `:${port}/`)}">x</a>`);
    const answer = (): void => void response.end(links.join(""));
    if (host !== "a.example" || path !== "/2" || later.aborted) answer();
    else later.addEventListener("abort", answer, { once: true });
  };
}

describe("FleetWorker", () => {
  it("requests each page once, with others, never two at one address, and keeps links and bodies", limits, async () => {
    await using web = await openWeb();
    using temp = makeTempFolder();
    const names = ["one", "two", "three"];
    const visits = await Promise.all(names.map((name) => work({ web, folder: temp.path, name })));
    assert.deepEqual([...web.pages()].sort(), [...all].sort());
    assert.ok(visits.flat().length >= made.hosts.length);
    for (const address of addresses) {
      const requests = web.requests.filter((request) => request.address === address);
      requests.sort((a, b) => a.beganAt - b.beganAt);
      for (const [at, { beganAt }] of requests.entries())
        assert.ok((requests[at - 1]?.endedAt ?? 0) <= beganAt, `two requests at ${address}`);
    }
    const kept = new Map([...readLinks(join(temp.path, "links"))].map(({ url, links }) => [url, links]));
    assert.deepEqual([...kept.keys()].sort(), all.map((page) => `http://${page.replace("/", `:${web.port}/`)}`).sort());
  });

  it("begins again where the fleet stopped, and requests nothing twice", limits, async () => {
    await using web = await openWeb();
    using temp = makeTempFolder();
    const stop = new AbortController();
    const between = (fleet: Fleet): Partial<Fleet> => ({
      commit: async (...results) => {
        if (web.pages().length > all.length / 2) stop.abort();
        return await fleet.commit(...results);
      },
    });
    await work({ web, folder: temp.path, name: "one", between, signal: stop.signal });
    assert.ok(web.pages().length < all.length);
    await work({ web, folder: temp.path, name: "two" });
    assert.deepEqual([...web.pages()].sort(), [...all].sort());
  });

  it("waits for requests that are under way when it is stopped", limits, async () => {
    const stop = new AbortController();
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        response.setHeader("content-type", "text/html");
        if (path !== "/1")
          return void response.end(path === "/robots.txt" ? "" : '<a href="/1">1</a><a href="/2">2</a>');
        if (stop.signal.aborted) return void response.end();
        stop.abort();
        setTimeout(() => response.end(), 300);
      },
    });
    using temp = makeTempFolder();
    const options = { seeds: [`${web.originOf("a.example")}/`] };
    await work({ web, folder: temp.path, name: "one", signal: stop.signal, options });
    assert.deepEqual(web.pages(), ["a.example/", "a.example/1"]);
    await work({ web, folder: temp.path, name: "two", options });
    assert.deepEqual(web.pages(), ["a.example/", "a.example/1", "a.example/2"]);
  });

  it("renews leases before they end, from the first one on", limits, async () => {
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        response.setHeader("content-type", "text/html");
        setTimeout(() => response.end(path === "/robots.txt" ? "" : "x"), path === "/robots.txt" ? 0 : 2500);
      },
    });
    using temp = makeTempFolder();
    const options = { seeds: [`${web.originOf("a.example")}/`], timeoutMs: 10_000 };
    const visits = await work({ web, folder: temp.path, name: "one", leaseMs: 2000, options });
    assert.deepEqual(
      visits.map(({ isLost, counts }) => [isLost, counts?.created]),
      [[false, 1]],
    );
    assert.deepEqual(web.pages(), ["a.example/"]);
  });

  it("does not wait for a request when the database says that its lease is lost", limits, async () => {
    let isAsked = false;
    let answers: NodeJS.Timeout | undefined;
    const ends: string[] = [];
    const stop = new AbortController();
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: ({ path }, response) => {
        if (path === "/robots.txt") return void response.end();
        isAsked = true;
        response.once("close", () => {
          ends.push(response.writableEnded ? "answered" : "given up");
          clearTimeout(answers);
          stop.abort();
        });
        // Long after the worker must have given up, and before its lease would have ended.
        answers = setTimeout(() => response.end(), 12_000);
      },
    });
    using temp = makeTempFolder();
    const options = { seeds: [`${web.originOf("a.example")}/`], timeoutMs: 50_000 };
    const between = (fleet: Fleet): Partial<Fleet> => ({
      renew: async (leases, moves) => (isAsked ? [] : await fleet.renew(leases, moves)),
    });
    await work({ web, folder: temp.path, name: "one", leaseMs: 20_000, between, signal: stop.signal, options });
    assert.deepEqual(ends, ["given up"]);
  });

  it("loses no URL with a visit whose results are refused", limits, async () => {
    await using web = await openWeb();
    using temp = makeTempFolder();
    let refused = 0;
    const between = (fleet: Fleet): Partial<Fleet> => ({
      // As a lease that ended: another worker's epoch is newer.
      commit: async (lease, results) => {
        if (results.next === undefined || results.found.length === 0 || refused >= 5)
          return await fleet.commit(lease, results);
        refused++;
        await fleet.release(lease, { siteMs: 0, addressMs: 0, priority: 0 });
        return false;
      },
    });
    const visits = await work({ web, folder: temp.path, name: "one", between });
    assert.equal(refused, 5);
    assert.equal(visits.filter(({ isLost }) => isLost).length, 5);
    assert.deepEqual([...new Set(web.pages())].sort(), [...all].sort());
  });

  it("has stored what answered pages lead to when it is killed in a visit", limits, async () => {
    const stop = new AbortController();
    await using web = await openLoopbackWeb({
      addressOf: (host) => (host === "a.example" ? ["127.0.0.1"] : ["127.0.0.2"]),
      addresses: ["127.0.0.1", "127.0.0.2"],
      answer: serveSlowSite(stop.signal),
    });
    using temp = makeTempFolder();
    const options = { seeds: [`${web.originOf("a.example")}/`], timeoutMs: 30_000 };
    let linksAtCommit: string[] = [];
    let isKilled = false;
    const between = (fleet: Fleet): Partial<Fleet> => ({
      commit: async (lease, results) => {
        if (isKilled) throw new Error("killed");
        if (results.pages.some(({ path }) => path === "/1")) {
          linksAtCommit = [...readLinks(join(temp.path, "links"))].map(({ url }) => new URL(url).pathname);
          isKilled = await fleet.commit(lease, results);
          stop.abort();
          return isKilled;
        }
        return await fleet.commit(lease, results);
      },
    });
    await work({ web, folder: temp.path, name: "one", leaseMs: 2000, between, signal: stop.signal, options });
    assert.deepEqual(web.pages(), ["a.example/", "a.example/1", "a.example/2"]);
    assert.deepEqual(linksAtCommit, ["/", "/1"]);
    await work({ web, folder: temp.path, name: "two", leaseMs: 2000, options });
    assert.deepEqual(web.pages().slice(3).sort(), ["a.example/2", "b.example/", "c.example/"]);
  });

  it("hands over what a visit finds once, and keeps what was not stored", limits, async () => {
    const later = new AbortController();
    await using web = await openLoopbackWeb({
      addressOf: () => ["127.0.0.1"],
      answer: serveSlowSite(later.signal),
    });
    using temp = makeTempFolder();
    const options = { seeds: [`${web.originOf("a.example")}/`], timeoutMs: 30_000 };
    const offered: string[][] = [];
    const counts: Array<Readonly<Record<string, unknown>>> = [];
    const between = (fleet: Fleet): Partial<Fleet> => ({
      commit: async (lease, results) => {
        if (lease.origin !== web.originOf("a.example")) return await fleet.commit(lease, results);
        if (offered.length > 0 || results.found.length > 0)
          offered.push(results.found.map(({ origin }) => new URL(origin).hostname));
        if (offered.length >= 3) later.abort();
        // The first is not stored.
        return offered.length === 1 ? false : await fleet.commit(lease, results);
      },
      report: async (metrics) => {
        counts.push(metrics);
        return await fleet.report(metrics);
      },
    });
    await work({ web, folder: temp.path, name: "one", leaseMs: 2000, between, options });
    const [first, second, ...others] = offered;
    assert.deepEqual([first, second], [["b.example"], ["b.example"]]);
    assert.deepEqual(others.flat(), ["c.example"]);
    const { handed, links } = counts.at(-1) ?? {};
    assert.deepEqual({ handed, links }, { handed: 2, links: 5 });
    assert.deepEqual(web.pages().sort(), ["a.example/", "a.example/1", "a.example/2", "b.example/", "c.example/"]);
  });

  it("ends although links lead to hosts without an address, or with a private one", limits, async () => {
    const links = ["gone.example", "trouble.example", "private.example", "a.example"];
    await using web = await openLoopbackWeb({
      addressOf: (host) => {
        if (host === "trouble.example") return "failure";
        return host === "gone.example" ? "no-name" : ["127.0.0.1"];
      },
      answer: ({ path, port }, response) => {
        response.setHeader("content-type", "text/html");
        if (path === "/robots.txt") response.end("");
        else response.end(links.map((host) => `<a href="http://${host}:${port}/x">x</a>`).join(""));
      },
    });
    using temp = makeTempFolder();
    const seeds = [`${web.originOf("a.example")}/`];
    await work({ web, folder: temp.path, name: "one", options: { seeds, allowPrivate: false } });
    assert.deepEqual(web.pages().sort(), ["a.example/", "a.example/x"]);
  });

  it(
    "visits the sites of a list, and those that were added otherwise, and tells of failed visits",
    limits,
    async () => {
      await using web = await openWeb();
      using temp = makeTempFolder();
      const listed = "http://127.0.0.1:1";
      {
        await using fleet = await openFleet(join(temp.path, "fleet.db"), { worker: "who adds" });
        await fleet.addSites([{ origin: web.originOf("s0.example"), note: "", priority: 1 }]);
      }
      const asked: string[] = [];
      const visits = await work({
        ...{ web, folder: temp.path, name: "one" },
        visitor: (means) =>
          new LeasedList(
            [{ url: listed }],
            async (url) => {
              asked.push(url);
              return { url, sources: ["links"], allowPrivate: true };
            },
            means,
            undefined,
          ),
      });
      assert.deepEqual(asked, [`${web.originOf("s0.example")}/`]);
      assert.deepEqual(
        web.pages().sort(),
        made
          .pathsOf("s0.example")
          .map((path) => `s0.example${path}`)
          .sort(),
      );
      assert.deepEqual(
        visits.map(({ site, counts }) => [site, counts?.created]).sort(),
        [
          [listed, 0],
          [web.originOf("s0.example"), made.pathsOf("s0.example").length],
        ].sort(),
      );
    },
  );

  it("sets a site aside whose state is damaged, and visits the others", limits, async () => {
    await using web = await openWeb();
    using temp = makeTempFolder();
    const origins = ["s0.example", "s1.example"].map((host) => web.originOf(host));
    const crawl = async (between?: Work["between"]): Promise<WorkerVisit[]> =>
      work({
        ...{ web, folder: temp.path, name: "one", ...(between === undefined ? {} : { between }) },
        visitor: (means) =>
          new LeasedList(
            origins.map((origin) => ({ url: `${origin}/`, sources: ["links"], allowPrivate: true })),
            async (url) => ({ url }),
            means,
            undefined,
          ),
      });
    const visits = await crawl((fleet) => ({
      read: async (lease, asked) => {
        const read = await fleet.read(lease, asked);
        const blocks = [{ number: 0, bytes: Buffer.from("damaged") }];
        return read !== undefined && lease.origin === origins[0] ? { ...read, blocks } : read;
      },
    }));
    const told = visits.map(({ site, error }) => [site, String(error)]).sort();
    assert.equal(told.length, 2);
    assert.match(String(told[0]), /s0\.example.*Block 0 of the state of a site is missing or damaged/);
    assert.match(String(told[1]), /s1\.example.*undefined/);
    assert.deepEqual(await crawl(), [], "it is not tried again at once");
  });

  it("sets a site aside whose state proves damaged while its visit goes on", limits, async () => {
    await using web = await openWeb();
    using temp = makeTempFolder();
    const [damaged = "", other = ""] = ["s0.example", "s1.example"].map((host) => web.originOf(host));
    const visits = await work({
      ...{ web, folder: temp.path, name: "one", leaseMs: 1000 },
      visitor: (means) => {
        const sites = [damaged, other].map((origin) => ({
          url: `${origin}/`,
          sources: ["links" as const],
          allowPrivate: true,
        }));
        const list = new LeasedList(sites, async (url) => ({ url }), means, undefined);
        const visit: LeasedVisitor["visit"] = async (site) => {
          if (site.origin === other) return await list.visit(site);
          // The first site that was added.
          writeFileSync(join(temp.path, ".tidemark/workers/one/states/1.db"), Buffer.alloc(64 * 1024, "damaged"));
          await once(site.halt, "abort");
          return { counts: undefined, isFailed: false, nextAt: Number.POSITIVE_INFINITY, priority: 1 };
        };
        return {
          ...{ first: list.first, waits: false, visit },
          postpone: () => undefined,
          forget: () => undefined,
        };
      },
    });
    const told = visits.map(({ site, error, isLost }) => [site, isLost, String(error)]).sort();
    assert.deepEqual(told[1], [other, false, "undefined"]);
    assert.equal(told[0]?.[0], damaged);
    assert.match(String(told[0]?.[2]), /The state is damaged/);
  });

  it("takes more pages in a visit while the site may be asked, and gives back a site that rests", limits, async () => {
    const pages = Array.from({ length: 10 }, (_, at) => `/${at}`);
    const answer: LoopbackWebOptions["answer"] = ({ path }, response) => {
      response.setHeader("content-type", "text/html");
      response.end(path === "/" ? pages.map((page) => `<a href="${page}">page</a>`).join("") : "");
    };
    const visitsWith = async (politeness: PolitenessOptions): Promise<WorkerVisit[]> => {
      await using web = await openLoopbackWeb({ addressOf: () => ["127.0.0.1"], answer });
      using temp = makeTempFolder();
      const options = { seeds: [`${web.originOf("a.example")}/`] };
      const visits = await work({ web, folder: temp.path, name: "one", options, politeness });
      assert.deepEqual([...web.pages()].sort(), ["/", ...pages].map((page) => `a.example${page}`).sort());
      const sum = visits.reduce((all, { counts }) => all + (counts?.created ?? 0), 0);
      assert.equal(sum, pages.length + 1);
      return visits;
    };
    assert.equal((await visitsWith({})).length, 1);
    // On a busy machine some rests are over before they are noticed.
    assert.ok((await visitsWith({ restMs: 400, loopbackRests: true })).length >= 3);
  });

  it("keeps to the most pages of a site, also with URLs that others hand over", limits, async () => {
    await using web = await openWeb();
    using temp = makeTempFolder();
    await work({ web, folder: temp.path, name: "one", options: { maxPages: 3 } });
    for (const host of made.hosts)
      assert.ok(web.pages().filter((page) => page.startsWith(`${host}/`)).length <= 3, host);
  });

  it("takes the place of a worker that was killed, and refuses a name that is in use or none", () => {
    using temp = makeTempFolder();
    const place = openWorkerPlace(temp.path, undefined);
    {
      using other = openWorkerPlace(temp.path, undefined);
      assert.notEqual(other.name, place.name);
    }
    assert.throws(() => openWorkerPlace(temp.path, place.name), { code: "locked" });
    place[Symbol.dispose]();
    using again = openWorkerPlace(temp.path, undefined);
    assert.equal(again.name, place.name);
    for (const name of ["", "../x", "a/b", ".", "x".repeat(65)])
      assert.throws(() => openWorkerPlace(temp.path, name), { code: "bad-option" }, name);
  });
});
