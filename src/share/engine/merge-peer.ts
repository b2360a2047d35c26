import {
  type Clock,
  type Codec,
  type EpochMs,
  type FetchOutcome,
  omitUndefined,
  type PeerStore,
  parseHttpUrl,
  parseUrl,
  type Requests,
  type Validators,
} from "../../core/index.ts";
import {
  DayFileReader,
  dayFileName,
  dayOf,
  eventIndexField,
  namedPeerField,
  parseShareControl,
  type ShareControl,
} from "../../formats/web-events/index.ts";
import { type ArchivesState, mergeArchives } from "./merge-archives.ts";
import type { PeerCandidates } from "./peer-candidates.ts";
import {
  findKeyProblem,
  findSignatureProblem,
  HeldFile,
  maxSignedBytes,
  type SignedFile,
  signatureKeyOf,
} from "./peer-signatures.ts";
import { summarizeTrust, type TrustSummary } from "./trust/peer-trust.ts";

/** Bounds on what is taken of one peer in one merge. */
export interface MergeBounds {
  /** Most days that are asked for, today included. */
  readonly days: number;
  /** Most bytes of a day's file, decompressed. */
  readonly maxFileBytes: number;
  /** Most events of a day, good or bad. */
  readonly maxEvents: number;
}

/** What a merge with one peer needs. */
export interface MergePorts {
  readonly requests: Requests;
  readonly codec: Codec;
  readonly store: PeerStore;
  readonly now: Clock;
  /** Takes the events. */
  readonly candidates: PeerCandidates;
  readonly isSigned: (file: SignedFile) => boolean;
  /** Whether a peer's key may be another one than it was, or none. @default false */
  readonly isAcceptingKey?: boolean;
}

/** What a merge with one peer came to. */
export interface PeerMerge {
  readonly peer: string;
  /** What it calls itself; undefined if that could not be read. */
  readonly crawler: string | undefined;
  /** Days' files, or archives, that came; those, or their index, that were not modified; days without a file. */
  readonly files: number;
  readonly unmodified: number;
  readonly missing: number;
  readonly events: number;
  /** Records that are no events. */
  readonly bad: number;
  /** Records of another day than their file's, or of the future. */
  readonly misdated: number;
  readonly requests: number;
  /** Web servers of other crawlers that it names. They are asked for nothing unless somebody adds them. */
  readonly named: readonly string[];
  /** How far it is trusted now. */
  readonly trust: TrustSummary;
  /** Bytes of bodies as they came, compressed. */
  readonly receivedBytes: number;
  /**
   * What went wrong first; undefined if nothing did. A merge that ended early is continued by the next; a file beyond the
   * bounds was read up to them at most, and does not come again.
   */
  readonly problem: string | undefined;
}

/** A peer's file of a day may grow until so many days later. */
const overlapDays = 1;
/** Clocks differ. */
const skewSeconds = 300;
const daySeconds = 86_400;
const tooSlow = {
  kind: "failed",
  reason: "timeout",
  message: "the merge takes longer than an hour; the next one goes on from here",
  requests: 0,
  receivedBytes: 0,
} as const;
const maxControlBytes = 64 * 1024;
/** URLs that a peer knows especially well; more are not heeded. */
export const maxSpecial = 100;
/** Other crawlers that a peer names; more are not heeded. */
const maxNamed = 20;
const timeoutMs = 30_000;
/** After this no more is requested of a peer in one merge. */
const maxMergeMs = 3_600_000;

interface PeerState {
  readonly control?: Pick<ShareControl, "crawler" | "repository"> & {
    readonly special?: readonly string[];
    /** Other crawlers that it names. */
    readonly named?: readonly string[];
    readonly validators: Validators;
    /** URL of the index of its archives, if it has some. */
    readonly archives?: string;
  };
  readonly archives?: ArchivesState;
  /** The key that signs its files, as it was first told. */
  readonly key?: string;
  /** The last day up to which everything was merged. */
  readonly mergedTo?: number;
  readonly validators?: Readonly<Record<string, Validators>>;
}

