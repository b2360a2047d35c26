import type { Entry, ZipFile } from "yauzl";
import { ok, problem, type Result } from "../../core/index.ts";

/** What the central directory says of an entry, as far as it is needed. */
export interface ZipRecord {
  readonly relativeOffsetOfLocalHeader: number;
  /** In the file. */
  readonly compressedSize: number;
  /** As it comes out. */
  readonly uncompressedSize: number;
  readonly crc32: number;
  /** 0 stored, 8 deflated. */
  readonly compressionMethod: number;
  readonly isEncrypted: boolean;
  /** Where the next entry or the directory begins. */
  readonly limit: number;
}

export interface DirectoryLimits {
  readonly maxEntries: number;
  readonly maxDirectoryBytes: number;
  /** Entries of longer names are passed over. */
  readonly maxNameBytes: number;
}

/** Least length of a local header (APPNOTE.TXT section 4.3.7). */
const localHeaderBytes = 30;

type Draft = { -readonly [K in keyof ZipRecord]: ZipRecord[K] } & { readonly nameBytes: number };

function draftOf(entry: Entry, limit: number): Draft {
  const { relativeOffsetOfLocalHeader, compressedSize, uncompressedSize, crc32, compressionMethod } = entry;
  const nameBytes = entry.fileNameLength;
  const isEncrypted = entry.isEncrypted();
  return {
    relativeOffsetOfLocalHeader,
    compressedSize,
    uncompressedSize,
    crc32,
    compressionMethod,
    isEncrypted,
    limit,
    nameBytes,
  };
}

// Entries that share bytes unpack to more than any honest file (D. Fifield, "A better zip bomb", 2019).
function separate(drafts: Draft[]): boolean {
  drafts.sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader);
  for (const [at, draft] of drafts.entries()) {
    draft.limit = drafts[at + 1]?.relativeOffsetOfLocalHeader ?? draft.limit;
    const { relativeOffsetOfLocalHeader, nameBytes, compressedSize, limit } = draft;
    if (relativeOffsetOfLocalHeader + localHeaderBytes + nameBytes + compressedSize > limit) return false;
  }
  return true;
}

/**
 * Reads the central directory. Of names that stand twice no entry is given: nobody can say which is meant.
 *
 * @param fileBytes - size of the ZIP file
 * @returns records by name; a problem if the directory is too large, or entries overlap. Throws what yauzl throws of a
 *   directory that makes no sense
 */
export async function readDirectory(
  zip: ZipFile,
  fileBytes: number,
  limits: DirectoryLimits,
): Promise<Result<ReadonlyMap<string, ZipRecord>>> {
  const start = Number(zip.readEntryCursor);
  const { maxEntries, maxDirectoryBytes, maxNameBytes } = limits;
  if (zip.entryCount > maxEntries) return problem("too-many", `more than ${maxEntries} entries`);
  if (fileBytes - start > maxDirectoryBytes)
    return problem("too-large", `a directory of more than ${maxDirectoryBytes} bytes`);
  const drafts: Draft[] = [];
  const named = new Map<string, Draft | undefined>();
  for await (const entry of zip.eachEntry()) {
    const draft = draftOf(entry, start);
    drafts.push(draft);
    if (draft.nameBytes > maxNameBytes) continue;
    // With strings left alone it is the bytes.
    const name = entry.fileNameRaw.toString("utf8");
    named.set(name, named.has(name) ? undefined : draft);
  }
  if (!separate(drafts)) return problem("overlap", "entries overlap");
  return ok(new Map([...named].filter((record): record is [string, Draft] => record[1] !== undefined)));
}
