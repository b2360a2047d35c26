import {
  confirmValidators,
  excerpt,
  ok,
  type Problem,
  parseUrl,
  problem,
  type Result,
  type Validators,
} from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { maxSitemapBytes, PageListReader, type SitemapEntry } from "../../../formats/sitemap/index.ts";
import { throwIfAborted, warn } from "../visit/reading-visit.ts";
import { readSharedTags, withoutShared } from "../visit/shared-tags.ts";
import type { SourceVisit } from "./crawl-visit.ts";
import { decodeDocument, readDocument, readEntries } from "./document.ts";
import { OtherHosts } from "./robots-rules.ts";

/** sitemaps.org allows one index above a sitemap; some sites have two. */
const maxDepth = 2;
/** Most sitemaps that are read, including indexes. */
const maxSitemaps = 10_000;
/** As received; a sitemap need not be compressed. */
const maxPackedBytes: number = maxSitemapBytes + 1024;
/** Most characters of URLs remembered of all indexes together; an index beyond that is read each time. */
const maxRememberedCharacters = 4 * 1024 * 1024;
/** Skipped sitemaps that are reported one by one. */
const maxToldRefusals = 20;
/** After this many failures in a row the rest is left to another visit. */
const maxUnavailable = 10;
/** Progress is made durable after this many sitemaps, or this long. */
const mostUnsaved = 50;
const saveEveryMs = 1000;
const maxWhyCharacters = 300;
const isWeb = /^https?:$/;

/** What is remembered of a sitemap, to recognise that it is unchanged. */
export interface SitemapCopy {
  readonly validators: Validators;
  /** Of an index: the sitemaps that it names. */
  readonly children: readonly string[];
  /** Identifies the list of what it names. */
  readonly mark: number;
  /** Number of the round in which it was last read; earlier versions did not save it. */
  readonly round?: number;
  /** Whether there may be more than it names: it is a feed, or names sitemaps that are not read. */
  readonly isOpen?: boolean;
  /** Digest of its content, where the same content at the same URL says the same at any time. */
  readonly digest?: string;
}

/** One reading of all sitemaps of a site; it may take several visits. */
export interface SitemapRound {
  readonly number: number;
  /** Sitemaps that could not be used, by URL. */
  readonly failed: Readonly<Record<string, Problem>>;
}

/** How far a reading came. */
export interface SitemapProgress {
  readonly copies: Readonly<Record<string, SitemapCopy>>;
  readonly failed: Readonly<Record<string, Problem>>;
}

/** Result of reading the sitemaps of a site. */
export interface SitemapTreeLook extends SitemapProgress {
  /** Whether sitemaps are left for another visit. */
  readonly isPartial: boolean;
  /** Whether that is because so many failed. */
  readonly isInTrouble: boolean;
  /** Whether every sitemap was read to its end, or is unchanged. */
  readonly isComplete: boolean;
  /** Sitemaps that were read in this visit. */
  readonly read: number;
  readonly unchanged: number;
  /** Why the first sitemap could not be used. */
  readonly firstProblem: Problem | undefined;
}

interface Awaited {
  readonly url: string;
  readonly depth: number;
}

function charactersOf({ children }: SitemapCopy): number {
  return children.reduce((sum, child) => sum + child.length, 0);
}

/** Receives the entries of sitemaps. */
export interface SitemapSink {
  /** Begins a list. @returns its mark */
  begin(): number;
  /**
   * Takes entries of a list in their order, some thousand at a time.
   *
   * @param list - its URL, after redirects
   * @returns whether they say the same at any time
   */
  take(entries: readonly SitemapEntry[], mark: number, list: string): boolean;
  /** Makes the progress durable, so that a killed visit can be continued. */
  save(progress: SitemapProgress): void;
}

