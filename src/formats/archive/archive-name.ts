import {
  type EpochSeconds,
  excerpt,
  formatCompactTime,
  ok,
  type Problem,
  parseCompactTime,
  problem,
  type Result,
} from "../../core/index.ts";

/** The parts of an archive's file name `<from>_<to>.<group>.<id>.gz`. */
export interface ArchiveName {
  /** Start of the half-open interval (from, to] of change time; 0 for "the beginning". */
  readonly from: EpochSeconds;
  /** End of the interval, inclusive. */
  readonly to: EpochSeconds;
  /** MIME group: `text-html`, or `other`; `base` names a list of archives instead of changes. */
  readonly group: string;
  /** First 16 hex digits of the SHA-256 of the uncompressed content. */
  readonly id: string;
}

/** The MIME group of deletions, of small groups and of types that have no group name. */
export const otherGroup = "other";

/** The word that stands for the group in the name of a base's list. */
export const baseGroup = "base";

const namePattern = /^(0|\d{8}T\d{6}Z)_(\d{8}T\d{6}Z)\.([a-z0-9][a-z0-9.+-]{0,127})\.([0-9a-f]{16})\.gz$/;

/** Writes an archive's file name. */
export function formatArchiveName(name: ArchiveName): string {
  return `${formatCompactTime(name.from)}_${formatCompactTime(name.to)}.${name.group}.${name.id}.gz`;
}

/**
 * An archive's file name as it stands in a URL: `+` as `%2B`. The two are one path to most servers, but S3 takes a `+` for a
 * space.
 */
export function escapeArchiveName(name: string): string {
  return name.replaceAll("+", "%2B");
}

/** Reads an archive's file name; any other text, also one with a folder in it, is a problem. */
export function parseArchiveName(text: string): Result<ArchiveName, Problem> {
  const match = namePattern.exec(text);
  if (match === null) return problem("bad-archive-name", `not an archive's name: ${excerpt(text)}`);
  const [, fromText = "", toText = "", group = "", id = ""] = match;
  const from = parseCompactTime(fromText);
  const to = parseCompactTime(toText);
  if (from === undefined || to === undefined || from >= to) {
    return problem("bad-archive-name", `not an interval of time: ${excerpt(text)}`);
  }
  return ok({ from, to, group, id });
}

const groupedType = /^([a-z]+)\/([a-z0-9][a-z0-9.+-]*)$/;

/**
 * The MIME group that pages of a media type belong to.
 *
 * @returns the type with `-` for `/`; `other` where that could not be read back
 */
export function groupOfMediaType(mediaType: string): string {
  const match = groupedType.exec(mediaType);
  return match === null || mediaType.length > 100 ? otherGroup : `${match[1]}-${match[2]}`;
}

/** The media type of a MIME group, or undefined for `other` (and `base`). */
export function mediaTypeOfGroup(group: string): string | undefined {
  const dash = group.indexOf("-");
  return dash === -1 ? undefined : `${group.slice(0, dash)}/${group.slice(dash + 1)}`;
}
