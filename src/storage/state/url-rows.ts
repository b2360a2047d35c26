import {
  formatUsage,
  type KeptInterval,
  noUsage,
  type PageTrouble,
  type PageUsage,
  type PollCandidate,
  type Postponement,
  type Settlement,
  type TrackedUrl,
  type UsagePreferences,
  type Validators,
} from "../../core/index.ts";
import { parseContentUsage } from "../../formats/usage/index.ts";
import type { SqlRow } from "../sqlite/over-rows.ts";
import type { KeptBody, RemovedPage } from "./seen-changes.ts";

type Text = string | null;
type Count = number | null;

/** A row of `url`, by {@link urlColumns}. */
export type UrlRow = [
  id: number,
  path: string,
  depth: number,
  lastmod: Text,
  askedLastmod: Text,
  history: Text,
  interval: Text,
  asked: Count,
  due: number,
  trouble: PageTrouble | null,
  strikes: number,
  isUnconfirmed: number,
  isUnread: number,
  rank: number,
  sizeBytes: Count,
  digest: Text,
  lastModified: Count,
  mediaType: Text,
  etag: Text,
  httpModified: Text,
  fetched: Count,
  saidSize: Count,
  saidDigest: Text,
  saidModified: Count,
  saidType: Text,
  usage: Text,
  servedUsage: Text,
  checked: Count,
];

/** The columns of {@link UrlRow}. */
export const urlColumns = `u.id, u.path, u.depth, u.lastmod, u.asked_lastmod, u.history, u.interval, u.asked, u.due,
  u.trouble, u.strikes, u.unconfirmed, u.unread, u.rank, u.size, u.digest, u.modified, u.media_type, u.etag,
  u.http_modified, u.fetched, u.said_size, u.said_digest, u.said_modified, u.said_type, u.usage,
  u.served_usage, u.checked`;

/** A row of `url`, by {@link candidateColumns}. */
export type CandidateRow = [
  id: number,
  path: string,
  asked: Count,
  checked: Count,
  history: Text,
  interval: Text,
  trouble: PageTrouble | null,
  strikes: number,
  lastmod: Text,
  isHeld: number,
];

/** The columns of {@link CandidateRow}. */
export const candidateColumns = `u.id, u.path, u.asked, u.checked, u.history, u.interval, u.trouble, u.strikes, u.lastmod,
  u.size IS NOT NULL AND u.digest IS NOT NULL AND u.modified IS NOT NULL AND u.media_type IS NOT NULL`;

/** Validators from the columns that hold them. */
export function validatorsOf(etag: Text, lastModified: Text): Validators {
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}

/** Preferences from a column that holds them. */
export function usageOf(text: Text): UsagePreferences {
  return text === null ? noUsage : parseContentUsage(text);
}

function pageUsageOf(all: Text, served: Text): PageUsage | undefined {
  return all === null ? undefined : { all: usageOf(all), served: usageOf(served) };
}

/** From here on, `strikes` holds attempts, and the time of the first one times {@link attemptsPerTime}. */
const datedStrikes = 2 ** 40;
const attemptsPerTime = 256;

function strikesOf({ attempts, since }: Omit<Postponement, "state">): number {
  if (since === undefined) return attempts;
  return datedStrikes + since * attemptsPerTime + Math.min(attempts, attemptsPerTime - 1);
}

function postponedOf(trouble: PageTrouble | null, strikes: number): TrackedUrl["postponed"] {
  if (trouble === null) return undefined;
  if (strikes < datedStrikes) return { trouble, attempts: strikes };
  const since = Math.floor((strikes - datedStrikes) / attemptsPerTime);
  return { trouble, attempts: strikes % attemptsPerTime, since };
}

const noHistory: readonly number[] = [];

/** @param isAnnounced - whether it is taken for what is announced of it */
export function urlOf(row: UrlRow, isAnnounced: boolean): TrackedUrl {
  const [id, path, depth, lastmod, askedLastmod, history, interval, asked, dueAt, trouble, strikes, unconfirmed] = row;
  const [, , , , , , , , , , , , unread, rank, size, digest, modified, type, etag, httpModified, fetched] = row;
  const [saidSize, saidDigest, saidModified, saidType] = [row[21], row[22], row[23], row[24]];
  const usage = pageUsageOf(row[25], row[26]);
  const isHeld = size !== null && digest !== null && modified !== null && type !== null;
  const isSaid = isAnnounced && saidModified !== null && saidType !== null;
  return {
    id,
    path,
    depth,
    lastmod: lastmod ?? undefined,
    announced: isSaid
      ? {
          path,
          sizeBytes: saidSize ?? undefined,
          digest: saidDigest ?? undefined,
          lastModified: saidModified,
          mediaType: saidType,
        }
      : undefined,
    held: isHeld ? { path, sizeBytes: size, digest, lastModified: modified, mediaType: type } : undefined,
    validators: validatorsOf(etag, httpModified),
    fullAt: fetched ?? undefined,
    askedAt: asked ?? undefined,
    checkedAt: row[27] ?? undefined,
    askedLastmod: askedLastmod ?? undefined,
    dueAt,
    postponed: postponedOf(trouble, strikes),
    isUnconfirmed: unconfirmed === 1,
    hasUnreadLinks: unread === 1,
    rank,
    history: history === null ? noHistory : (JSON.parse(history) as number[]),
    interval: interval === null ? undefined : (JSON.parse(interval) as KeptInterval),
    ...(usage === undefined ? {} : { usage }),
  };
}

