import { IndexedHeap } from "../../src/core/indexed-heap.ts";
import { pickInteger, type Random, shuffle } from "../../src/core/random.ts";
import { estimateChangesPerSecond, type OperationSeen, type SharingPlan } from "../../src/share/engine/model-rho.ts";
import { ChangingPages } from "./changing-pages.ts";
import {
  type CommunityWorld,
  type CrawlerCourse,
  type CrawlerSetup,
  meanOf,
  type TrustRule,
} from "./community-world.ts";
import { EventLog, falseVersion } from "./event-log.ts";

/** Moments at which freshness is measured; those of the second half make its mean. */
const samples = 32;

interface Sums {
  rho: number;
  operations: number;
  high: number;
  polls: number;
  merges: number;
  records: number;
}

interface Pending {
  readonly kind: "poll" | "spot" | "read" | "merge" | "lie";
  readonly page: number;
  readonly peer: number;
  readonly from: number;
  readonly to: number;
  readonly startedAt: number;
}

/**
 * McLearn's crawlers (algorithm 5.1): each does one operation after the other, a poll of the next page or a merge from the next peer. All are
 * busy all the time, so each works at the speed min(1, s / n). A merge transfers all that the peer recorded since the last one, known or not.
 *
 * @throws RangeError if the pages, or their changes, do not fit into packed events
 */
export function simulateCommunity(
  crawlers: readonly CrawlerSetup[],
  world: CommunityWorld,
  random: Random,
  onProgress: (share: number) => void = () => undefined,
): CrawlerCourse[] {
  return new Community(crawlers, world, random).run(onProgress);
}

class Community {
  readonly #crawlers: readonly CrawlerSetup[];
  readonly #world: CommunityWorld;
  readonly #random: Random;
  readonly #sampling: number;
  readonly #speed: number;
  readonly #web: ChangingPages;
  readonly #importantPages: number;
  /** Versions known, a row a crawler. */
  readonly #copies: Uint16Array;
  /** Orders of polls, a row a crawler: all pages but those of sites that publish archives, which come first. */
  readonly #orders: Int32Array;
  readonly #exportedPages: number;
  readonly #sitePages: number;
  readonly #readCounts: Float64Array;
  readonly #logs: readonly EventLog[];
  /** Peers of each crawler in the order in which it merges from them. */
  readonly #peers: readonly (readonly number[])[];
  /** Places up to which logs were read, a row a reader; -1 where never, and then the first merge begins with what comes after it. */
  readonly #read: Float64Array;
  readonly #states: unknown[];
  readonly #pending: (Pending | undefined)[];
  readonly #pollCounts: Float64Array;
  readonly #mergeCounts: Float64Array;
  /** Of the polls of late, the share that found something: it stands for pages that are not simulated. */
  readonly #yields: Float64Array;
  readonly #taken: Float64Array;
  readonly #given: Float64Array;
  readonly #rhos: Float64Array;
  #sumOfRhos = 0;
  /** Trust: confirmed and refuted claims, a row a judge; claims to verify. */
  readonly #confirmed: Float64Array;
  readonly #refuted: Float64Array;
  readonly #claims: (readonly [page: number, version: number, origin: number])[][];
  /** New events that a crawler learned, by polls and merges, and its polls: what it knows of how often pages change. */
  readonly #learned: Float64Array;
  readonly #polled: Float64Array;
  readonly #sums: readonly Sums[];
  #isMeasured = false;