class Merge {
  readonly #peer: string;
  readonly #ports: MergePorts;
  readonly #bounds: MergeBounds;
  #state: PeerState;
  #problem: string | undefined;
  #isFlood = false;
  readonly #startedAt: EpochMs;
  #counts = {
    files: 0,
    unmodified: 0,
    missing: 0,
    events: 0,
    bad: 0,
    misdated: 0,
    requests: 0,
    receivedBytes: 0,
  };

  constructor(peer: string, ports: MergePorts, bounds: MergeBounds) {
    this.#peer = peer;
    this.#ports = ports;
    this.#bounds = bounds;
    this.#startedAt = ports.now();
    this.#state = (ports.store.readPeer(peer) ?? {}) as PeerState;
  }

  async run(signal: AbortSignal | undefined): Promise<PeerMerge> {
    const { candidates } = this.#ports;
    candidates.begin(this.#peer);
    const problem = await this.#readControl(signal);
    const { control } = this.#state;
    candidates.noteSpecial(control?.special ?? []);
    if (problem === undefined && !(control?.archives && (await this.#mergeArchives(control.archives, signal))))
      await this.#mergeDays(signal);
    // One odd record comes again with each file of its day: a wrong clock shows in most.
    if (this.#counts.misdated * 10 > this.#counts.events) candidates.blame("misdated");
    if (this.#isFlood) candidates.blame("flood");
    return {
      peer: this.#peer,
      crawler: this.#state.control?.crawler,
      ...this.#counts,
      named: this.#state.control?.named ?? [],
      trust: summarizeTrust(candidates.trustOf(this.#peer)),
      problem: problem ?? this.#problem,
    };
  }

  /** @returns whether they can be used: otherwise the days' files have the same events */
  async #mergeArchives(url: string, signal: AbortSignal | undefined): Promise<boolean> {
    const now = Math.floor(this.#ports.now() / 1000);
    const { days, maxEvents } = this.#bounds;
    const remember = (archives: ArchivesState): void => {
      this.#state = { ...this.#state, archives };
      this.#ports.store.writePeer(this.#peer, this.#state);
    };
    const { files, isUnmodified, events, bad, problem } = await mergeArchives(
      url,
      this.#state.archives ?? {},
      {
        get: async (of, request) =>
          this.#isLate ? tooSlow : await this.#get(of, { ...request, ...(signal === undefined ? {} : { signal }) }),
        ...{ codec: this.#ports.codec, candidates: this.#ports.candidates, remember },
        findProblem: (of, content) => this.#findSignatureProblem(of, content, signal),
      },
      { since: now - days * daySeconds, latest: now + skewSeconds, maxEvents: maxEvents * days },
    );
    this.#counts.files += files;
    this.#counts.events += events;
    this.#counts.bad += bad;
    if (isUnmodified) this.#counts.unmodified += 1;
    this.#problem ??= problem;
    return problem === undefined || files > 0;
  }

  async #mergeDays(signal: AbortSignal | undefined): Promise<void> {
    const today = dayOf(Math.floor(this.#ports.now() / 1000));
    const { mergedTo } = this.#state;
    const oldest = today - this.#bounds.days + 1;
    const from = mergedTo === undefined ? oldest : Math.max(oldest, Math.min(mergedTo, today) - overlapDays);
    for (let day = from; day <= today && (await this.#mergeDay(day, signal)); day++) {
      this.#remember(day);
      // The first of them were merged before, as far as they went: each merge gets at least one day further.
      if (!this.#isLate || day <= from + overlapDays || day === today) continue;
      this.#problem ??= tooSlow.message;
      return;
    }
  }

  get #isLate(): boolean {
    return this.#ports.now() - this.#startedAt > maxMergeMs;
  }

  async #get(
    url: string,
    request: Pick<Parameters<Requests["get"]>[0], "validators" | "maxBytes" | "sink" | "signal">,
  ) {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    const outcome = await this.#ports.requests.get({ origin, path, timeoutMs, acceptCoding: true, ...request });
    this.#counts.requests += outcome.requests;
    this.#counts.receivedBytes += outcome.receivedBytes;
    return outcome;
  }

  /** @returns why it cannot be used */
  async #readControl(signal: AbortSignal | undefined): Promise<string | undefined> {
    const url = parseUrl("/robots.shr", this.#peer)?.href ?? "";
    const validators = this.#state.control?.validators;
    const outcome = await this.#get(url, {
      ...(validators === undefined ? {} : { validators }),
      ...(signal === undefined ? {} : { signal }),
      maxBytes: maxControlBytes,
    });
    if (outcome.kind === "not-modified") return undefined;
    if (outcome.kind !== "fetched") return `robots.shr: ${describeOutcome(outcome)}`;
    const parsed = parseShareControl(new TextDecoder().decode(outcome.body), url);
    if (!parsed.ok) return `robots.shr: ${parsed.error.message}`;
    const { version, crawler, repository, others } = parsed.value;
    const special = parsed.value.special.slice(0, maxSpecial);
    const named = namedPeersOf(others, this.#peer);
    // "All other peers must use the specific version if possible."
    if (!/^1(?:\.\d{1,3})?$/.test(version))
      return `robots.shr: version ${JSON.stringify(version.slice(0, 20))} is not 1`;
    const { key: known, ...state } = this.#state;
    const key = signatureKeyOf(others);
    const wrong = findKeyProblem(key, this.#ports.isAcceptingKey === true ? key : known);
    if (wrong !== undefined) return `robots.shr: ${wrong}`;
    const archives = archivesOf(others, repository);
    const isMoved = state.control?.repository !== repository;
    this.#state = {
      ...(isMoved ? {} : state),
      ...omitUndefined({ key }),
      control: { crawler, repository, special, named, validators: outcome.validators, ...omitUndefined({ archives }) },
    };
    // Before anything is merged: the next merge holds the peer to it, whatever comes of this one.
    if (key !== known) this.#ports.store.writePeer(this.#peer, this.#state);
    return undefined;
  }

  async #findSignatureProblem(url: string, content: Uint8Array, signal: AbortSignal | undefined) {
    const { key } = this.#state;
    if (key === undefined) return undefined;
    return await findSignatureProblem({ key, url, content }, this.#ports.isSigned, (of, request) =>
      this.#get(of, { ...request, ...omitUndefined({ signal }) }),
    );
  }

  /** @returns whether the merge may go on: otherwise the day comes again at the next */
  async #mergeDay(day: number, signal: AbortSignal | undefined): Promise<boolean> {
    const name = dayFileName(day);
    const { candidates } = this.#ports;
    const latest = Math.floor(this.#ports.now() / 1000) + skewSeconds;
    const bounds = { maxBytes: this.#bounds.maxFileBytes, maxRecords: this.#bounds.maxEvents };
    const reader = new DayFileReader(day, latest, bounds, (event) => candidates.add(event));
    const validators = this.#state.validators?.[day];
    const url = new URL(name, this.#state.control?.repository).href;
    const held = this.#state.key === undefined ? undefined : new HeldFile();
    const outcome = await this.#get(url, {
      ...omitUndefined({ validators, signal }),
      maxBytes: held === undefined ? bounds.maxBytes : Math.min(bounds.maxBytes, maxSignedBytes),
      sink: held ?? reader,
    });
    if (outcome.kind === "not-modified") {
      this.#counts.unmodified += 1;
      return true;
    }
    // "Crawler M has no choice but to accept that no data may be available for that day."
    if (outcome.kind === "gone") {
      this.#counts.missing += 1;
      return true;
    }
    if (held !== undefined && outcome.kind === "fetched") {
      const content = held.content;
      const wrong = await this.#findSignatureProblem(url, content, signal);
      if (wrong !== undefined) {
        this.#problem ??= `${name}: ${wrong}`;
        return false;
      }
      reader.write(content);
    }
    // Records do not depend on each other: what came of a file that broke off counts, and comes again.
    const counts = reader.end(outcome.kind === "fetched");
    candidates.flush();
    this.#counts.events += counts.events;
    this.#counts.bad += counts.bad;
    this.#counts.misdated += counts.misdated;
    if (outcome.kind !== "fetched") {
      this.#problem ??= `${name}: ${describeOutcome(outcome)}`;
      // It would be too large the next time as well.
      return outcome.kind === "failed" && outcome.reason === "too-large";
    }
    this.#counts.files += 1;
    if (counts.isCut) this.#isFlood = true;
    if (counts.isCut) this.#problem ??= `${name}: more than ${bounds.maxRecords} events`;
    this.#state = { ...this.#state, validators: { ...this.#state.validators, [day]: outcome.validators } };
    return true;
  }

  #remember(day: number): void {
    const kept = Object.entries(this.#state.validators ?? {}).filter(([of]) => Number(of) >= day - overlapDays);
    this.#state = { ...this.#state, mergedTo: day, validators: Object.fromEntries(kept) };
    this.#ports.store.writePeer(this.#peer, this.#state);
  }
}

/** Web servers of other crawlers, each once. */
function namedPeersOf(others: ShareControl["others"], peer: string): string[] {
  const urls = others.flatMap(([name, value]) =>
    name.toLowerCase() === namedPeerField ? (parseHttpUrl(value) ?? []) : [],
  );
  const roots = new Set(urls.map(({ origin }) => `${origin}/`));
  roots.delete(peer);
  return [...roots].slice(0, maxNamed);
}

/** They are believed where the days' files are: on the repository's own origin. */
function archivesOf(others: ShareControl["others"], repository: string): string | undefined {
  const [, value] = others.find(([name]) => name.toLowerCase() === eventIndexField) ?? [];
  const url = value === undefined ? undefined : parseUrl(value, repository);
  return url?.origin === new URL(repository).origin ? url.href : undefined;
}

function describeOutcome(outcome: Exclude<FetchOutcome, { kind: "fetched" }>): string {
  return outcome.kind === "failed" ? outcome.message : `the server answered ${outcome.status}`;
}

/**
 * Merges the events that a peer published since the last merge: one request for its `robots.shr`, one a day, each
 * conditional; of a peer with archives, what the cheapest chain from the last merge takes.
 *
 * The peer is remembered after each day, its events before that: whoever is killed in between merges that day again, which
 * changes nothing.
 *
 * @param peer - address of its web server
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 3.2
 */
export async function mergePeer(
  peer: string,
  ports: MergePorts,
  bounds: MergeBounds,
  signal?: AbortSignal,
): Promise<PeerMerge> {
  return await new Merge(peer, ports, bounds).run(signal);
}