export function candidateOf(row: CandidateRow): PollCandidate {
  const [id, path, asked, checked, history, interval, trouble, strikes, lastmod, isHeld] = row;
  return {
    id,
    path,
    lastmod: lastmod ?? undefined,
    askedAt: asked ?? undefined,
    checkedAt: checked ?? undefined,
    history: history === null ? noHistory : (JSON.parse(history) as number[]),
    interval: interval === null ? undefined : (JSON.parse(interval) as KeptInterval),
    postponed: postponedOf(trouble, strikes),
    isHeld: isHeld === 1,
  };
}

/** What decides whether a URL is still wanted: its path, whether it is held, and what the response stated about its use. */
export type PathRow = [path: string, isHeld: number, served: string | null];

/** What one batch of settlements writes, by statement. */
export interface SettledRows {
  /** Announced pages whose bodies are held as announced. */
  readonly done: SqlRow[];
  readonly answered: SqlRow[];
  readonly postponed: SqlRow[];
  /** Ids of URLs without a body from now on. */
  readonly emptied: number[];
  readonly bodies: KeptBody[];
  readonly removed: RemovedPage[];
  /** URLs of which something else is stated about their use: id, all of it, that of the response. */
  readonly usages: [number, Text, Text][];
}

/** What happens to announced work: null if it is done, "" if there is none. */
function workAfter({ announced }: TrackedUrl, state: string | null): string | null {
  return announced === undefined ? "" : state;
}

/** Whether the announced record stays: for later, or as the one in whose place a body was accepted. */
function keepsRecord(settlement: Settlement): boolean {
  if (settlement.kind === "removed") return settlement.postponed !== undefined;
  if (settlement.url.announced === undefined || settlement.kind !== "answered") return true;
  return settlement.postponed !== undefined || settlement.isAccepted === true;
}

const noTexts: [Text, Text] = [null, null];

function textsOf(usage: PageUsage | undefined): [Text, Text] {
  return usage === undefined ? noTexts : [formatUsage(usage.all) || null, formatUsage(usage.served) || null];
}

/** Sorts settlements into the rows of the statements that store them. */
export function rowsOf(settlements: readonly Settlement[]): SettledRows {
  const rows: SettledRows = { done: [], answered: [], postponed: [], emptied: [], bodies: [], removed: [], usages: [] };
  for (const settlement of settlements) {
    const { url, dueAt } = settlement;
    if (settlement.kind === "postponed") {
      const { state, trouble } = settlement.postponed;
      const known = state === "disallowed" ? state : "known";
      rows.postponed.push([url.id, dueAt, known, trouble, strikesOf(settlement.postponed), workAfter(url, state)]);
      continue;
    }
    const answer = settlement.kind === "answered" ? settlement : undefined;
    if (settlement.kind !== "answered") rows.emptied.push(url.id);
    if (settlement.kind === "removed") rows.removed.push({ path: url.path, reason: settlement.reason });
    if (answer?.page !== undefined) rows.bodies.push({ ...answer.page, held: url.held });
    if (answer?.usage !== undefined) {
      const [all, served] = textsOf(answer.usage);
      const [allBefore, servedBefore] = textsOf(url.usage);
      if (all !== allBefore || served !== servedBefore) rows.usages.push([url.id, all, served]);
    }
    const { etag, lastModified } = answer?.validators ?? {};
    const { page } = answer ?? {};
    const postponed = settlement.kind === "alias" ? undefined : settlement.postponed;
    if (answer !== undefined && !keepsRecord(answer)) {
      rows.done.push([url.id, page?.sizeBytes, page?.digest, etag, lastModified, answer.fullAt, answer.askedAt]);
      continue;
    }
    rows.answered.push([
      url.id,
      page?.sizeBytes,
      page?.digest,
      page?.lastModified,
      page?.mediaType,
      etag,
      lastModified,
      answer === undefined ? settlement.askedAt : answer.fullAt,
      answer === undefined || answer.history.length === 0 ? undefined : JSON.stringify(answer.history),
      answer?.interval === undefined ? undefined : JSON.stringify(answer.interval),
      settlement.askedAt,
      dueAt,
      url.lastmod,
      answer?.isLinkOnly === true ? 1 : 0,
      url.depth,
      settlement.kind === "removed" && postponed === undefined ? null : workAfter(url, postponed?.state ?? null),
      keepsRecord(settlement) ? 1 : 0,
      postponed?.trouble,
      postponed === undefined ? 0 : strikesOf(postponed),
    ]);
  }
  return rows;
}

/**
 * How many more bytes are held after these settlements.
 *
 * @returns undefined if there may be more or fewer URLs of a kind
 */
export function grownBy(settlements: readonly Settlement[]): number | undefined {
  let bytes = 0;
  if (new Set(settlements.map(({ url }) => url.id)).size < settlements.length) return undefined;
  for (const settlement of settlements) {
    if (settlement.kind !== "answered" || settlement.fullAt === undefined) return undefined;
    const { askedAt, fullAt, postponed, held, isUnconfirmed, announced } = settlement.url;
    if (announced !== undefined || isUnconfirmed || askedAt === undefined || fullAt === undefined) return undefined;
    if (postponed?.trouble === "disallowed") return undefined;
    if (settlement.page === undefined) continue;
    if (held === undefined) return undefined;
    bytes += settlement.page.sizeBytes - held.sizeBytes;
  }
  return bytes;
}
