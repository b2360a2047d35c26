import { decodePathSegment } from "../../formats/url/index.ts";
import type { FileSystems } from "./file-systems.ts";
import { type FolderListing, joinLocation, type Location, numbersAnEntry, statusAt } from "./folder-listing.ts";
import { mediaTypeOfName } from "./media-types.ts";

/** Longest encoded path that is published: what sitemaps and most crawlers accept. */
export const maxPublishedPath = 2048;

/** A file of the document root that is to be published. */
export interface ScannedFile {
  /** Percent-encoded path from the root, beginning with `/`. */
  readonly path: string;
  /** Where it is in the file system, links followed; bytes where the name is not ASCII. */
  readonly location: string | Buffer;
  readonly sizeBytes: number;
  /** Modification time in whole microseconds since 1970. */
  readonly mtimeUs: number;
  /** Time of the last change of the inode, in whole microseconds since 1970; nobody can set it back but with the clock. */
  readonly ctimeUs: number;
  /** Of file system and inode, 32 bits: tells files apart that have one path, size and times. */
  readonly stamp?: number;
  readonly mediaType: string;
}

/** A place that could not be looked at: what was published there stays as it was. They come in about path order. */
export interface ScanGap {
  /** Encoded path of a file, or of a folder with `/` at its end. */
  readonly path: string;
}

/** Some thousand files in path order, and the places before or among them that could not be seen. */
export interface ScanBatch {
  readonly files: readonly ScannedFile[];
  readonly gaps: readonly ScanGap[];
}

/** One folder's own files and folders that may be published, in path order. */
export interface FolderLook {
  readonly files: readonly ScannedFile[];
  /** Encoded paths with `/` at their end. */
  readonly folders: readonly string[];
  readonly gaps: readonly ScanGap[];
}

/** Where a folder is, and under which path. */
export interface FolderPlace {
  readonly location: Location;
  /** Encoded path, with `/` at its end. */
  readonly path: string;
  /** Relative bytes, with `/` at its end unless it is the root. */
  readonly relative: string;
  /** Real paths of the folders that links led into on the way here. */
  readonly linked: readonly string[];
}

/** A folder that a walk is in. */
export interface OpenFolder extends FolderPlace {
  readonly listing: FolderListing;
  /** Without links, one character a byte; empty where nobody asks. */
  readonly realPath: string;
  next: number;
}

/** A file that was found. Where it is, is only worked out for those that are read. */
export class FoundFile implements ScannedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeUs: number;
  readonly ctimeUs: number;
  readonly stamp: number;
  readonly mediaType: string;
  // Not private: a field that is costs a call into the engine for each of a million files.
  readonly folder: OpenFolder;
  readonly at: number;

  constructor(folder: OpenFolder, at: number, path: string, fileSystems: FileSystems) {
    const { segments, numbers, ownSegments } = folder.listing;
    const start = at * numbersAnEntry;
    this.path = path;
    this.sizeBytes = numbers[start + statusAt.sizeBytes] ?? 0;
    this.mtimeUs = numbers[start + statusAt.mtimeUs] ?? 0;
    this.ctimeUs = numbers[start + statusAt.ctimeUs] ?? 0;
    this.stamp = fileSystems.stampOf(numbers[start + statusAt.device] ?? 0, numbers[start + statusAt.inode] ?? 0);
    this.mediaType = mediaTypeOfName(ownSegments?.get(at) ?? segments[at] ?? "");
    this.folder = folder;
    this.at = at;
  }

  get location(): string | Buffer {
    const { listing, location } = this.folder;
    const realPath = listing.extras.get(this.at)?.realPath;
    if (realPath !== undefined) return Buffer.from(realPath, "latin1");
    return joinLocation(location, decodePathSegment(ownSegmentAt(listing, this.at)));
  }
}

/** The encoded name that an entry has in the file system. */
export function ownSegmentAt({ segments, ownSegments }: FolderListing, at: number): string {
  return ownSegments?.get(at) ?? segments[at] ?? "";
}
