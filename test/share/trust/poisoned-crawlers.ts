import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { FreshnessMeter } from "../../../lab/hosts/freshness-meter.ts";
import { HostServer } from "../../../lab/hosts/host-server.ts";
import { drawCourse } from "../../../lab/hosts/page-course.ts";
import { writePage } from "../../../lab/hosts/page-text.ts";
import { noLists } from "../../../lab/hosts/sitemap-lists.ts";
import { createVirtualFetcher } from "../../../lab/hosts/virtual-fetcher.ts";
import { VirtualTime } from "../../../lab/hosts/virtual-time.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { createRandom } from "../../../src/core/random.ts";
import { type CompanionMeans, followSitesBy } from "../../../src/crawler/follow/follow-sites.ts";
import { dayOf } from "../../../src/formats/web-events/day-file.ts";
import { type FolderServer, serveFolder } from "../../../src/server/folder-server.ts";
import { EventExchange } from "../../../src/share/event-exchange.ts";
import { readTrustedPeers, type TrustedPeer } from "../../../src/share/peer-trust.ts";
import { openStore, type Store } from "../../../src/storage/state/store.ts";
import { Peer } from "../merger.ts";
import { type Deceit, Liar, type SitePage } from "./liar.ts";

const start = 1_800_000_000_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const restMs = 15_000;

/** Which crawlers share, and who lies. */
export interface PoisonedSize {
  readonly seed: number;
  readonly honest: number;
  readonly deceits: readonly Deceit[];
  /** Whether the liars say anything; otherwise they are there and silent. */
  readonly isPoisoned: boolean;
  readonly sites: number;
  readonly pages: number;
  readonly days: number;
}

/** What became of the honest crawlers. */
export interface PoisonedResult {
  /** The mean share of time and pages in which they held what was served, after the first day. */
  readonly freshness: number;
  readonly requests: number;
  /** Pages of the sites that a crawler does not hold at the end. */
  readonly lost: number;
  /** The shortest time between two requests of one crawler to one site. */
  readonly leastGapMs: number;
  /** Requests to other hosts than those of the sites. */
  readonly strays: number;
  /** How the first crawler trusts each peer: honest ones first, then the liars. */
  readonly trust: readonly (TrustedPeer | undefined)[];
}

/** Time that stands still while crawlers merge and share, over real connections and with real files. */
class SharedTime extends VirtualTime {
  #busy = 0;

  constructor() {
    super(start, async () => {
      do await new Promise((resolve) => setImmediate(resolve));
      while (this.#busy > 0);
    });
  }

  /** Runs an exchange, which works whenever it does not wait. */
  async exchange(run: (means: CompanionMeans) => Promise<void>, means: CompanionMeans): Promise<void> {
    const loops = 2;
    const delay: CompanionMeans["timing"]["delay"] = async (delayMs, signal) => {
      this.#busy -= 1;
      try {
        await this.delay(delayMs, signal);
      } finally {
        this.#busy += 1;
      }
    };
    this.#busy += loops;
    try {
      await run({ ...means, timing: { ...means.timing, delay } });
    } finally {
      this.#busy -= loops;
    }
  }
}

function makeSites({ seed, sites, pages, days }: PoisonedSize, into: string): ReadonlyMap<string, HostServer> {
  const ports = createLabPorts(into);
  const from = start / 1000;
  return new Map(
    Array.from({ length: sites }, (_, site) => {
      const random = createRandom(seed, "site", site);
      const origin = `http://site-${site}.example`;
      const courses = Array.from({ length: pages }, (_, number) => {
        const path = number === 0 ? "/" : `/page-${number}.html`;
        const meanSeconds = 43_200 * 8 ** random();
        return drawCourse(path, { from: from - 86_400, to: from + days * 86_400, meanSeconds }, random);
      });
      return [
        origin,
        new HostServer({ origin, kind: "links", pages: courses, lists: noLists, trouble: undefined }, ports),
      ];
    }),
  );
}

/** Notes the requests of one crawler. */
class Witness {
  readonly meter = new FreshnessMeter(start + dayMs);
  readonly #last = new Map<string, number>();
  requests = 0;
  leastGapMs: number = Number.POSITIVE_INFINITY;

