import type { EpochSeconds } from "../../core/index.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import type { PublishedPage } from "./published-page.ts";

/** A page that a list names, with what the list or a probe says of it. */
export interface ListedCandidate {
  readonly path: string;
  readonly sizeBytes: number | undefined;
  readonly lastModified: EpochSeconds | undefined;
  readonly mediaType: string | undefined;
  readonly digest: string | undefined;
  /** What is published where neither the list nor what was published before says a media type. */
  readonly defaultType: string;
}

/** Whether a page comes from a list. */
export function isListed(page: ListedCandidate | ScannedFile): page is ListedCandidate {
  return "defaultType" in page;
}

/** A listed page's comparison with what was published. */
export interface ListedDiff {
  /** What is remembered from now on, and published if there is a change. */
  readonly page: PublishedPage;
  readonly change: "created" | "updated" | undefined;
  /** Whether the remembered record is another than before. */
  readonly isRemembered: boolean;
}

/**
 * Compares a listed page with what was published of it. Only what is said counts: a page of which nothing but its URL
 * is known is created once and never updated. Equal digests are equal bytes, and keep their last-modified; else another
 * size, another digest, or another time than the list gave before is an update. What is learned of a page (its size,
 * where none was known) is remembered, and is no change.
 *
 * In what is remembered `ctimeUs` is 0, which no file's is, and `mtimeUs` is the time that the list gave, or 0: a list
 * may give one that is published as another.
 *
 * An update is dated by the list if it gives another time than before, else by the publication that saw it.
 *
 * @param publication - the publication that is being made; no last-modified is later
 */
export function diffListedPage(
  listed: ListedCandidate,
  before: PublishedPage | undefined,
  publication: EpochSeconds,
): ListedDiff {
  const { path, sizeBytes, digest, lastModified: said } = listed;
  const saidBefore = before === undefined ? undefined : saidTime(before);
  const isRedated = said !== undefined && said !== (saidBefore ?? before?.lastModified);
  const record = {
    path,
    sizeBytes: sizeBytes ?? before?.sizeBytes,
    mtimeUs: (said ?? saidBefore ?? 0) * 1e6,
    ctimeUs: 0,
    mediaType: listed.mediaType ?? before?.mediaType ?? listed.defaultType,
    digest: digest ?? before?.digest,
    racy: false,
  };
  const isChanged = before === undefined || isOther(listed, before, isRedated, saidBefore);
  if (!isChanged) {
    const page = { ...record, lastModified: before.lastModified };
    return { page, change: undefined, isRemembered: !isEqual(page, before) };
  }
  const lastModified = isRedated ? Math.min(Math.max(said, 1), publication) : publication;
  // What was known of the old bytes is not true of the new ones.
  const page = { ...record, sizeBytes, digest, lastModified };
  return { page, change: before === undefined ? "created" : "updated", isRemembered: true };
}

function isOther(
  { sizeBytes, digest, lastModified: said }: ListedCandidate,
  before: PublishedPage,
  isRedated: boolean,
  saidBefore: EpochSeconds | undefined,
): boolean {
  if (digest !== undefined && before.digest !== undefined) return digest !== before.digest;
  if (sizeBytes !== undefined && before.sizeBytes !== undefined && sizeBytes !== before.sizeBytes) return true;
  // Where no time was given before, one that is not newer than what was published only says when that was.
  return isRedated && (saidBefore !== undefined || (said ?? 0) > before.lastModified);
}

function saidTime({ ctimeUs, mtimeUs }: PublishedPage): EpochSeconds | undefined {
  return ctimeUs === 0 && mtimeUs > 0 ? mtimeUs / 1e6 : undefined;
}

function isEqual(a: PublishedPage, b: PublishedPage): boolean {
  return (
    a.sizeBytes === b.sizeBytes &&
    a.mtimeUs === b.mtimeUs &&
    a.ctimeUs === b.ctimeUs &&
    a.mediaType === b.mediaType &&
    a.digest === b.digest &&
    a.racy === b.racy
  );
}
