import { decodePathSegment } from "../../formats/url/index.ts";
import type { FileSystems } from "./file-systems.ts";
import { type FolderListing, joinLocation, type Location, numbersAnEntry, statusAt } from "./folder-listing.ts";
import { mediaTypeOfName } from "./media-types.ts";
import type { ScannedFile } from "./scanned-file.ts";

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
