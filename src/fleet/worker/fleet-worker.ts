import { join } from "node:path";
import { type EpochMs, TidemarkError, type Timing } from "../../core/index.ts";
import {
  createPoliteness,
  isHaltOver,
  type LeasedCounts,
  type LeasedMeans,
  type LeasedSite,
  type LeasedVisit,
  type LeasedVisitor,
  restOfAddress,
} from "../../crawler/index.ts";
import { HostAddresses, realTiming } from "../../http/index.ts";
import type { SiteFile } from "../../storage/index.ts";
import type { NextVisit, SiteLease, SiteReading } from "../leases/site-leases.ts";
import { FleetClock } from "./fleet-clock.ts";
import { SiteCopies } from "./site-copies.ts";
import { VisitFindings } from "./visit-findings.ts";
import { collectResults } from "./visit-results.ts";
import type { FleetWorkerOptions, WorkerCounts } from "./worker-options.ts";

const claimAtMost = 100;
const handedAtMost = 5000;
const [leastIdleMs, mostIdleMs] = [20, 1000];
/** What a long visit has done is stored after so long, or the time of a lease if that is shorter. */
const mostCheckpointMs = 30_000;
const progressMs = 1000;
const longestRenewMs = 5000;
/** A site whose state is damaged is tried again after so long; in a crawl that ends when all is done, never. */
const damagedMs = 86_400_000;
const leaseCheckMs = 100;
/** Links of visits that end within so long are synced to the disk together. */
const gatherMs = 20;
/** No request begins in the last part of a lease, and none goes on in the last half of that. */
const marginShare = 0.2;

interface Held {
  lease: SiteLease;
  /** By the monotonic clock. */
  until: number;
  readonly halt: AbortController;
}

/**
 * A worker of a fleet: leases due sites, visits them, and stores what each visit came to together with the end of the lease. It can be
 * killed or frozen at any instant: what it did not store is done again by another worker, and what it wants to store too late is refused.
 * All times are those of the fleet's database.
 */
