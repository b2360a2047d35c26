import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { HostKind } from "../../../lab/hosts/virtual-host.ts";
import { hostKinds } from "../../../lab/hosts/virtual-host.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import { findFreePort } from "../../interop/web-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type BadKind, BadSite, badKinds } from "./bad-sites.ts";
import { type CompressedTime, compress } from "./compressed-time.ts";
import { CrawlerProcess, type ProcessUse } from "./crawler-process.ts";
import { type Freshness, HeldFreshness } from "./held-freshness.ts";
import { type LivingPage, LivingWeb, MirrorLooks, mirroredVersion } from "./living-web.ts";
import { type HostRequest, startNginxHosts } from "./nginx-hosts.ts";
import { type Polling, pollAsFresh, pollAt, type Span } from "./polling-cost.ts";

/** How many sites are followed, and for how long. */
export interface FollowSize {
  readonly sites: number;
  /** Of real time that is measured, after everything was fetched once. */
  readonly minutes: number;
  /** That the measured time stands for. */
  readonly days: number;
  readonly seed: number;
  /** What is wrong with sites that the second crawler has on its list. Default: each kind once. */
  readonly bad?: readonly BadKind[];
  readonly onProgress?: (line: string) => void;
}

/** What a crawler did, of the sites that are well. */
export interface CrawlerResult {
  readonly name: string;
  readonly freshness: Freshness;
  readonly looks: number;
  /** Of pages that were looked at in the mirror. */
  readonly lookedFreshness: number;
  /** To sites of each kind. */
  readonly requests: ReadonlyMap<HostKind, number>;
  /** Of those, the ones for pages that had changed, or not. */
  readonly pages: { readonly changed: number; readonly unchanged: number };
  readonly visits: number;
  readonly failedVisits: number;
  /** At the end: pages whose mirror does not hold what was sent last. */
  readonly differences: number;
  readonly uses: readonly ProcessUse[];
}

/** What following a web came to. */
export interface FollowResult {
  readonly sites: number;
  readonly pages: number;
  readonly changes: number;
  readonly publications: number;
  readonly mostLateMs: number;
  readonly times: number;
  /** Real time until every site was visited once. */
  readonly firstSeconds: number;
  readonly alone: CrawlerResult;
  readonly beside: CrawlerResult;
  readonly badRequests: ReadonlyMap<BadKind, number>;
  /** What polling would take for what the first crawler reached, by kinds of sites. */
  readonly asFresh: ReadonlyMap<HostKind, Polling>;
  readonly daily: ReadonlyMap<HostKind, Polling>;
}

const dayMs = 86_400_000;
const tickMs = 25;
const secondMs = 1000;
const looksPerSecond = 20;
const badChangeMs = dayMs / 2;

/** A web, who follows it, and what goes on while it does. */
class FollowTrial {
  readonly #size: FollowSize;
  readonly #time: CompressedTime;
  readonly #web: LivingWeb;
  readonly #pages: readonly LivingPage[];
  readonly #bad: readonly BadSite[];
  readonly #startCrawlers: (isForever: boolean) => readonly CrawlerProcess[];
  #crawlers: readonly CrawlerProcess[] = [];
  #looks: readonly MirrorLooks[] = [];
  #uses: ProcessUse[][] = [];
  readonly #random: Random;
  #secondAt = 0;
  #badRounds = 0;

  constructor(
    size: FollowSize,
    parts: {
      time: CompressedTime;
      web: LivingWeb;
      bad: readonly BadSite[];
      startCrawlers: (isForever: boolean) => readonly CrawlerProcess[];
    },
  ) {
    this.#size = size;
    this.#time = parts.time;
    this.#web = parts.web;
    this.#pages = [...parts.web.pages()];
    this.#bad = parts.bad;
    this.#startCrawlers = parts.startCrawlers;
    this.#random = createRandom(size.seed, "looks");
  }

