import type { Change, EpochSeconds, ExportEvent } from "../../core/index.ts";
import { type ContentMark, type Cover, resemblance } from "../../formats/html/index.ts";
import type { FileDigest } from "../digest/file-digest.ts";
import type { PageParts } from "../digest/page-parts.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import type { PublishedPage } from "./published-page.ts";

/** Which pages get a digest. */
export const digestModes = ["all", "changed", "none"] as const;

/** One of {@link digestModes}: every page; only pages that are or may be written to; none. */
export type DigestMode = (typeof digestModes)[number];

/** What a comparison needs of a scanned file. */
export type CandidateFile = Omit<ScannedFile, "location">;

type Digested = Extract<FileDigest, { kind: "digested" }>;
type Unread = Exclude<FileDigest, Digested>;

/** What reading a file came to, with what the server puts into it in place of what it asks for. */
export type CandidateDigest = Unread | (Omit<Digested, "includes"> & { readonly includes?: PageParts });

/** What decides whether a change of bytes is a change of a page. */
export interface ContentPolicy {
  /** Tells the rules from others that marks may have been made by. */
  readonly fingerprint: number;
  /** Whether the rules say anything about pages of this type. */
  readonly appliesTo: (mediaType: string) => boolean;
  /** Texts that resemble each other so much or more are the same, 0 to 1; undefined if texts are not compared. */
  readonly significant: number | undefined;
}

/** How server-side includes are dealt with. */
export interface IncludePolicy {
  /** Whether a file of this media type is looked into. */
  readonly appliesTo: (mediaType: string) => boolean;
  /** Whether pages were published that were not looked into in this way: each is read once. */
  readonly isNew: boolean;
  /** What sizes and times of included files say now. */
  readonly stampOf: (parts: readonly string[]) => string;
}

/** What a comparison goes by. */
export interface DiffOptions {
  readonly digestMode: DigestMode;
  /** The publication that is being made; no last-modified is later. */
  readonly publication: EpochSeconds;
  /** When the scan began, in microseconds since 1970. */
  readonly scanStartUs: number;
  /** What of a page's bytes counts; undefined if all do. Digests are made of all pages then. */
  readonly content?: ContentPolicy | undefined;
  /** Undefined if the server processes no includes. */
  readonly includes?: IncludePolicy | undefined;
}

/** One page's comparison with what was published. */
export interface PageDiff {
  /** What is remembered from now on; undefined if the page is gone. */
  readonly page: PublishedPage | undefined;
  /** What is to be published; undefined if the bytes are the same. */
  readonly change: Change | undefined;
  /** Whether its times or size moved and its bytes, less what does not count, did not. */
  readonly isTouched: boolean;
  /** Whether it is published with a digest that is no promise any more; only a new base takes that back. */
  readonly isWithdrawn?: boolean;
  /** Whether the remembered record is another than before. */
  readonly isRemembered: boolean;
}

/**
 * Time stamps of files come from a clock that ticks each 1 to 10 ms (Linux `CONFIG_HZ`); two writes
 * within a tick carry one time. A file that changed less than this before it was looked at is racy.
 */
const clockTickUs = 20_000;
/** FAT keeps even seconds; ext3, and ext4 with inodes of 128 bytes, whole ones. */
const coarseTickUs = 2_000_000;

/** Size of a page's own file when it was published. */
function fileBytesOf({ includes, sizeBytes }: PublishedPage): number | undefined {
  return includes === undefined ? sizeBytes : includes.fileBytes;
}

/** Whether it was restored from what is published, so that nothing is known of its file. */
function isRestored({ ctimeUs, racy }: PublishedPage): boolean {
  return ctimeUs === 0 && racy;
}

/** Whether size, times and the file's stamp say that it is as it was when its bytes were last looked at. */
export function isUnmoved(file: CandidateFile, before: PublishedPage, mode: DigestMode): boolean {
  if (file.sizeBytes !== fileBytesOf(before)) return false;
  // Published times are whole seconds.
  if (mode === "none" && isRestored(before)) return Math.max(Math.floor(file.mtimeUs / 1e6), 1) === before.lastModified;
  if (file.mtimeUs !== before.mtimeUs) return false;
  // Without digests a new owner or mode (a new ctime) would look like new content.
  if (mode === "none") return true;
  // What was remembered by an earlier version has no stamp.
  const isOther = before.stamp !== undefined && file.stamp !== undefined && before.stamp !== file.stamp;
  return file.ctimeUs === before.ctimeUs && !before.racy && !isOther;
}

function isRacy(ctimeUs: number, options: DiffOptions): boolean {
  // A whole second is chance once in a million, or the only time that the file system keeps.
  const tickUs = ctimeUs % 1e6 === 0 ? coarseTickUs : clockTickUs;
  return options.digestMode !== "none" && ctimeUs >= options.scanStartUs - tickUs;
}

