import type { UrlCounts } from "../../../core/index.ts";
import {
  type CrawlSummary,
  type Cursor,
  type EpochMs,
  type FetchOutcome,
  isSiteInTrouble,
  type PassedOver,
} from "../../../core/index.ts";

/** What a request is for. */
export type RequestKind = "metadata" | "page" | "package";

/** Counts what a visit does. */
export class Tally {
  requests = 0;
  pageRequests = 0;
  notModified = 0;
  metadataBytes = 0;
  pageBytes = 0;
  packageBytes = 0;
  /** Pages that came in packages. */
  packedPages = 0;
  created = 0;
  updated = 0;
  deleted = 0;
  failed = 0;
  differing = 0;
  /** Pages that are held and for which a request was made. */
  askedAndHeld = 0;
  /** Polls of pages that are held, those of them that saw a change, and the sum of the times since the polls before. */
  readonly polls = { polled: 0, changed: 0, seconds: 0 };
  /** Pages that are being asked for. */
  pagesUnderWay = 0;
  /** Page requests in a row that found the site in trouble. */
  troublesInARow = 0;

  #isAnswered = false;
  #pageAnswers = 0;
  #refusals = 0;
  #refusalStatus = 0;
  #whyUnanswered: string | undefined;

  /** Whether a request to the site itself was not made, because it wants to be left alone for longer than a visit waits. */
  isPostponed = false;
  /** How many requests that was. */
  unasked = 0;
  /** When that request may be made; of several the last one. */
  postponedUntil: EpochMs = 0;
  /** The same, where it is the site's Crawl-delay that takes so long. */
  isDelayed = false;
  /** End of the rest of an address that the site shares with others, for which a request was not made; 0 if there was none. */
  busyUntil: EpochMs = 0;

  /** Counts one request's outcome. */
  count(outcome: FetchOutcome, of: RequestKind): void {
    this.requests += outcome.requests;
    if (outcome.kind === "failed" && isSiteInTrouble(outcome)) this.#whyUnanswered ??= outcome.message;
    else this.#isAnswered = true;
    if (outcome.kind === "not-modified") this.notModified++;
    if (of === "metadata") {
      this.metadataBytes += outcome.receivedBytes;
      return;
    }
    if (of === "package") {
      this.packageBytes += outcome.receivedBytes;
      return;
    }
    this.pageRequests += outcome.requests;
    this.pageBytes += outcome.receivedBytes;
    this.troublesInARow = isSiteInTrouble(outcome) ? this.troublesInARow + 1 : 0;
    if (outcome.kind !== "failed" || !isSiteInTrouble(outcome)) this.#pageAnswers++;
    if (outcome.kind !== "refused") return;
    this.#refusals++;
    this.#refusalStatus = outcome.status;
  }

  /** Why no request got an answer, whatever it would have said; undefined if one got one, or none was made. */
  get unreachable(): string | undefined {
    return this.#isAnswered ? undefined : this.#whyUnanswered;
  }

  /** How many pages were refused, and with which status the last, if all answers for pages were refusals; else undefined. */
  get refused(): { readonly pages: number; readonly status: number } | undefined {
    if (this.#refusals === 0 || this.#refusals < this.#pageAnswers) return undefined;
    return { pages: this.#refusals, status: this.#refusalStatus };
  }

  /** Takes so many troubles in a row at most for what has happened. */
  forgive(most: number): void {
    this.troublesInARow = Math.min(this.troublesInARow, most);
  }

  /** What the visit came to. */
  summary(
    site: string,
    source: CrawlSummary["source"],
    state: {
      readonly passedOver: readonly PassedOver[];
      readonly cursor: Cursor | undefined;
      readonly counts: Pick<UrlCounts, "held" | "pending" | "disallowed">;
      readonly elapsedMs: number;
      readonly isCutShort: boolean;
    },
  ): CrawlSummary {
    const { passedOver, cursor, counts, elapsedMs, isCutShort } = state;
    return {
      site,
      source,
      passedOver,
      requests: this.requests,
      pageRequests: this.pageRequests,
      notModified: this.notModified,
      metadataBytes: this.metadataBytes,
      pageBytes: this.pageBytes,
      packageBytes: this.packageBytes,
      packedPages: this.packedPages,
      created: this.created,
      updated: this.updated,
      deleted: this.deleted,
      unchanged: Math.max(0, counts.held - this.askedAndHeld),
      failed: this.failed,
      differing: this.differing,
      disallowed: counts.disallowed,
      pending: counts.pending,
      cursor,
      elapsedMs,
      ...(isCutShort ? { isCutShort } : {}),
    };
  }
}