export class FleetWorker {
  readonly #options: FleetWorkerOptions;
  readonly #clock: FleetClock;
  readonly #timing: Timing;
  readonly #hosts: HostAddresses;
  readonly #means: LeasedMeans;
  readonly #visitor: LeasedVisitor;
  readonly #copies: SiteCopies;
  readonly #open = new Map<number, Held>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #counts = {
    ...{ visits: 0, failedVisits: 0, lost: 0, handed: 0, links: 0 },
    ...{ requests: 0, pageRequests: 0, notModified: 0, metadataBytes: 0, pageBytes: 0 },
    ...{ created: 0, updated: 0, deleted: 0, failed: 0 },
  };
  /** The name of the crawl. */
  #crawl = "";
  /** It is told to claim nothing more, and to end. */
  #isDraining = false;
  #flushing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(options: FleetWorkerOptions) {
    const { nameServers, lookups, politeness, politenessOf, scratch } = options;
    this.#options = options;
    this.#clock = new FleetClock();
    const now = (): EpochMs => this.#clock.now();
    const { delay } = realTiming();
    this.#timing = { now, delay };
    this.#hosts = new HostAddresses({ servers: nameServers, atOnce: lookups, clock: now });
    const shared = { clock: now, delay, addressesOf: (host: string) => this.#hosts.of(host) };
    this.#means = {
      timing: this.#timing,
      random: Math.random,
      hosts: this.#hosts,
      politeness: createPoliteness({ ...politeness, ...shared, ofSites: politenessOf }),
    };
    this.#visitor = options.createVisitor(this.#means);
    this.#copies = new SiteCopies(join(scratch, "states"));
  }

  get #marginMs(): number {
    return this.#options.fleet.leaseMs * marginShare;
  }

  get counts(): WorkerCounts {
    return { ...this.#counts, open: this.#open.size };
  }

  /** Works until the signal, or until no site is due or held any more. @throws what prevents all visits */
  async run(): Promise<void> {
    const { fleet, signal } = this.#options;
    const ended = new AbortController();
    const stop = (): void => {
      for (const { halt } of this.#open.values()) this.#halt(halt);
      this.#wake();
    };
    signal.addEventListener("abort", stop, { once: true });
    const progress = setInterval(() => this.#options.onProgress?.(this.counts), progressMs);
    const leases = setInterval(() => this.#endLeases(), leaseCheckMs);
    let renewing = Promise.resolve();
    try {
      await this.#clock.set(() => fleet.now());
      this.#crawl = await fleet.identity();
      await fleet.addSites(this.#visitor.first);
      renewing = this.#renewLeases(ended.signal).catch((error: unknown) => this.#fail(error));
      await this.#claimLeases();
    } finally {
      stop();
      await Promise.all(this.#underWay);
      ended.abort();
      await renewing;
      // Whoever watches the fleet sees what its last visits came to.
      if (this.#failure === undefined)
        await fleet.report({ ...this.counts }).catch((error: unknown) => this.#fail(error));
      clearInterval(progress);
      clearInterval(leases);
      signal.removeEventListener("abort", stop);
      this.#copies[Symbol.dispose]();
    }
    // What a signal ended may not have reached the database: it is done again.
    if (this.#failure !== undefined && !signal.aborted) throw this.#failure.error;
    this.#options.onProgress?.(this.counts);
  }

  async #claimLeases(): Promise<void> {
    const { fleet, signal, isForever, visitsAtOnce } = this.#options;
    for (let idleMs = leastIdleMs; !signal.aborted && this.#failure === undefined; ) {
      if (this.#isDraining) {
        if (this.#open.size === 0) return;
        await this.#wait(mostIdleMs);
        continue;
      }
      const free = Math.min(claimAtMost, visitsAtOnce - this.#open.size);
      const claimedAt = performance.now();
      const leases = free > 0 ? await fleet.claim(free) : [];
      for (const lease of leases) this.#begin(lease, claimedAt);
      if (leases.length === 0 && this.#open.size === 0 && !isForever && (await this.#isDone())) return;
      idleMs = leases.length > 0 ? leastIdleMs : Math.min(mostIdleMs, idleMs * 2);
      if (leases.length < free || free === 0) await this.#wait(idleMs);
    }
  }

  /** Whether nobody will have anything to do before the sites are due again. */
  async #isDone(): Promise<boolean> {
    const { due, waiting, held } = await this.#options.fleet.outlook();
    return due + held + (this.#visitor.waits ? waiting : 0) === 0;
  }

  /** Renews what is held, sets the clock, and tells how it goes, until the signal. */
  async #renewLeases(signal: AbortSignal): Promise<void> {
    const { fleet } = this.#options;
    const everyMs = Math.min(longestRenewMs, fleet.leaseMs / 3);
    while (!signal.aborted) {
      const held = [...this.#open.values()];
      if (held.length > 0) {
        const sentAt = performance.now();
        const still = new Map((await fleet.renew(held.map(({ lease }) => lease))).map((lease) => [lease.site, lease]));
        for (const each of held) {
          const lease = still.get(each.lease.site);
          if (lease?.epoch === each.lease.epoch) each.until = Math.max(each.until, sentAt + fleet.leaseMs);
          else {
            // Another worker may be at the site.
            each.until = 0;
            this.#halt(each.halt);
          }
        }
      }
      await this.#clock.set(() => fleet.now());
      await fleet.reap();
      const { isDraining } = await fleet.report({ ...this.counts });
      if (isDraining) this.#isDraining = true;
      await this.#timing.delay(everyMs, signal);
    }
  }

  /** Halts visits whose lease ends soon: because the database cannot be reached, or because the process was frozen. */
  #endLeases(): void {
    for (const held of this.#open.values()) if (!this.#mayGoOn(held)) this.#halt(held.halt);
  }

  #mayGoOn({ until, halt }: Held): boolean {
    return !halt.signal.aborted && performance.now() < until - this.#marginMs;
  }

  #mustEnd({ until, halt: { signal } }: Held): boolean {
    if (performance.now() >= until - this.#marginMs / 2) return true;
    return signal.aborted && isHaltOver(signal.reason, this.#timing.now());
  }

  #halt(halt: AbortController): void {
    if (!halt.signal.aborted) halt.abort(this.#timing.now());
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { halt } of this.#open.values()) this.#halt(halt);
    this.#wake();
  }

  #begin(lease: SiteLease, claimedAt: number): void {
    const held: Held = { lease, until: claimedAt + this.#options.fleet.leaseMs, halt: new AbortController() };
    const isOpen = this.#open.has(lease.site);
    if (!isOpen) this.#open.set(lease.site, held);
    if (this.#options.signal.aborted) this.#halt(held.halt);
    const visit = (isOpen ? this.#giveBack(lease) : this.#take(held))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        if (!isOpen) this.#open.delete(lease.site);
        this.#underWay.delete(visit);
        this.#wake();
      });
    this.#underWay.add(visit);
  }

  /** Gives back a site whose last visit, of a lease that was lost, has not ended yet. */
  async #giveBack(lease: SiteLease): Promise<void> {
    await this.#options.fleet.release(lease, { siteMs: mostIdleMs, addressMs: mostIdleMs, priority: lease.priority });
  }

  async #take(held: Held): Promise<void> {
    const { fleet } = this.#options;
    const { origin } = held.lease;
    const { priority, epoch, stateEpoch: lastVisit } = held.lease;
    const found = await this.#hosts.find(new URL(origin).hostname.replace(/^\[|\]$/g, ""));
    const address = found?.[0];
    const siteMs = this.#visitor.postpone(
      origin,
      found === undefined ? undefined : (address ?? null),
      epoch - lastVisit,
    );
    if (siteMs !== undefined) return void (await fleet.release(held.lease, { siteMs, addressMs: 0, priority }));
    if (address !== undefined && address !== held.lease.address) {
      const [lease] = await fleet.renew([held.lease], new Map([[held.lease.site, address]]));
      // Another worker is at the address.
      if (lease === undefined) return;
      held.lease = lease;
    }
    const { site, stateEpoch, stateBlocks } = held.lease;
    const copy = this.#copies.take(site, stateEpoch);
    const read = await fleet.read(held.lease, { withState: copy === undefined && stateBlocks > 0, handedAtMost });
    if (read === undefined) {
      copy?.remove();
      return this.#lose(held, undefined);
    }
    const file = copy ?? this.#copies.open(site);
    try {
      if (copy === undefined) file.load(read.blocks);
      await this.#visit(held, file, read.handed);
    } catch (error) {
      file.remove();
      if (!isDamage(error)) throw error;
      await this.#setAside(held.lease, error);
    }
  }

  /** Gives back a site whose state is damaged, for long: it must not end one worker after the other. */
  async #setAside(lease: SiteLease, error: TidemarkError): Promise<void> {
    const { fleet, onVisit } = this.#options;
    const { origin: site, priority } = lease;
    const nextAt = this.#visitor.waits ? Number.POSITIVE_INFINITY : this.#timing.now() + damagedMs;
    await fleet.release(lease, this.#nextOf(lease, { counts: undefined, isFailed: true, nextAt, priority }));
    this.#count({ counts: undefined, isFailed: true, nextAt, priority });
    onVisit?.({ site, counts: undefined, error, isLost: false });
  }

  async #visit(held: Held, file: SiteFile, handed: SiteReading["handed"]): Promise<void> {
    const { fleet, onVisit, objects: store } = this.#options;
    const { origin, note, site, epoch } = held.lease;
    const objects = store && { store, writer: { crawl: this.#crawl, epoch } };
    const findings = new VisitFindings();
    const { takeFound, takeLinks } = findings;
    let newest = file.newestChange;
    const keep = async (visit: LeasedVisit | undefined): Promise<boolean> => {
      const next = visit === undefined ? undefined : this.#nextOf(held.lease, visit);
      // At one instant: a state that says that a page was answered is stored with what the page led to, since nobody requests it again.
      const { found, links, settle: settleFindings } = findings.collect();
      const { results, change, settle } = collectResults(file, { visit, next, handed, found, after: newest });
      if (links.length > 0) await this.#keepLinks(links);
      if (!(await fleet.commit(held.lease, results))) return false;
      settle();
      settleFindings();
      this.#counts.handed += found.length;
      this.#counts.links += links.length;
      newest = change;
      return true;
    };
    let storing: Promise<unknown> = Promise.resolve();
    let damage: TidemarkError | undefined;
    const fail = (error: unknown): void => {
      if (isDamage(error)) {
        damage = error;
        this.#halt(held.halt);
      } else this.#fail(error);
    };
    // What is done in a long visit is not done again if this process dies in it.
    const checkpoints = setInterval(
      () => {
        storing = storing.then(async () => this.#mayGoOn(held) && (await keep(undefined))).catch(fail);
      },
      Math.min(mostCheckpointMs, fleet.leaseMs),
    );
    const visit = await this.#visitor
      .visit({
        ...{ origin, note, handed, objects, store: file.store, halt: held.halt.signal, takeFound, takeLinks },
        mayGoOn: () => this.#mayGoOn(held),
        mustEnd: () => this.#mustEnd(held),
      })
      .finally(async () => {
        clearInterval(checkpoints);
        await storing;
      });
    if (damage !== undefined) throw damage;
    if (!(await keep(visit))) {
      file.remove();
      return this.#lose(held, visit.counts);
    }
    this.#copies.leave(site, epoch, file);
    this.#count(visit);
    onVisit?.({ site: origin, counts: visit.counts, error: visit.error, isLost: false });
  }

  #nextOf({ origin, address = "" }: SiteLease, { counts, nextAt, priority }: LeasedVisit): NextVisit {
    const now = this.#timing.now();
    const { politeness, politenessOf } = this.#options;
    const restMs = counts?.requests === 0 ? 0 : restOfAddress(politenessOf?.get(origin) ?? politeness, address);
    const addressMs = Math.max(restMs, this.#means.politeness.restsUntil(origin) - now);
    return { siteMs: Math.max(0, nextAt - now), addressMs, priority };
  }

  #lose({ lease, halt }: Held, counts: LeasedCounts | undefined): void {
    this.#halt(halt);
    this.#counts.lost++;
    this.#visitor.forget();
    this.#options.onVisit?.({ site: lease.origin, counts, isLost: true });
  }

  #count({ counts, isFailed }: LeasedVisit): void {
    this.#counts.visits++;
    if (isFailed) this.#counts.failedVisits++;
    if (counts !== undefined)
      for (const name of Object.keys(counts) as (keyof LeasedCounts)[]) this.#counts[name] += counts[name];
  }

  /** Makes links durable before their pages count as visited; those of visits that end soon after together. */
  async #keepLinks(lines: readonly Parameters<LeasedSite["takeLinks"]>[]): Promise<void> {
    const { links } = this.#options;
    if (links === undefined) return;
    for (const line of lines) links.add(...line);
    this.#flushing ??= new Promise((resolve, reject) => {
      setTimeout(() => {
        this.#flushing = undefined;
        try {
          links.flush();
          resolve();
        } catch (error) {
          reject(error);
        }
      }, gatherMs);
    });
    await this.#flushing;
  }

  /** Waits, or until a visit ends. */
  async #wait(ms: number): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await this.#timing.delay(ms, woken.signal);
    this.#wake = () => undefined;
  }
}

/** Whether the state of a site is damaged: that ends its visit, and no other. */
function isDamage(error: unknown): error is TidemarkError {
  return error instanceof TidemarkError && error.code === "state-corrupt";
}