/** Whether a file's bytes must be read to say what became of it. */
export function needsDigest(file: CandidateFile, before: PublishedPage | undefined, options: DiffOptions): boolean {
  const mode = options.digestMode;
  if (mode === "none") return false;
  // Of a racy file the times say nothing next time: only a digest can.
  if (before === undefined) return mode === "all" || isRacy(file.ctimeUs, options);
  if (!isUnmoved(file, before, mode) || !hasFreshMark(before, file.mediaType, options.content)) return true;
  if (before.includes !== undefined)
    return options.includes === undefined || options.includes.stampOf(before.includes.parts) !== before.includes.stamp;
  if (options.includes?.isNew === true && options.includes.appliesTo(file.mediaType)) return true;
  return mode === "all" && before.digest === undefined && before.mark?.cover === undefined;
}

/**
 * Compares a file with what was published of it (DESIGN.md section 3.1): size and times are the
 * quick check, the digest decides, and equal bytes keep their last-modified.
 *
 * @param digest - what reading it came to, where {@link needsDigest} asked for it
 */
export function diffPage(
  file: CandidateFile,
  before: PublishedPage | undefined,
  digest: CandidateDigest | undefined,
  options: DiffOptions,
  onEvent: (event: ExportEvent) => void,
): PageDiff {
  if (digest === undefined && before !== undefined && isUnmoved(file, before, options.digestMode)) {
    if (isRestored(before)) {
      const { mtimeUs, ctimeUs, stamp } = file;
      const page = { ...before, mtimeUs, ctimeUs, racy: false, stamp };
      return { page, change: undefined, isTouched: false, isRemembered: true };
    }
    const isStamped = file.stamp !== undefined && before.stamp === undefined && options.digestMode !== "none";
    const page = isStamped ? { ...before, stamp: file.stamp } : before;
    return { page, change: undefined, isTouched: false, isRemembered: isStamped };
  }
  if (digest !== undefined && digest.kind !== "digested") return diffUnread(file, before, digest, onEvent);
  const status = digest ?? file;
  const found = digest?.includes;
  const racy = isRacy(Math.max(status.ctimeUs, found?.ctimeUs ?? 0), options);
  const { path, stamp } = file;
  const { sizeBytes, mtimeUs, ctimeUs } = status;
  const now = digest?.content?.mark;
  if (digest?.content?.trouble !== undefined) {
    const message = `all of its bytes count, for ${digest.content.trouble}`;
    onEvent({ event: "warning", code: "content-whole", message, path });
  }
  if (before !== undefined) {
    const mark = keptMark(file, before, digest?.digest, now, options);
    if (mark !== false && before.includes?.contentDigest === found?.contentDigest) {
      const { lastModified, mediaType } = before;
      const kept = promisedDigest(digest?.digest ?? before.digest, mark);
      const page = withIncludes(
        withMark({ path, sizeBytes, mtimeUs, ctimeUs, lastModified, mediaType, digest: kept, racy, stamp }, mark),
        digest,
      );
      return {
        page,
        change: undefined,
        isTouched: !isRestored(before) && (mtimeUs !== before.mtimeUs || sizeBytes !== fileBytesOf(before)),
        isRemembered: true,
        isWithdrawn: before.digest !== undefined && page.digest === undefined,
      };
    }
  }
  const newest = {
    mtimeUs: Math.max(mtimeUs, found?.mtimeUs ?? 0),
    ctimeUs: Math.max(ctimeUs, found?.ctimeUs ?? 0),
  };
  const clamped = clampLastModified(path, newest, options, onEvent);
  // An older file that takes a part's place makes the page no older.
  const isOlder = found !== undefined && before !== undefined && clamped <= before.lastModified;
  const lastModified = isOlder ? options.publication : clamped;
  const promised = promisedDigest(digest?.digest, now);
  const { mediaType } = file;
  const page = withIncludes(
    withMark({ path, sizeBytes, mtimeUs, ctimeUs, lastModified, mediaType, digest: promised, racy, stamp }, now),
    digest,
  );
  return {
    page,
    change: { kind: before === undefined ? "created" : "updated", page },
    isTouched: false,
    isRemembered: true,
  };
}

/** A digest promises bytes: a page whose bytes may change without being published gets none. */
function promisedDigest(digest: string | undefined, mark: ContentMark | undefined): string | undefined {
  return mark?.cover === undefined ? digest : undefined;
}

// Pages are made by the million: all of one shape, but for the few with a mark.
function withMark(page: PublishedPage, mark: ContentMark | undefined): PublishedPage {
  return mark === undefined ? page : { ...page, mark };
}