  constructor(crawlers: readonly CrawlerSetup[], world: CommunityWorld, random: Random) {
    const count = crawlers.length;
    this.#crawlers = crawlers;
    this.#world = world;
    this.#random = random;
    this.#sampling = world.sampling ?? 1;
    this.#speed = Math.min(1, world.slots / count);
    const pages = Math.round(world.pages / this.#sampling);
    if (pages < 1 || pages > 2 ** 20) throw new RangeError("from 1 to 1,048,576 pages are simulated");
    this.#web = new ChangingPages(pages, world.changesPerSecond, random);
    this.#importantPages = Math.round(pages * (world.importantShare ?? 1));
    this.#copies = new Uint16Array(pages * count);
    const { exportedShare = 0, pagesPerSite = 1 } = world.archives ?? {};
    this.#sitePages = Math.max(1, Math.round(pagesPerSite / this.#sampling));
    this.#exportedPages = Math.round((pages * exportedShare) / this.#sitePages) * this.#sitePages;
    const polled = pages - this.#exportedPages;
    this.#orders = new Int32Array(polled * count);
    for (let crawler = 0; crawler < count; crawler++) {
      const order = this.#orders.subarray(crawler * polled, (crawler + 1) * polled);
      for (let at = 0; at < polled; at++) order[at] = this.#exportedPages + at;
      shuffle(order, random);
    }
    this.#readCounts = Float64Array.from(crawlers, () => pickInteger(random, pages));
    this.#logs = crawlers.map(() => new EventLog());
    this.#peers = crawlers.map((_, crawler) => {
      const peers = Int32Array.from(
        crawlers.flatMap(({ isSharing }, peer) => (isSharing && peer !== crawler ? [peer] : [])),
      );
      shuffle(peers, random);
      return [...peers];
    });
    this.#read = new Float64Array(count * count).fill(-1);
    this.#states = crawlers.map(({ controller }) => controller.first);
    this.#pending = crawlers.map(() => undefined);
    this.#pollCounts = Float64Array.from(crawlers, () => pickInteger(random, this.#sampling));
    this.#mergeCounts = new Float64Array(count);
    this.#yields = new Float64Array(count);
    this.#taken = new Float64Array(count);
    this.#given = new Float64Array(count);
    this.#rhos = new Float64Array(count).fill(0.5);
    this.#sumOfRhos = 0.5 * count;
    const judged = world.trust === undefined ? 0 : count * count;
    this.#confirmed = new Float64Array(judged);
    this.#refuted = new Float64Array(judged);
    this.#claims = crawlers.map(() => []);
    this.#learned = new Float64Array(count);
    this.#polled = new Float64Array(count);
    this.#sums = crawlers.map(() => ({ rho: 0, operations: 0, high: 0, polls: 0, merges: 0, records: 0 }));
  }

  run(onProgress: (share: number) => void): CrawlerCourse[] {
    const { seconds } = this.#world;
    const count = this.#crawlers.length;
    const ends = new IndexedHeap();
    for (let crawler = 0; crawler < count; crawler++)
      ends.set(crawler, this.#start(crawler, this.#random() / this.#speed));
    const pages = this.#web.pages;
    const steps: number[][] = this.#crawlers.map(() => []);
    const important = new Float64Array(count);
    for (let sample = 1; sample <= samples; sample++) {
      const until = (seconds * sample) / samples;
      this.#isMeasured = 2 * sample > samples;
      for (let time = ends.firstKey; time < until; time = ends.firstKey) {
        const crawler = ends.first as number;
        this.#finish(crawler, time);
        ends.set(crawler, this.#start(crawler, time));
      }
      for (let crawler = 0; crawler < count; crawler++) {
        const first = crawler * pages;
        steps[crawler]?.push(this.#web.freshness(this.#copies, first, until, pages));
        if (this.#isMeasured && this.#importantPages < pages)
          important[crawler] =
            (important[crawler] as number) + this.#web.freshness(this.#copies, first, until, this.#importantPages);
      }
      onProgress(sample / samples);
    }
    return this.#sums.map((sums, crawler) => ({
      freshness: meanOf(steps[crawler]?.slice(samples / 2) ?? []),
      steps: steps[crawler] ?? [],
      importantFreshness: (2 * (important[crawler] as number)) / samples,
      rho: sums.operations === 0 ? 0 : sums.rho / sums.operations,
      highShare: sums.high / (seconds / 2),
      pollsPerSecond: sums.polls / (seconds / 2),
      mergesPerSecond: sums.merges / (seconds / 2),
      recordsPerSecond: sums.records / (seconds / 2),
    }));
  }

  /** Begins a crawler's next operation, and tells when it ends. */
  #start(crawler: number, time: number): number {
    const { mergeSeconds, recordsPerSecond } = this.#world;
    const setup = this.#crawlers[crawler] as CrawlerSetup;
    if (setup.falseEvents !== undefined) {
      this.#pending[crawler] = { kind: "lie", page: 0, peer: 0, from: 0, to: 0, startedAt: time };
      return time + 1 / this.#speed;
    }
    const plan = this.#plan(crawler, time);
    const peer = this.#random() < plan.rho ? undefined : this.#nextPeer(crawler, plan);
    if (peer !== undefined) {
      const to = (this.#logs[peer] as EventLog).length;
      const before = this.#read[crawler * this.#crawlers.length + peer] as number;
      const from = before === -1 ? to : before;
      this.#pending[crawler] = { kind: "merge", page: 0, peer, from, to, startedAt: time };
      return time + (mergeSeconds + ((to - from) * this.#sampling) / recordsPerSecond) / this.#speed;
    }
    const { archives } = this.#world;
    if (archives !== undefined && this.#random() < archives.readShare) {
      const records = this.#readArchive(crawler, time);
      this.#pending[crawler] = { kind: "read", page: 0, peer: 0, from: 0, to: records, startedAt: time };
      return time + (1 + records / recordsPerSecond) / this.#speed;
    }
    this.#pending[crawler] = this.#nextPoll(crawler, time);
    return time + 1 / this.#speed;
  }

  /** Takes what the next site's archive says, as of when it is asked for, and tells how many events it transfers. */
  #readArchive(crawler: number, time: number): number {
    const sites = this.#exportedPages / this.#sitePages;
    const reads = this.#readCounts[crawler] as number;
    this.#readCounts[crawler] = reads + 1;
    const [first, row] = [(reads % sites) * this.#sitePages, crawler * this.#web.pages];
    let fresh = 0;
    for (let page = first; page < first + this.#sitePages; page++) {
      const version = this.#web.look(page, time);
      if (this.#copies[row + page] === version) continue;
      this.#copies[row + page] = version;
      fresh++;
    }
    return fresh * this.#sampling;
  }

  #plan(crawler: number, time: number): SharingPlan {
    const { controller } = this.#crawlers[crawler] as CrawlerSetup;
    const others = this.#crawlers.length - 1;
    const rho = this.#rhos[crawler] as number;
    const situation = {
      pages: this.#world.pages,
      changesPerSecond: this.#estimateChanges(crawler, time),
      peers: (this.#peers[crawler] as readonly number[]).length,
      ...(this.#world.isAdvertised === true && others > 0 && { peersRho: (this.#sumOfRhos - rho) / others }),
    };
    const [plan, next] = controller.plan(this.#states[crawler], situation);
    this.#states[crawler] = next;
    this.#sumOfRhos += plan.rho - rho;
    this.#rhos[crawler] = plan.rho;
    return plan;
  }

  /** Changes of a page in a second, by what the crawler saw itself. */
  #estimateChanges(crawler: number, seconds: number): number {
    const { pages } = this.#world;
    const peers = (this.#peers[crawler] as readonly number[]).length;
    const [learned, polls] = [this.#learned[crawler] as number, this.#polled[crawler] as number];
    return estimateChangesPerSecond({ learned, polls, pages, seconds, peers });
  }

  /** The peer to merge from; undefined if there is none, or if the crawler took more than it may. */
  #nextPeer(crawler: number, plan: SharingPlan): number | undefined {
    const peers = this.#peers[crawler] as readonly number[];
    const { takenPerGiven, pages } = this.#world;
    if (takenPerGiven !== undefined) {
      const allowed = pages / 100 + takenPerGiven * (this.#given[crawler] as number);
      if ((this.#taken[crawler] as number) > allowed) return undefined;
    }
    const merges = this.#mergeCounts[crawler] as number;
    this.#mergeCounts[crawler] = merges + 1;
    return peers[merges % Math.max(1, Math.min(plan.peers, peers.length))];
  }

  #nextPoll(crawler: number, time: number): Pending {
    const { trust } = this.#world;
    const claims = this.#claims[crawler] as (readonly [number, number, number])[];
    if (trust !== undefined && claims.length > 0 && this.#random() < trust.spotShare) {
      const [page] = claims[0] as readonly [number, number, number];
      return { kind: "spot", page, peer: 0, from: 0, to: 0, startedAt: time };
    }
    const polls = this.#pollCounts[crawler] as number;
    this.#pollCounts[crawler] = polls + 1;
    const pages = this.#web.pages - this.#exportedPages;
    // One poll in so many meets a page that is simulated.
    const page =
      pages > 0 && polls % this.#sampling === 0
        ? (this.#orders[crawler * pages + ((polls / this.#sampling) % pages)] as number)
        : -1;
    return { kind: "poll", page, peer: 0, from: 0, to: 0, startedAt: time };
  }

  #finish(crawler: number, time: number): void {
    const pending = this.#pending[crawler] as Pending;
    if (pending.kind === "lie") {
      this.#lie(crawler);
      return;
    }
    if (pending.kind === "read") return;
    const isMerge = pending.kind === "merge";
    const fresh = isMerge ? this.#merge(crawler, pending) : this.#poll(crawler, pending, time);
    const records = isMerge ? (pending.to - pending.from) * this.#sampling : 0;
    const seconds = time - pending.startedAt;
    const seen: OperationSeen = { kind: isMerge ? "merge" : "poll", seconds, fresh, records };
    const { controller } = this.#crawlers[crawler] as CrawlerSetup;
    this.#states[crawler] = controller.observe(this.#states[crawler], seen);
    this.#learned[crawler] = (this.#learned[crawler] as number) + fresh;
    if (!isMerge) this.#polled[crawler] = (this.#polled[crawler] as number) + 1;
    if (!this.#isMeasured) return;
    const sums = this.#sums[crawler] as Sums;
    const rho = this.#rhos[crawler] as number;
    sums.rho += rho;
    sums.operations++;
    if (rho >= 0.5) sums.high += seconds;
    if (isMerge) sums.merges++;
    else sums.polls++;
    sums.records += records;
  }

  /** Importance of what a poll found. */
  #poll(crawler: number, { kind, page }: Pending, time: number): number {
    if (page === -1) return this.#random() < (this.#yields[crawler] as number) ? this.#weightOf(-1) : 0;
    const version = this.#web.look(page, time);
    if (kind === "spot") this.#judge(crawler, version);
    const place = crawler * this.#web.pages + page;
    const isFresh = this.#copies[place] !== version;
    if (isFresh) {
      this.#copies[place] = version;
      (this.#logs[crawler] as EventLog).add(page, version, crawler);
    }
    const before = this.#yields[crawler] as number;
    if (kind === "poll") this.#yields[crawler] = before + 0.05 * ((isFresh ? 1 : 0) - before);
    return isFresh ? this.#weightOf(page) : 0;
  }

  /** Importance of what a merge brought. */
  #merge(crawler: number, { peer, from, to }: Pending): number {
    const { trust } = this.#world;
    const log = this.#logs[peer] as EventLog;
    const own = this.#logs[crawler] as EventLog;
    const first = crawler * this.#web.pages;
    let fresh = 0;
    for (let place = from; place < to; place++) {
      const page = log.pageAt(place);
      const version = log.versionAt(place);
      if ((this.#copies[first + page] as number) >= version) continue;
      const origin = log.originAt(place);
      if (trust !== undefined && !this.#believes(crawler, page, version, origin, trust)) continue;
      this.#copies[first + page] = version;
      own.add(page, version, origin);
      fresh += this.#weightOf(page);
    }
    this.#read[crawler * this.#crawlers.length + peer] = to;
    this.#taken[crawler] = (this.#taken[crawler] as number) + (to - from) * this.#sampling;
    this.#given[peer] = (this.#given[peer] as number) + (to - from) * this.#sampling;
    return fresh * this.#sampling;
  }

  #weightOf(page: number): number {
    const { ordinaryWeight = 1, importantShare = 1 } = this.#world;
    if (page === -1) return importantShare + (1 - importantShare) * ordinaryWeight;
    return page < this.#importantPages ? 1 : ordinaryWeight;
  }

  /** Adds false events of random pages to a liar's log. */
  #lie(crawler: number): void {
    const { falseEvents = 0 } = this.#crawlers[crawler] as CrawlerSetup;
    for (let count = 0; count < falseEvents; count++)
      (this.#logs[crawler] as EventLog).add(pickInteger(this.#random, this.#web.pages), falseVersion, crawler);
  }

  #believes(crawler: number, page: number, version: number, origin: number, trust: TrustRule): boolean {
    const claims = this.#claims[crawler] as (readonly [number, number, number])[];
    // A claim to verify: the newest, and not always of the same peer.
    if (claims.length === 0 || this.#random() < 0.01) claims[0] = [page, version, origin];
    const at = crawler * this.#crawlers.length + origin;
    const confirmed = this.#confirmed[at] as number;
    return (confirmed + 1) / (confirmed + (this.#refuted[at] as number) + 2) >= trust.least;
  }

  /** Compares a claim with what a poll saw: a page that is older than the claim was never what it says. */
  #judge(crawler: number, seen: number): void {
    const claims = this.#claims[crawler] as (readonly [number, number, number])[];
    const claim = claims.pop();
    if (claim === undefined) return;
    const [, version, origin] = claim;
    const at = crawler * this.#crawlers.length + origin;
    if (version <= seen) this.#confirmed[at] = (this.#confirmed[at] as number) + 1;
    else this.#refuted[at] = (this.#refuted[at] as number) + (this.#world.trust?.falseWeight ?? 1);
  }
}
