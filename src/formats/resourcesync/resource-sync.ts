import type { ChangeKind, ContentHash, EpochSeconds } from "../../core/index.ts";
import type { SitemapKind } from "../sitemap/index.ts";

/** The namespace of ResourceSync's own elements, `rs:md` and `rs:ln`. Their attributes are in none. */
export const resourceSyncNamespace = "http://www.openarchives.org/rs/terms/";
/** Where a site's source description lies (ANSI/NISO Z39.99-2017 section 6.3.2, RFC 8615). */
export const resourceSyncPath = "/.well-known/resourcesync";

/** Most links that a document or an entry may have. */
export const maxResourceSyncLinks = 64;

/** What a document of ResourceSync is; an index is the same word in a `sitemapindex`. */
export const capabilities = [
  "description",
  "capabilitylist",
  "resourcelist",
  "changelist",
  "resourcedump",
  "changedump",
  "resourcedump-manifest",
  "changedump-manifest",
] as const;

/** One of {@link capabilities}. */
export type Capability = (typeof capabilities)[number];

/** Times of a document, or of a document or package that an entry points to (section 7 and appendix A). */
export interface ResourceSyncTimes {
  /** When the scan began that a list or dump of resources shows. Every change up to it is in the list. */
  readonly at?: EpochSeconds;
  /** When that scan ended. */
  readonly completed?: EpochSeconds;
  /** Every change since then is in the list or dump of changes. */
  readonly from?: EpochSeconds;
  /** Every change up to then is; and the document is closed: it never changes again. */
  readonly until?: EpochSeconds;
}

/** What `rs:md` says of a representation, and `rs:ln` of the one that it links to. */
interface Representation {
  /** One or more of `algorithm:hex`, separated by spaces, such as {@link formatSha256Hash} writes. */
  readonly hash?: string;
  /** `length`. */
  readonly sizeBytes?: number;
  /** `type`. */
  readonly mediaType?: string;
  /** The content coding, such as `gzip`. */
  readonly encoding?: string;
  /** Where the bytes lie in a dump's package; begins with `/`. */
  readonly path?: string;
}

/** `rs:ln`: a link of a document or of an entry. */
export interface ResourceSyncLink extends Representation {
  readonly rel: string;
  readonly href: string;
  readonly modified?: EpochSeconds;
  /** `pri`: 1 to 999,999, the lowest first. */
  readonly priority?: number;
}

/** What stands before a document's entries. */
export interface ResourceSyncHeader extends ResourceSyncTimes {
  /** `sitemapindex` for an index. */
  readonly kind: SitemapKind;
  readonly capability: Capability;
  /** `up` to the capability list (from there to the source description), `index`, `describedby`. */
  readonly links: readonly ResourceSyncLink[];
}

/** An entry: a resource, a change, a package, or another document. */
export interface ResourceSyncEntry extends ResourceSyncTimes, Representation {
  /** `loc`. */
  readonly location: string;
  /** `lastmod`. */
  readonly lastModified?: EpochSeconds;
  /** What the document is that a source description or a capability list points to. */
  readonly capability?: Capability;
  readonly change?: ChangeKind;
  /** `datetime`: when the change happened, in lists of changes. */
  readonly changedAt?: EpochSeconds;
  /** Absent if there is none. */
  readonly links?: readonly ResourceSyncLink[];
}

/** Writes a whole SHA-256 as the value of `hash`; of a shorter digest there is no form. */
export function formatSha256Hash(sha256: Uint8Array): string {
  if (sha256.length !== 32) throw new RangeError(`a SHA-256 of ${sha256.length} bytes`);
  let hex = "";
  for (const byte of sha256) hex += byte.toString(16).padStart(2, "0");
  return `sha-256:${hex}`;
}

const hashForms: readonly (readonly [RegExp, ContentHash["algorithm"], number])[] = [
  [/^md5$/, "md5", 32],
  [/^sha-?1$/, "sha1", 40],
  [/^sha-?256$/, "sha256", 64],
];

/** Reads a `hash`: all in it that can be checked; others are left out. */
export function parseHashes(hash: string): ContentHash[] {
  return hash.split(/\s+/).flatMap((word) => {
    const [, name = "", hex = ""] = /^([^:]+):([0-9a-f]+)$/i.exec(word) ?? [];
    const form = hashForms.find(([pattern, , digits]) => pattern.test(name.toLowerCase()) && hex.length === digits);
    return form === undefined ? [] : [{ algorithm: form[1], hex: hex.toLowerCase() }];
  });
}

/** Finds the SHA-256 in a `hash`. @returns 64 hex digits in lower case, or undefined if there is none in hex */
export function parseSha256Hash(hash: string): string | undefined {
  return parseHashes(hash).find(({ algorithm }) => algorithm === "sha256")?.hex;
}

const maxPathCharacters = 2048;
/** Control characters, what separates names on Windows, and its drives. */
const foreign = /[\u0000-\u001f\u007f\\]|^[A-Za-z]:/;

/**
 * The name in a package's ZIP file that a manifest's `path` means. Nothing is unpacked under it; a path that would
 * lead out of a folder is all the same no place in a package.
 *
 * @param path - begins with `/`; the reference tool leaves that out, so it may lack
 * @returns undefined if it is empty, absolute otherwise, has `.`, `..` or an empty name in it, or foreign characters
 * @see ANSI/NISO Z39.99-2017 section 11.2
 */
export function packageEntryName(path: string): string | undefined {
  const name = path.startsWith("/") ? path.slice(1) : path;
  if (name.length > maxPathCharacters || foreign.test(name)) return undefined;
  return name.split("/").some((part) => part === "" || part === "." || part === "..") ? undefined : name;
}