/** What is served of a page with includes has neither the file's size nor its digest: it is published without both. */
function withIncludes(
  page: PublishedPage,
  read: Extract<CandidateDigest, { kind: "digested" }> | undefined,
): PublishedPage {
  if (read?.includes === undefined) return page;
  const { parts, stamp, contentDigest, isDynamic } = read.includes;
  const includes = { fileBytes: read.sizeBytes, fileDigest: read.digest, parts, stamp, contentDigest, isDynamic };
  return { ...page, sizeBytes: undefined, digest: undefined, includes };
}

/**
 * What is to be remembered of the content of a page that is as it was published: its mark, undefined if it has
 * none; false if the page is another.
 */
function keptMark(
  file: CandidateFile,
  before: PublishedPage,
  digest: string | undefined,
  now: ContentMark | undefined,
  options: DiffOptions,
): ContentMark | undefined | false {
  const known = before.mark?.cover?.bytesDigest ?? before.includes?.fileDigest ?? before.digest;
  // Equal bytes, or bytes of a page published without a digest that did not move.
  const isSame =
    known === undefined
      ? isUnmoved(file, { ...before, racy: false, stamp: undefined }, options.digestMode)
      : known === digest;
  const isComparable = before.mark !== undefined && before.mark.rules === now?.rules;
  if (isSame && !(isComparable && before.mark.cover !== undefined)) return now;
  if (!isComparable || before.mark.cover === undefined || digest === undefined) return false;
  if (!isSame && !isInsignificant(before.mark.cover, digest, now?.cover, options.content)) return false;
  // What counts is what was published: many small changes come to a large one.
  return { rules: before.mark.rules, cover: { ...before.mark.cover, bytesDigest: digest } };
}

/** Whether what is remembered of a page's content was found by the rules that hold now for its media type. */
function hasFreshMark(before: PublishedPage, mediaType: string, policy: ContentPolicy | undefined): boolean {
  return before.mark?.rules === (policy?.appliesTo(mediaType) === true ? policy.fingerprint : undefined);
}

/**
 * Whether a page of other bytes is still the one that was published: what is left of its bytes is the
 * same, or its text is nearly so.
 *
 * @param published - what was remembered when it was published
 * @param digest - of all bytes that it has now
 * @param now - its cover now, if it has one
 */
function isInsignificant(
  published: Cover,
  digest: string,
  now: Cover | undefined,
  policy: ContentPolicy | undefined,
): boolean {
  if ((now?.contentDigest ?? digest) === published.contentDigest) return true;
  if (policy?.significant === undefined || published.sketch === undefined || now?.sketch === undefined) return false;
  return resemblance(published.sketch, now.sketch) >= policy.significant;
}

/** No export takes longer; a clock that is further ahead is wrong. */
const longestExportUs = 86_400e6;

function clampLastModified(
  path: string,
  { mtimeUs, ctimeUs }: Pick<CandidateFile, "mtimeUs" | "ctimeUs">,
  { publication, scanStartUs }: DiffOptions,
  onEvent: (event: ExportEvent) => void,
): EpochSeconds {
  const seconds = Math.floor(mtimeUs / 1e6);
  if (seconds <= publication) return Math.max(seconds, 1);
  // Written while this export runs, as in a watch: an ordinary day.
  if (mtimeUs <= ctimeUs && ctimeUs < scanStartUs + longestExportUs) return publication;
  const message = `last modified in the future (${new Date(seconds * 1000).toISOString()}); published as of this export`;
  onEvent({ event: "warning", code: "future-mtime", message, path });
  return publication;
}

function diffUnread(
  file: CandidateFile,
  before: PublishedPage | undefined,
  digest: Unread,
  onEvent: (event: ExportEvent) => void,
): PageDiff {
  const { path } = file;
  const gone = {
    page: undefined,
    change: before === undefined ? undefined : ({ kind: "deleted", path } as const),
    isTouched: false,
    isRemembered: true,
  };
  if (digest.kind === "vanished") return gone;
  if (digest.kind === "noindex") {
    onEvent({ event: "withheld", path, rule: "noindex" });
    return gone;
  }
  if (digest.kind === "unreadable") {
    if (digest.code === "EACCES" || digest.code === "EPERM") {
      onEvent({ event: "withheld", path, rule: "unreadable" });
      return gone;
    }
    onEvent({
      event: "item-error",
      code: digest.code,
      message: `${digest.message}; what was published of it stays`,
      path,
    });
  } else {
    onEvent({ event: "warning", code: "unstable", message: "being written to; left for the next export", path });
  }
  // It is there and could not be read to the end: its record stays, and it is looked at again.
  return {
    page: before === undefined ? undefined : { ...before, racy: true },
    change: undefined,
    isTouched: false,
    isRemembered: true,
  };
}
