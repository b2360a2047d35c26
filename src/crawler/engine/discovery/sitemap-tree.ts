import {
  confirmValidators,
  excerpt,
  isLasting,
  ok,
  type Problem,
  parseUrl,
  problem,
  type Result,
  type Validators,
} from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { maxSitemapBytes, PageListReader, type SitemapEntry } from "../../../formats/sitemap/index.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import { throwIfAborted, warn } from "../visit/reading-visit.ts";
import { readSharedTags, withoutShared } from "../visit/shared-tags.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import { OtherHosts } from "./other-hosts.ts";

/** sitemaps.org allows one index above a sitemap; some systems have two. */
const maxDepth = 2;
/** Sitemaps that are read at most, indexes counted. */
const maxSitemaps = 10_000;
/** Compressed more than this, it is no sitemap. */
const maxPackedBytes: number = maxSitemapBytes + 1024;
const pieceBytes = 64 * 1024;
/** Of all indexes together so much is remembered of what they name; of others nothing is, and they are read each time. */
const maxRememberedCharacters = 4 * 1024 * 1024;
/** So many sitemaps that are passed over are told one by one. */
const maxToldRefusals = 20;
/** After so many in a row that could not be had, the rest is left to another visit. */
const maxUnavailable = 10;
/** How far a reading came is made durable after so many sitemaps, or so long. */
const mostUnsaved = 50;
const saveEveryMs = 1000;
const maxWhyCharacters = 300;
const isWeb = /^https?:$/;

/** What is remembered of a sitemap: enough to see that it is as it was. */
export interface SitemapCopy {
  readonly validators: Validators;
  /** Of an index: the sitemaps that it names. */
  readonly children: readonly string[];
  /** Mark of the list of what it names. */
  readonly mark: number;
  /** Number of the round in which it was read last; earlier versions did not note it. */
  readonly round?: number;
  /** Whether it is a feed, or names sitemaps that are not read: there is more than it says. */
  readonly isOpen?: boolean;
}

/** One reading of all sitemaps of a site, which may take several visits. */
export interface SitemapRound {
  readonly number: number;
  /** Sitemaps that could not be used in it, by URL. */
  readonly failed: Readonly<Record<string, Problem>>;
}

/** How far a reading came. */
export interface SitemapProgress {
  readonly copies: Readonly<Record<string, SitemapCopy>>;
  readonly failed: Readonly<Record<string, Problem>>;
}

/** What reading the sitemaps of a site came to. */
export interface SitemapTreeLook extends SitemapProgress {
  /** Whether the visit left sitemaps to another, or to a later look. */
  readonly isPartial: boolean;
  /** Whether it did because so many could not be had. */
  readonly isInTrouble: boolean;
  /** Whether every sitemap was read to its end; one that is unchanged counts as read. */
  readonly isComplete: boolean;
  /** Sitemaps that were read anew in this visit. */
  readonly read: number;
  readonly unchanged: number;
  /** Why the first sitemap that was asked for could not be used. */
  readonly firstProblem: Problem | undefined;
}

interface Awaited {
  readonly url: string;
  readonly depth: number;
}

function charactersOf({ children }: SitemapCopy): number {
  return children.reduce((sum, child) => sum + child.length, 0);
}

/** Takes what sitemaps say of pages. */
export interface SitemapSink {
  /** A sitemap begins; gives the mark of its list. */
  begin(): number;
  /** Takes what it says, in its order, some thousand pages at a time. */
  take(entries: readonly SitemapEntry[], mark: number): void;
  /** Makes durable how far the reading came, so that a visit that is killed is gone on with. */
  save(progress: SitemapProgress): void;
}

/**
 * Reads the sitemaps of a site and those that their indexes name: XML, gzip'd XML, plain text, RSS and Atom. One that
 * the server says is unchanged is not read again. What was read in this round is not asked for again, also by another visit.
 * Memory: one sitemap.
 *
 * @see sitemaps.org/protocol
 */
export class SitemapTree {
  readonly #visit: SourceVisit;
  readonly #known: Readonly<Record<string, SitemapCopy>>;
  readonly #round: SitemapRound;
  readonly #sink: SitemapSink;
  readonly #sharedTags: ReadonlySet<string>;
  readonly #hosts: OtherHosts;
  readonly #todo: Awaited[] = [];
  readonly #seen = new Set<string>();
  readonly #copies: Record<string, SitemapCopy> = {};
  readonly #failed: Record<string, Problem>;
  #failures: number;
  #unsaved = 0;
  #savedAt: number;
  #unavailable = 0;
  #isPartial = false;
  #read = 0;
  #unchanged = 0;
  #isComplete = true;
  #rememberedCharacters = 0;
  #refusals = 0;
  #firstProblem: Problem | undefined;