/**
 * Reads the sitemaps of a site and those that their indexes name: XML, gzip'd XML, plain text, RSS and Atom. Unchanged
 * ones (304, or the same content) are not read again, and within a round each is requested once, also by different visits. Memory: one sitemap.
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
   * @param roots - URLs of the first sitemaps, also on other hosts if the site's robots.txt names them; those that an index
   *   names must be on its host or on the site's own (sitemaps.org/protocol, "Sitemaps & Cross Submits")
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
      const { tally } = this.#visit;
      const { unasked } = tally;
      const outcome = await this.#readOne(next);
      if (!outcome.ok) throwIfAborted(this.#visit);
      if (!outcome.ok && tally.unasked > unasked) {
        this.#firstProblem ??= outcome.error;
        this.#isPartial = true;
        break;
      }
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

  /** Whether a sitemap was read, or failed, earlier in this round; what it names is awaited then. */
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
    // This may be over at the next visit.
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

  /** What is known by now, and as far as there is room what was known of sitemaps that this visit did not reach. */
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
    const validators = known && withoutShared(known.validators, this.#sharedTags);
    const answer = await readDocument(host.value, { path, maxBytes: maxPackedBytes, validators });
    if (answer.kind === "not-modified" && known !== undefined) {
      const copy = { ...known, validators: confirmValidators(known.validators, answer.validators) };
      return this.#keep({ url, depth }, copy);
    }
    if (answer.kind !== "fetched") {
      const unavailable = origin === this.#visit.origin ? "site-unavailable" : "host-unavailable";
      return problem(answer.kind === "trouble" ? unavailable : "no-sitemap", answer.message);
    }
    const content = decodeDocument(this.#visit, answer);
    if (!content.ok) return content;
    // Many servers give generated sitemaps no validators.
    const digest = answer.finalPath === path ? this.#visit.ports.codec.digestOf(content.value) : undefined;
    if (digest !== undefined && digest === known?.digest)
      return this.#keep({ url, depth }, { ...known, validators: answer.validators });
    const children: string[] = [];
    const mark = this.#sink.begin();
    const reader = new PageListReader();
    let isTimeless = true;
    const read = await readEntries<SitemapEntry>(this.#visit, content.value, reader, (entries) => {
      if (reader.kind === "sitemapindex") children.push(...entries.map(({ location }) => location));
      else if (entries.length > 0 && !this.#sink.take(entries, mark, origin + answer.finalPath)) isTimeless = false;
    });
    if (!read.ok) return read;
    // A feed names only the newest pages.
    let isOpen = reader.kind === "rss" || reader.kind === "rdf" || reader.kind === "atom";
    for (const child of children) {
      const refusal = this.#await(child, depth + 1, url);
      if (refusal === undefined) continue;
      isOpen = true;
      this.#warn(refusal.code, `A sitemap is skipped: ${refusal.message}.`);
    }
    this.#read += 1;
    if (isOpen) this.#isComplete = false;
    const copy = { validators: answer.validators, children: children.slice(0, maxSitemaps), mark };
    this.#remember(url, {
      ...copy,
      ...(isOpen ? { isOpen } : {}),
      ...(isTimeless && digest !== undefined ? { digest } : {}),
    });
    return ok(undefined);
  }

  /** Keeps what is remembered of a sitemap that is unchanged. */
  #keep({ url, depth }: Awaited, copy: SitemapCopy): Result<undefined> {
    this.#unchanged += 1;
    if (copy.isOpen === true) this.#isComplete = false;
    this.#remember(url, copy);
    for (const child of copy.children) this.#await(child, depth + 1, url);
    return ok(undefined);
  }

  #remember(url: string, copy: SitemapCopy): void {
    const characters = charactersOf(copy);
    const isRemembered = this.#rememberedCharacters + characters <= maxRememberedCharacters;
    if (isRemembered) this.#rememberedCharacters += characters;
    const { number } = this.#round;
    // One whose children are not remembered is read again, even within a round.
    this.#copies[url] = isRemembered
      ? { ...copy, round: number }
      : { validators: {}, children: [], mark: copy.mark, isOpen: copy.isOpen === true };
  }

  #warn(code: string, message: string): void {
    this.#refusals += 1;
    if (this.#refusals <= maxToldRefusals) warn(this.#visit, code, message);
  }
}