  async run(stopServer: () => Promise<AsyncIterable<HostRequest>>): Promise<FollowResult> {
    const { minutes, onProgress } = this.#size;
    this.#crawlers = this.#startCrawlers(false);
    await this.#live(() => this.#crawlers.every((crawler) => crawler.hasEnded), "first visits");
    for (const crawler of this.#crawlers) await crawler.stop();
    const firstSeconds = (Date.now() - this.#time.from) / 1000;
    onProgress?.(`every site was visited once after ${firstSeconds.toFixed(0)} s`);
    this.#crawlers = this.#startCrawlers(true);
    this.#looks = this.#crawlers.map(({ into }) => new MirrorLooks(into, this.#web));
    this.#uses = this.#crawlers.map(() => []);
    await this.#live(() => this.#crawlers.every((crawler) => crawler.status() !== undefined), "starting");
    const begun = Date.now();
    for (const site of this.#bad) if (site.kind !== "vanishes") site.begin();
    const measuredMs = minutes * 60_000;
    await this.#live(() => Date.now() >= begun + measuredMs / 3, "following");
    for (const site of this.#bad) if (site.kind === "vanishes") site.begin();
    await this.#live(() => Date.now() >= begun + measuredMs, "following");
    const ended = Date.now();
    const statuses = this.#crawlers.map((crawler) => crawler.status());
    await Promise.all(this.#crawlers.map((crawler) => crawler.stop()));
    const span = { from: compress(this.#time, begun), to: compress(this.#time, ended) };
    const results = await this.#judge(span, await stopServer());
    const [alone, beside] = results.map((result, at) => ({
      ...result,
      visits: statuses[at]?.visits ?? 0,
      failedVisits: statuses[at]?.failedVisits ?? 0,
    }));
    if (alone === undefined || beside === undefined) throw new TypeError("two crawlers follow");
    return {
      sites: this.#web.origins.length,
      pages: this.#pages.length,
      changes: this.#countChanges(span),
      publications: this.#web.publications,
      mostLateMs: this.#web.mostLateMs,
      times: this.#time.times,
      firstSeconds,
      alone,
      beside,
      badRequests: new Map(this.#bad.map(({ kind, requests }) => [kind, requests.get(beside.name) ?? 0])),
      asFresh: this.#poll((kind, pages) => pollAsFresh(alone.freshness.kinds.get(kind) ?? 0, pages, span)),
      daily: this.#poll((_, pages) => pollAt(dayMs, pages, span)),
    };
  }

  #poll(poll: (kind: HostKind, pages: readonly LivingPage[]) => Polling): ReadonlyMap<HostKind, Polling> {
    return new Map(
      hostKinds.map((kind) => [
        kind,
        poll(
          kind,
          this.#pages.filter((page) => page.kind === kind),
        ),
      ]),
    );
  }

  #countChanges({ from, to }: Span): number {
    let changes = 0;
    for (const { versions } of this.#pages)
      for (const { at } of versions.slice(1)) if (at >= from && at < to) changes++;
    return changes;
  }

  /** Lets the web live until something has come. */
  async #live(hasCome: () => boolean, what: string): Promise<void> {
    const stop = new AbortController();
    for (;;) {
      await this.#web.catchUp(stop.signal);
      await this.#changeBad();
      if (Date.now() - this.#secondAt >= secondMs) {
        this.#secondAt = Date.now();
        this.#noteSecond(what);
        if (hasCome()) return;
      }
      await wait(tickMs);
    }
  }

  async #changeBad(): Promise<void> {
    const round = Math.floor((compress(this.#time, Date.now()) - this.#time.start) / badChangeMs);
    if (round === this.#badRounds) return;
    this.#badRounds = round;
    for (const site of this.#bad) await site.change(round);
  }

  #noteSecond(what: string): void {
    const day = (compress(this.#time, Date.now()) - this.#time.start) / dayMs;
    if (what !== "following") {
      this.#size.onProgress?.(`${what}, day ${day.toFixed(1)}`);
      return;
    }
    for (const [at, crawler] of this.#crawlers.entries()) {
      this.#uses[at]?.push(crawler.use());
      for (let look = 0; look < looksPerSecond; look++) {
        const page = this.#pages[Math.floor(this.#random() * this.#pages.length)];
        if (page !== undefined) this.#looks[at]?.look(page);
      }
    }
    const told = this.#crawlers.map((crawler, at) => {
      const { visits = 0, requests = 0, due = 0 } = crawler.status() ?? {};
      const { memoryBytes = 0, processorSeconds = 0 } = this.#uses[at]?.at(-1) ?? {};
      return `${crawler.name}: ${visits} visits, ${requests} requests, ${due} due, ${(memoryBytes / 1e6).toFixed(0)} MB, ${processorSeconds.toFixed(0)} s`;
    });
    this.#size.onProgress?.(`${what}, day ${day.toFixed(1)}; ${told.join("; ")}`);
  }

  async #judge(
    { from, to }: Span,
    log: AsyncIterable<HostRequest>,
  ): Promise<Omit<CrawlerResult, "visits" | "failedVisits">[]> {
    const judged = this.#crawlers.map(() => ({
      meter: new HeldFreshness(from, to),
      requests: new Map<HostKind, number>(),
      changed: 0,
      unchanged: 0,
    }));
    for await (const { agent, at: realMs, host, path, status, modified } of log) {
      const one = judged[this.#crawlers.findIndex(({ name }) => name === agent)];
      if (one === undefined) continue;
      const at = compress(this.#time, realMs);
      const isMeasured = at >= from && at < to;
      const kind = this.#web.kindOf(host);
      if (isMeasured && kind !== undefined) one.requests.set(kind, (one.requests.get(kind) ?? 0) + 1);
      const page = this.#web.find(host, path);
      if (page === undefined || (status !== 200 && status !== 304) || modified === undefined) continue;
      if (isMeasured && status === 200) one.changed++;
      if (isMeasured && status === 304) one.unchanged++;
      const version = page.versionOf(modified);
      if (version === undefined) throw new Error(`${host}${path} was never of ${modified}`);
      one.meter.note(page, version, at);
    }
    return this.#crawlers.map((crawler, at) => {
      const { meter, requests, changed, unchanged } = judged[at] ?? {
        meter: new HeldFreshness(from, to),
        requests: new Map(),
        changed: 0,
        unchanged: 0,
      };
      const differences = this.#pages.filter(
        (page) => mirroredVersion(crawler.into, this.#web, page) !== meter.heldOf(page),
      ).length;
      return {
        name: crawler.name,
        freshness: meter.finish(this.#pages),
        looks: this.#looks[at]?.looks ?? 0,
        lookedFreshness: this.#looks[at]?.freshness ?? 0,
        requests,
        pages: { changed, unchanged },
        differences,
        uses: this.#uses[at] ?? [],
      };
    });
  }
}

/**
 * Has two crawlers follow the same sites at the same time, in compressed time: the second one has bad sites on its list, too. So
 * both meet the same changes and the same load of the machine, and differ in nothing but those.
 */
export async function followWeb(size: FollowSize): Promise<FollowResult> {
  using temp = makeTempFolder("follow");
  const folder = temp.path;
  const times = (size.days * 1440) / size.minutes;
  const start = Math.floor(Date.now() / 1000) * 1000;
  let time: CompressedTime | undefined;
  const clock = (): EpochMs => (time === undefined ? start : compress(time, Date.now()));
  const port = await findFreePort();
  // As long as first visits may take.
  const end = start + (2 * size.days + 10) * dayMs;
  const web = new LivingWeb({ seed: size.seed, sites: size.sites, start, end }, { folder, port, clock });
  size.onProgress?.("the sites are made");
  await web.open();
  size.onProgress?.(`${web.publications} of them publish archives`);
  await using nginx = await startNginxHosts(web.roots, port, folder);
  const bad: BadSite[] = [];
  const crawlers: CrawlerProcess[] = [];
  try {
    for (const [number, kind] of (size.bad ?? badKinds).entries())
      bad.push(await BadSite.open(kind, number, port, { folder, clock }));
    time = { start, from: Date.now(), times };
    const shared = { time };
    const lists = { alone: web.origins, beside: [...bad.map(({ origin }) => origin), ...web.origins] };
    for (const [name, origins] of Object.entries(lists)) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, `${name}.txt`), `${origins.map((origin) => `${origin}/`).join("\n")}\n`);
    }
    const startCrawlers = (isForever: boolean): readonly CrawlerProcess[] => {
      const started = Object.keys(lists).map((name) => {
        const [into, sitesFile] = [join(folder, name), join(folder, `${name}.txt`)];
        return new CrawlerProcess({ ...shared, name, into, sitesFile, isForever });
      });
      crawlers.push(...started);
      return started;
    };
    return await new FollowTrial(size, { time, web, bad, startCrawlers }).run(() => nginx.stop());
  } finally {
    for (const crawler of crawlers) crawler.kill();
    for (const site of bad) await site[Symbol.asyncDispose]();
  }
}
