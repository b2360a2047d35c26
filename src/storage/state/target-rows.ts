import type { KeptInterval, PageTrouble, TargetSettlement, TrackedUrl } from "../../core/index.ts";
import type { KeptBody, RemovedPage } from "./seen-changes.ts";
import { validatorsOf } from "./site-memory.ts";

type Text = string | null;
type Count = number | null;
/** A target and the page that is held of it, by `targetColumns`. */
export type TargetRow = [
  number,
  string,
  number,
  Text,
  Text,
  Text,
  Text,
  string,
  Count,
  Count,
  number,
  PageTrouble | null,
  number,
  number,
  Text,
  Count,
  Text,
  Count,
  Text,
  number,
  Text,
  Text,
  number,
  number,
];

/** Of `target t` and `page p`, in the order of a row. */
export const targetColumns = `t.id, t.path, t.depth, t.lastmod, t.asked_lastmod, t.etag, t.modified, t.history, t.asked, t.full, t.due,
  t.trouble, t.strikes, t.is_passage, t.interval, p.size, p.digest, p.modified, p.media_type, t.rank,
  p.etag, p.http_modified, t.unconfirmed, t.unread`;

/** What a row says of a target. */
export function targetOf(row: TargetRow): TrackedUrl {
  const [
    id,
    path,
    depth,
    lastmod,
    askedLastmod,
    etag,
    modified,
    history,
    asked,
    full,
    due,
    trouble,
    attempts,
    isLinkOnly,
    interval,
  ] = row;
  const [sizeBytes, digest, lastModified, mediaType] = row.slice(15) as [Count, Text, Count, Text];
  const [rank, heldEtag, heldModified, isUnconfirmed, isUnread] = row.slice(19) as [number, Text, Text, number, number];
  const isHeld = sizeBytes !== null && digest !== null && lastModified !== null && mediaType !== null;
  return {
    id,
    path,
    depth,
    lastmod: lastmod ?? undefined,
    askedLastmod: askedLastmod ?? undefined,
    // Of a body that is not there any more they would bring nothing but a 304.
    validators: isHeld ? validatorsOf(heldEtag, heldModified) : isLinkOnly === 1 ? validatorsOf(etag, modified) : {},
    isUnconfirmed: isUnconfirmed === 1,
    hasUnreadLinks: isUnread === 1,
    held: isHeld ? { path, sizeBytes, digest, lastModified, mediaType } : undefined,
    rank,
    history: JSON.parse(history) as number[],
    interval: interval === null ? undefined : (JSON.parse(interval) as KeptInterval),
    askedAt: asked ?? undefined,
    fullAt: full ?? undefined,
    dueAt: due,
    postponed: trouble === null ? undefined : { trouble, attempts },
  };
}

/** What one batch of settlements writes, by statement. */
export interface TargetRows {
  readonly kept: unknown[];
  /** Validators of bodies that stay as they are. */
  readonly confirmed: unknown[];
  readonly answered: unknown[];
  readonly postponed: unknown[];
  readonly bodies: KeptBody[];
  readonly removed: RemovedPage[];
}

/** Sorts settlements into the rows of the statements that make them durable. */
export function rowsOf(settlements: readonly TargetSettlement[]): TargetRows {
  const rows: TargetRows = { kept: [], confirmed: [], answered: [], postponed: [], bodies: [], removed: [] };
  for (const settlement of settlements) {
    const { target, dueAt } = settlement;
    if (settlement.kind === "postponed") {
      const { state, trouble, attempts } = settlement.postponed;
      rows.postponed.push([target.id, dueAt, state === "due" ? "known" : state, trouble, attempts]);
      continue;
    }
    const { askedAt } = settlement;
    const answer = settlement.kind === "answered" ? settlement : undefined;
    const { etag = null, lastModified = null } = answer?.validators ?? {};
    const history = JSON.stringify(answer?.history ?? target.history);
    const isFull = answer?.isFull === false ? 0 : 1;
    const lastmod = target.lastmod ?? null;
    rows.answered.push([
      target.id,
      etag,
      lastModified,
      history,
      askedAt,
      isFull,
      dueAt,
      lastmod,
      answer?.isLinkOnly === true ? 1 : 0,
      answer?.interval === undefined ? null : JSON.stringify(answer.interval),
      target.depth,
    ]);
    if (settlement.kind === "removed") rows.removed.push({ path: target.path, reason: settlement.reason });
    if (answer === undefined) continue;
    if (answer.page === undefined) {
      if (target.held !== undefined && !answer.isLinkOnly)
        rows.confirmed.push([target.path, etag, lastModified, isFull, askedAt]);
      continue;
    }
    const { path, sizeBytes, digest, lastModified: modified, mediaType } = answer.page;
    rows.bodies.push(answer.page);
    rows.kept.push([path, sizeBytes, digest, modified, mediaType, etag, lastModified, askedAt]);
  }
  return rows;
}

/** Whether as many targets of each kind are there after these settlements as were before. */
export function keepsCounts(settlements: readonly TargetSettlement[]): boolean {
  return settlements.every((settlement) => {
    if (settlement.kind !== "answered") return false;
    const { askedAt, fullAt, postponed, held, isUnconfirmed } = settlement.target;
    if (isUnconfirmed || askedAt === undefined || fullAt === undefined || postponed?.trouble === "disallowed")
      return false;
    return settlement.page === undefined || (held !== undefined && settlement.page.path === settlement.target.path);
  });
}
