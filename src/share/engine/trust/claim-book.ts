import type { AnsweredClaim, ClaimKind, ClaimStore, EpochSeconds, PeerClaim } from "../../../core/index.ts";
import { judgeClaim } from "./judge-claim.ts";
import {
  allowanceOf,
  type Fault,
  faultOf,
  firstTrust,
  isProven,
  noteActed,
  noteFault,
  noteProof,
  type PeerTrust,
  weightOf,
} from "./peer-trust.ts";

/** What the book of claims needs. */
export interface ClaimPorts {
  readonly store: ClaimStore;
  readonly now: () => EpochSeconds;
  /** From 0 to 1: which promises are checked must not be known in advance. */
  readonly random: () => number;
}

/** What a peer says of a page, before it is decided what is done about it. */
export type Claim = Pick<PeerClaim, "site" | "path" | "kind" | "source" | "polledAt">;

/**
 * What is done about a claim: `probe` requests a page that is said to be the same, `heed` takes it as found the same, but
 * leaves it due.
 */
export type Admission = "act" | "heed" | "probe" | "defer";

/** Claims whose page was never answered are forgotten after this: a week, in seconds. */
const expirySeconds = 7 * 86_400;
const answeredAtATime = 5000;
/** Most claims of a peer that wait. */
const maxWaiting = 1000;
/** One promise of this many of a proven peer is checked. */
const promisesPerProbe = 16;
/** Claims beyond a peer's bounds are acted upon if those who make them are believed so far together. */
const beliefNeeded = 0.75;

const hostOf = (peer: string): string => new URL(peer).hostname;

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/**
 * Decides which claims of peers are acted upon, and keeps account of what became of them.
 *
 * Each claim that moves a visit is remembered until our own answer of that page proves or refutes it. How many may be open
 * depends on what was proved before, so that lies cost few requests. When a claim is proved, the peer that made it first
 * gains trust; when it is refuted, all that made it lose some: who repeats others gains nothing.
 */
export class ClaimBook {
  readonly #ports: ClaimPorts;
  readonly #trust = new Map<string, PeerTrust>();
  readonly #changed = new Set<string>();
  readonly #waiting = new Map<string, number>();
  #open = new Map<string, number>();
  #fresh: PeerClaim[] = [];
  #known = new Map<string, PeerClaim[]>();
  #peer = "";

  constructor(ports: ClaimPorts) {
    this.#ports = ports;
    for (const [peer, state] of ports.store.readTrust().states) this.#trust.set(peer, state as PeerTrust);
    this.#settle();
  }

  /** What is known of a peer. */
  trustOf(peer: string): PeerTrust {
    return this.#trust.get(peer) ?? firstTrust;
  }