  note(origin: string, at: number): void {
    this.requests += 1;
    this.leastGapMs = Math.min(this.leastGapMs, at - (this.#last.get(origin) ?? Number.NEGATIVE_INFINITY));
    this.#last.set(origin, at);
  }
}

function countLost(store: Store, hosts: ReadonlyMap<string, HostServer>): number {
  let lost = 0;
  for (const [origin, { plan }] of hosts) {
    const site = store.peers.findSite(origin);
    const told = plan.pages.map(({ path }) => ({ path, polledAt: 9e9 }));
    const states = site === undefined ? [] : store.peers.lookAtNews(site.id, told);
    lost += states.filter(({ event }) => event?.digest === undefined).length + told.length - states.length;
  }
  return lost;
}

/** Honest crawlers follow sites and share what they saw, in virtual time, beside peers that lie after a day. */
export async function runPoisoned(size: PoisonedSize, folder: string): Promise<PoisonedResult> {
  const { seed, honest, isPoisoned, days } = size;
  const hosts = makeSites(size, folder);
  const time = new SharedTime();
  const pages = [...hosts].flatMap(([origin, { plan }]) =>
    plan.pages.map((course): SitePage => {
      const links = course.path === "/" ? plan.pages : [];
      return { origin, course, sizeOf: (version) => writePage(origin, course, version, links).length };
    }),
  );
  const servers: FolderServer[] = [];
  const liars: Peer[] = [];
  const stores: Store[] = [];
  let strays = 0;
  try {
    for (let one = 0; one < honest; one++) {
      const docroot = join(folder, `docroot-${one}`);
      mkdirSync(docroot);
      servers.push(await serveFolder({ folder: docroot }));
      stores.push(openStore({ into: join(folder, `crawler-${one}`) }));
    }
    for (const [at, deceit] of size.deceits.entries()) {
      const peer = await Peer.open();
      liars.push(peer);
      const crawler = `liar-${at}.example:80 liar/1`;
      peer.answers.set("/robots.shr", `version: 1.0\ncrawler: ${crawler}\nrepository: /share/\n`);
      const random = createRandom(seed, "liar", at);
      const liar = new Liar(pages, deceit, { random, crawler, treasonAt: start / 1000 + (days / 2) * 86_400 });
      for (let day = dayOf(start / 1000); day <= dayOf(start / 1000) + days; day++)
        peer.answers.set(`/share/${day}.dat`, (_, response) => {
          const isToday = day === dayOf(time.now() / 1000);
          if (!isPoisoned || !isToday || time.now() < start + dayMs) response.writeHead(404).end();
          else response.end(liar.write(time.now()));
        });
    }
    const urls = [...servers, ...liars].map(({ url }) => new URL("/", url).href);
    const stop = new AbortController();
    const witnesses = stores.map(() => new Witness());
    const following = stores.map(async (store, one) => {
      const own = urls[one] ?? "";
      const into = join(folder, `crawler-${one}`);
      const exchange = new EventExchange({
        peers: urls.filter((url) => url !== own),
        ...{ rho: 0.5, intervalMs: hourMs, days: 2 },
        share: { from: into, into: join(folder, `docroot-${one}`), url: own, moniker: `honest-${one}/1`, days: 3 },
      });
      const witness = witnesses[one];
      const random = createRandom(seed, "crawler", one);
      await followSitesBy(
        {
          store,
          createFetcher: () =>
            createVirtualFetcher({
              hosts,
              time,
              answerMs: 40,
              onAsk: ({ origin }) => {
                if (hosts.has(origin)) witness?.note(origin, time.now());
                else strays += 1;
              },
              onRequest: ({ origin, path, beganAt, status }) => {
                const page = hosts.get(origin)?.plan.pages.find((course) => course.path === path);
                if (page !== undefined && (status === 200 || status === 304)) witness?.meter.note(page, beganAt);
              },
            }),
        },
        {
          sites: [...hosts.keys()].map((origin) => ({
            url: `${origin}/`,
            sources: ["links" as const],
            keep: "metadata" as const,
            minIntervalMs: hourMs,
            maxIntervalMs: hourMs,
            budget: 1,
            planner: "round-robin" as const,
            order: "random" as const,
            politeness: { restMs, pagesBeforeRest: 1 },
          })),
          ...{ into, clock: time.now, delay: time.delay, random, signal: stop.signal },
          addressesOf: (host) => Promise.resolve([`203.0.113.${Number(/\d+/.exec(host)?.[0]) & 255}`]),
          companion: (means) => time.exchange((given) => exchange.run(given), means),
          onVisit: ({ site, summary }) =>
            exchange.noteVisit({
              ...{ site, requests: summary?.requests ?? 0, pages: size.pages, seconds: 1 },
              changes: (summary?.created ?? 0) + (summary?.updated ?? 0),
            }),
        },
      );
    });
    const all = Promise.all(following);
    void all.catch(() => time.end());
    const end = start + days * dayMs;
    await time.run(end);
    const courses = pages.map(({ course }) => course);
    const freshness = witnesses.map(({ meter }) => meter.freshnessOf(courses, end));
    stop.abort();
    void all.finally(() => time.end()).catch(() => undefined);
    await time.run(Number.POSITIVE_INFINITY);
    await all;
    const trusted = new Map(readTrustedPeers(join(folder, "crawler-0")).map((peer) => [peer.peer, peer]));
    return {
      freshness: freshness.reduce((sum, one) => sum + one, 0) / honest,
      requests: witnesses.reduce((sum, { requests }) => sum + requests, 0),
      lost: stores.reduce((sum, store) => sum + countLost(store, hosts), 0),
      leastGapMs: Math.min(...witnesses.map(({ leastGapMs }) => leastGapMs)),
      strays,
      trust: urls.slice(1).map((url) => trusted.get(url)),
    };
  } finally {
    for (const store of stores) store[Symbol.dispose]();
    for (const server of servers) await server.close();
    for (const liar of liars) await liar[Symbol.asyncDispose]();
  }
}
