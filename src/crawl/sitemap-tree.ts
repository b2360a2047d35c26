import { maxSitemapBytes, PageListReader, robotsAllow, type SitemapEntry } from "../format/index.ts";
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
} from "../model/index.ts";
import { OtherHosts } from "./other-hosts.ts";
import { describeOutcome, getPatiently } from "./patient-request.ts";
import { throwIfAborted, warn } from "./reading-visit.ts";
import { readSharedTags, withoutShared } from "./shared-tags.ts";
import type { SourceVisit } from "./source.ts";

/** sitemaps.org allows one index above a sitemap; some systems have two. */
const maxDepth = 2;
/** Sitemaps that are read at most, indexes counted. */
const maxSitemaps = 10_000;
/** Compressed more than this, it is no sitemap. */
const maxPackedBytes: number = maxSitemapBytes + 1024;
const pieceBytes = 64 * 1024;
/** Of all indexes together so much is remembered of what they name; of others nothing is, and they are read each time. */
const maxRememberedCharacters = 8 * 1024 * 1024;
/** So many sitemaps that are passed over are told one by one. */
const maxToldRefusals = 20;
const isWeb = /^https?:$/;

/** What is remembered of a sitemap: enough to see that it is as it was. */
export interface SitemapCopy {
  readonly validators: Validators;
  /** Of an index: the sitemaps that it names. */
  readonly children: readonly string[];
  /** Mark of the list of what it names. */
  readonly mark: number;
}

/** What reading the sitemaps of a site came to. */
export interface SitemapTreeLook {
  readonly copies: Readonly<Record<string, SitemapCopy>>;
  /** Whether every sitemap was read to its end; one that is unchanged counts as read. */
  readonly isComplete: boolean;
  /** Sitemaps that were read anew. */
  readonly read: number;
  readonly unchanged: number;
  /** Why the first sitemap that was asked for could not be used. */
  readonly firstProblem: Problem | undefined;
}

interface Awaited {
  readonly url: string;
  readonly depth: number;
}

/** Takes what sitemaps say of pages. */
export interface SitemapSink {
  /** A sitemap begins; gives the mark of its list. */
  begin(): number;
  /** Takes what it says, in its order, some thousand pages at a time. */
  take(entries: readonly SitemapEntry[], mark: number): void;
}

/**
 * Reads the sitemaps of a site and those that their indexes name: XML, gzip'd XML, plain text, RSS and Atom. One that
 * the server says is unchanged is not read again. Memory: one sitemap.
 *
 * @see sitemaps.org/protocol
 */
export class SitemapTree {
  readonly #visit: SourceVisit;
  readonly #known: Readonly<Record<string, SitemapCopy>>;
  readonly #sink: SitemapSink;
  readonly #sharedTags: ReadonlySet<string>;
  readonly #hosts: OtherHosts;
  readonly #todo: Awaited[] = [];
  readonly #seen = new Set<string>();
  readonly #copies: Record<string, SitemapCopy> = {};
  #read = 0;
  #unchanged = 0;
  #isComplete = true;
  #rememberedCharacters = 0;
  #refusals = 0;
  #firstProblem: Problem | undefined;

  constructor(visit: SourceVisit, known: Readonly<Record<string, SitemapCopy>>, sink: SitemapSink) {
    this.#visit = visit;
    this.#known = known;
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
      const outcome = await this.#readOne(next);
      if (outcome.ok) continue;
      this.#isComplete = false;
      this.#firstProblem ??= outcome.error;
      if (next.depth > 0) this.#warn(outcome.error.code, `The sitemap ${excerpt(next.url)}: ${outcome.error.message}.`);
    }
    if (this.#refusals > maxToldRefusals)
      warn(this.#visit, "sitemaps-passed-over", `${this.#refusals - maxToldRefusals} more sitemaps are passed over.`);
    return {
      copies: this.#copies,
      isComplete: this.#isComplete,
      read: this.#read,
      unchanged: this.#unchanged,
      firstProblem: this.#firstProblem,
    };
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
    for (const child of children) {
      const refusal = this.#await(child, depth + 1, url);
      if (refusal === undefined) continue;
      this.#isComplete = false;
      this.#warn(refusal.code, `A sitemap is passed over: ${refusal.message}.`);
    }
    this.#read += 1;
    this.#remember(url, { validators: outcome.validators, children: children.slice(0, maxSitemaps), mark });
    return ok(undefined);
  }

  #remember(url: string, copy: SitemapCopy): void {
    const characters = copy.children.reduce((sum, child) => sum + child.length, 0);
    const isRemembered = this.#rememberedCharacters + characters <= maxRememberedCharacters;
    if (isRemembered) this.#rememberedCharacters += characters;
    this.#copies[url] = isRemembered ? copy : { validators: {}, children: [], mark: copy.mark };
  }

  #warn(code: string, message: string): void {
    this.#refusals += 1;
    if (this.#refusals <= maxToldRefusals) warn(this.#visit, code, message);
  }

  #parse(content: Uint8Array, children: string[], mark: number): Result<undefined> {
    const reader = new PageListReader();
    const take = (entries: readonly SitemapEntry[]): void => {
      if (reader.kind === "sitemapindex") children.push(...entries.map(({ location }) => location));
      else if (entries.length > 0) this.#sink.take(entries, mark);
    };
    for (let at = 0; at < content.length && reader.problem === undefined; at += pieceBytes)
      take(reader.write(content.subarray(at, at + pieceBytes)));
    take(reader.end());
    // A feed names the newest pages; what it does not name is there all the same.
    if (reader.kind === "rss" || reader.kind === "rdf" || reader.kind === "atom") this.#isComplete = false;
    return reader.problem === undefined ? ok(undefined) : { ok: false, error: reader.problem };
  }
}