  /** The claims that follow are those of this peer. */
  begin(peer: string): void {
    this.#peer = peer;
    if (!this.#trust.has(peer)) this.#set(peer, firstTrust);
  }

  /** Claims of the peer that waited and may be acted upon now; {@link admit} them. */
  takeWaiting(): PeerClaim[] {
    const free = allowanceOf(this.trustOf(this.#peer), "update").open - this.#count(this.#peer, "update");
    const { store } = this.#ports;
    return free <= 0 ? [] : store.findClaims({ waitingOf: this.#peer, limit: Math.min(4 * free, maxWaiting) });
  }

  /** Reads what others claim of pages of a site, before claims about them are admitted. */
  look(site: number, paths: readonly string[]): void {
    this.#known = groupBy(this.#ports.store.findClaims({ site, paths }), ({ path }) => path);
  }

  /** Decides about a claim, and remembers it. */
  admit(claim: Claim): Admission {
    const { site, path, kind } = claim;
    const all = this.#known.get(path) ?? [];
    const own = all.find(({ peer }) => peer === this.#peer);
    const trust = this.trustOf(this.#peer);
    const isPromise = kind === "same";
    if (own?.isOpen && own.kind === kind) {
      if (isPromise) this.#fresh.push({ ...own, polledAt: claim.polledAt });
      // A promise that is repeated would put off the very poll that judges it.
      return isPromise && !isProven(trust) ? "defer" : "act";
    }
    if (isPromise && isProven(trust) && this.#ports.random() * promisesPerProbe >= 1) return "act";
    const isKnown = all.some((other) => other.isOpen && other.kind === kind);
    const isActedOn = (isKnown && !isPromise) || this.#hasRoom(site, kind, trust) || this.#isBelieved(claim, all);
    if (isActedOn) this.#act(site, kind, trust, isKnown);
    else if (isPromise || !this.#mayWait) return "defer";
    else this.#waiting.set(this.#peer, this.#countWaiting() + 1);
    const kept = { ...claim, peer: this.#peer, mergedAt: this.#ports.now(), isOpen: isActedOn };
    this.#fresh.push(kept);
    this.#known.set(path, [...all.filter((other) => other !== own), kept]);
    if (!isActedOn) return "defer";
    if (!isPromise) return "act";
    return isProven(trust) ? "probe" : "heed";
  }

  /**
   * Whether all claims of some kinds about a site are put off, whatever they say, but for pages of which something was claimed
   * before: nobody need look at them.
   */
  putsOff(site: number, kinds: readonly ClaimKind[]): boolean {
    const trust = this.trustOf(this.#peer);
    return kinds.every(
      (kind) => !this.#hasRoom(site, kind, trust) && (kind === "same" ? !isProven(trust) : !this.#mayWait),
    );
  }

  /** Pages of a site of which something was claimed before the last {@link flush}. */
  listClaimed(site: number): ReadonlySet<string> {
    return new Set(this.#ports.store.listClaimed(site));
  }

  /** Notes a fault of the peer that no page proves. */
  blame(fault: Fault): void {
    this.#set(this.#peer, noteFault(this.trustOf(this.#peer), fault, this.#ports.now()));
  }

  /** Makes what was admitted durable, before visits are moved. */
  flush(): void {
    this.#ports.store.keepClaims(this.#fresh);
    this.#fresh = [];
    this.#write([], []);
  }

  #set(peer: string, trust: PeerTrust): void {
    this.#trust.set(peer, trust);
    this.#changed.add(peer);
  }

  #write(done: readonly AnsweredClaim[], withdrawnOf: readonly string[]): void {
    const states = [...this.#changed].map((peer) => [peer, this.trustOf(peer)] as const);
    this.#changed.clear();
    this.#ports.store.settleClaims({ done, states, withdrawnOf });
  }

  /** Compares what was claimed with what was answered since. */
  #settle(): void {
    const { store, now } = this.#ports;
    for (let isMore = true; isMore; ) {
      const some = store.listAnswered(now() - expirySeconds, answeredAtATime);
      isMore = some.length === answeredAtATime;
      const before = new Map(some.map(({ peer }) => [peer, this.trustOf(peer).isQuarantined]));
      const pages = groupBy(some, ({ site, path, kind }) => `${site} ${kind} ${path}`);
      for (const claims of pages.values()) this.#weigh(claims);
      const caught = [...before].filter(([peer, was]) => !was && this.trustOf(peer).isQuarantined);
      this.#write(
        some,
        caught.map(([peer]) => peer),
      );
    }
    this.#open = new Map();
    for (const { peer, site, kind, count } of store.readTrust().open) this.#add(peer, site, kind, count);
  }

  #weigh(claims: readonly AnsweredClaim[]): void {
    const now = this.#ports.now();
    // The oldest come first.
    const [first] = claims;
    for (const claim of claims) {
      const { peer, kind } = claim;
      const verdict = judgeClaim(claim);
      if (verdict === "true" && claim === first) this.#set(peer, noteProof(this.trustOf(peer), now));
      else if (verdict === "false") this.#set(peer, noteFault(this.trustOf(peer), faultOf(kind), now));
    }
  }

  /** Open claims of a peer; updates and deletions count together, new URLs by themselves, and so do promises. */
  #count(peer: string, kind: ClaimKind, site?: number): number {
    return this.#open.get(`${kind === "delete" ? "update" : kind} ${site ?? ""} ${peer}`) ?? 0;
  }

  #add(peer: string, site: number, kind: ClaimKind, count: number): void {
    for (const of of [undefined, site]) {
      const key = `${kind === "delete" ? "update" : kind} ${of ?? ""} ${peer}`;
      this.#open.set(key, (this.#open.get(key) ?? 0) + count);
    }
  }

  #hasRoom(site: number, kind: ClaimKind, trust: PeerTrust): boolean {
    const { open, perSite, perDay } = allowanceOf(trust, kind);
    const today = Math.floor(this.#ports.now() / 86_400);
    if (trust.acted.day === today && trust.acted.count >= perDay) return false;
    return this.#count(this.#peer, kind) < open && this.#count(this.#peer, kind, site) < perSite;
  }

  /** Peers of one host, and those that pass on what one crawler saw, are one voice. */
  #isBelieved({ kind, source }: Claim, all: readonly PeerClaim[]): boolean {
    if (kind === "same") return false;
    const [hosts, sources] = [new Set([hostOf(this.#peer)]), new Set([source])];
    let doubt = 1 - weightOf(this.trustOf(this.#peer));
    for (const other of all) {
      if (other.kind !== kind || hosts.has(hostOf(other.peer)) || sources.has(other.source)) continue;
      hosts.add(hostOf(other.peer));
      sources.add(other.source);
      doubt *= 1 - weightOf(this.trustOf(other.peer));
    }
    return hosts.size > 1 && 1 - doubt >= beliefNeeded;
  }

  /** What others claimed before is requested anyway: it takes no room. */
  #act(site: number, kind: ClaimKind, trust: PeerTrust, isKnown: boolean): void {
    if (isKnown) return;
    this.#add(this.#peer, site, kind, 1);
    this.#set(this.#peer, noteActed(trust, Math.floor(this.#ports.now() / 86_400)));
  }

  get #mayWait(): boolean {
    return this.#countWaiting() < maxWaiting;
  }

  #countWaiting(): number {
    const { store } = this.#ports;
    const waiting =
      this.#waiting.get(this.#peer) ?? store.findClaims({ waitingOf: this.#peer, limit: maxWaiting }).length;
    this.#waiting.set(this.#peer, waiting);
    return waiting;
  }
}