  constructor(
    visit: SourceVisit,
    known: Readonly<Record<string, SitemapCopy>>,
    round: SitemapRound,
    sink: SitemapSink,
  ) {
    this.#visit = visit;
    this.#known = known;
    this.#round = round;
    this.#failed = { ...round.failed };
    this.#failures = Object.keys(round.failed).length;
    this.#savedAt = visit.ports.timing.now();
    this.#sink = sink;
    this.#sharedTags = readSharedTags(visit.ports.memory);
    this.#hosts = new OtherHosts(visit);
  }

  /**
   * @param roots - URLs of the first sitemaps. They may lie on other hosts, if the site's own robots.txt says so; those that an index
   *   names lie on its host or on the site's own (sitemaps.org/protocol, "Sitemaps & Cross Submits").
   */
  async read(roots: readonly string[]): Promise<SitemapTreeLook> {
    for (const url of roots) {
      const refusal = this.#await(url, 0, undefined);
      if (refusal !== undefined) this.#firstProblem ??= refusal;
    }
    for (let next = this.#todo.shift(); next !== undefined; next = this.#todo.shift()) {
      throwIfAborted(this.#visit);
      if (this.#recall(next)) continue;
      if (this.#unavailable >= maxUnavailable || !this.#visit.mayReadList()) {
        this.#isPartial = true;
        break;
      }
      const outcome = await this.#readOne(next);
      if (outcome.ok) this.#unavailable = 0;
      else this.#fail(next, outcome.error);
      this.#saveSometimes();
    }
    if (this.#refusals > maxToldRefusals)
      warn(this.#visit, "sitemaps-passed-over", `${this.#refusals - maxToldRefusals} more sitemaps are skipped.`);
    return {
      copies: this.#isPartial ? this.#allCopies() : this.#copies,
      failed: this.#failed,
      isPartial: this.#isPartial,
      isInTrouble: this.#unavailable >= maxUnavailable,
      isComplete: this.#isComplete && !this.#isPartial,
      read: this.#read,
      unchanged: this.#unchanged,
      firstProblem: this.#firstProblem,
    };
  }

  /** Whether a sitemap was read in this round, or could not be used; what it names is awaited then. */
  #recall({ url, depth }: Awaited): boolean {
    const failure = this.#failed[url];
    if (failure !== undefined) {
      this.#isComplete = false;
      this.#firstProblem ??= failure;
      return true;
    }
    const known = this.#known[url];
    if (known === undefined || known.round !== this.#round.number) return false;
    const characters = this.#rememberedCharacters + charactersOf(known);
    if (characters > maxRememberedCharacters) return false;
    this.#rememberedCharacters = characters;
    this.#unchanged += 1;
    if (known.isOpen === true) this.#isComplete = false;
    this.#copies[url] = known;
    for (const child of known.children) this.#await(child, depth + 1, url);
    return true;
  }

  #fail({ url, depth }: Awaited, error: Problem): void {
    this.#isComplete = false;
    this.#firstProblem ??= error;
    // What is in trouble today may not be in the next visit.
    if (error.code === "site-unavailable" || error.code === "host-unavailable") this.#unavailable += 1;
    else if (this.#failures++ < maxSitemaps)
      this.#failed[url] = { code: error.code, message: error.message.slice(0, maxWhyCharacters) };
    if (depth > 0) this.#warn(error.code, `The sitemap ${excerpt(url)}: ${error.message}.`);
  }

  #saveSometimes(): void {
    const now = this.#visit.ports.timing.now();
    this.#unsaved += 1;
    if (this.#unsaved < mostUnsaved && now - this.#savedAt < saveEveryMs) return;
    this.#unsaved = 0;
    this.#savedAt = now;
    this.#sink.save({ copies: this.#allCopies(), failed: this.#failed });
  }

  /** What this look knows, and what others knew of sitemaps that it did not come to, as far as there is room. */
  #allCopies(): Record<string, SitemapCopy> {
    const all = { ...this.#copies };
    let room = maxSitemaps - Object.keys(all).length;
    let characters = this.#rememberedCharacters;
    for (const [url, copy] of Object.entries(this.#known)) {
      if (all[url] !== undefined) continue;
      characters += charactersOf(copy);
      if (--room < 0 || characters > maxRememberedCharacters) break;
      all[url] = copy;
    }
    return all;
  }

  /** @param parent - the index that names it */
  #await(text: string, depth: number, parent: string | undefined): Problem | undefined {
    const url = parseUrl(text, parent ?? this.#visit.origin);
    const isNear = parent === undefined || url?.origin === this.#visit.origin || url?.origin === new URL(parent).origin;
    if (url === undefined || !isNear || !isWeb.test(url.protocol) || url.username !== "" || url.password !== "")
      return { code: "other-origin", message: `not a sitemap of ${this.#visit.origin}: ${excerpt(text)}` };
    url.hash = "";
    if (this.#seen.has(url.href)) return undefined;
    if (depth > maxDepth) return { code: "too-deep", message: `more than ${maxDepth} indexes above ${excerpt(text)}` };
    if (this.#seen.size >= maxSitemaps)
      return { code: "too-many", message: `more sitemaps than are read: ${excerpt(text)}` };
    this.#seen.add(url.href);
    this.#todo.push({ url: url.href, depth });
    return undefined;
  }

  async #readOne({ url, depth }: Awaited): Promise<Result<undefined>> {
    const { pathname, search, origin } = new URL(url);
    const path = pathname + search;
    const host = await this.#hosts.visitOf(origin);
    if (!host.ok) return host;
    if (!robotsAllow(host.value.robots, host.value.agent, path)) return problem("disallowed", "robots.txt forbids it");
    const known = this.#known[url];
    const outcome = await getPatiently(host.value, "metadata", () => ({
      path,
      maxBytes: maxPackedBytes,
      maxRedirects: 5,
      ...(known === undefined ? {} : { validators: withoutShared(known.validators, this.#sharedTags) }),
    }));
    if (outcome.kind === "not-modified" && known !== undefined) {
      this.#unchanged += 1;
      if (known.isOpen === true) this.#isComplete = false;
      this.#remember(url, { ...known, validators: confirmValidators(known.validators, outcome.validators) });
      for (const child of known.children) this.#await(child, depth + 1, url);
      return ok(undefined);
    }
    if (outcome.kind !== "fetched") {
      const isAbsent = outcome.kind === "gone" || (outcome.kind !== "postponed" && isLasting(outcome));
      const unavailable = origin === this.#visit.origin ? "site-unavailable" : "host-unavailable";
      return problem(isAbsent ? "no-sitemap" : unavailable, describeOutcome(outcome));
    }
    const { codec } = this.#visit.ports;
    const coded =
      outcome.contentEncoding === undefined || outcome.contentEncoding === "identity"
        ? ok(outcome.body)
        : codec.decode(outcome.body, outcome.contentEncoding, maxPackedBytes);
    const content = coded.ok ? codec.unpack(coded.value, maxSitemapBytes) : coded;
    if (!content.ok) return content;
    const children: string[] = [];
    const mark = this.#sink.begin();
    const parsed = this.#parse(content.value, children, mark);
    if (!parsed.ok) return parsed;
    let isOpen = parsed.value.isFeed;
    for (const child of children) {
      const refusal = this.#await(child, depth + 1, url);
      if (refusal === undefined) continue;
      isOpen = true;
      this.#warn(refusal.code, `A sitemap is skipped: ${refusal.message}.`);
    }
    this.#read += 1;
    if (isOpen) this.#isComplete = false;
    const { validators } = outcome;
    this.#remember(url, { validators, children: children.slice(0, maxSitemaps), mark, ...(isOpen ? { isOpen } : {}) });
    return ok(undefined);
  }

  #remember(url: string, copy: SitemapCopy): void {
    const characters = charactersOf(copy);
    const isRemembered = this.#rememberedCharacters + characters <= maxRememberedCharacters;
    if (isRemembered) this.#rememberedCharacters += characters;
    const { number } = this.#round;
    // One whose children are not remembered is read again also within a round.
    this.#copies[url] = isRemembered
      ? { ...copy, round: number }
      : { validators: {}, children: [], mark: copy.mark, isOpen: copy.isOpen === true };
  }

  #warn(code: string, message: string): void {
    this.#refusals += 1;
    if (this.#refusals <= maxToldRefusals) warn(this.#visit, code, message);
  }

  #parse(content: Uint8Array, children: string[], mark: number): Result<{ readonly isFeed: boolean }> {
    const reader = new PageListReader();
    const take = (entries: readonly SitemapEntry[]): void => {
      if (reader.kind === "sitemapindex") children.push(...entries.map(({ location }) => location));
      else if (entries.length > 0) this.#sink.take(entries, mark);
    };
    for (let at = 0; at < content.length && reader.problem === undefined; at += pieceBytes)
      take(reader.write(content.subarray(at, at + pieceBytes)));
    take(reader.end());
    // A feed names the newest pages; what it does not name is there all the same.
    const isFeed = reader.kind === "rss" || reader.kind === "rdf" || reader.kind === "atom";
    return reader.problem === undefined ? ok({ isFeed }) : { ok: false, error: reader.problem };
  }
}
