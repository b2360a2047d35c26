import { createHash } from "node:crypto";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from "yauzl";
import {
  type OpenPackage,
  ok,
  type PackageRead,
  type Problem,
  problem,
  type Result,
  wrapSystemError,
} from "../../core/index.ts";
import { FileReader } from "./file-reader.ts";
import { readDirectory, type ZipRecord } from "./zip-directory.ts";

/** Within which bounds a ZIP file is read. */
export interface ZipLimits {
  /** @default 100000 */
  readonly maxEntries?: number;
  /** Most bytes of the central directory. @default 32 MiB */
  readonly maxDirectoryBytes?: number;
  /** Most bytes that come out of all entries that are read, together. @default 4 GiB */
  readonly maxContentBytes?: number;
}

const maxNameBytes = 2048;
/** So much may come out of any entry. */
const freeBytes = 4 * 1024 * 1024;
/** Beyond that, so much may come out of each byte; DEFLATE makes at most 1032 of one. */
const maxRatio = 500;
const pieceBytes = 64 * 1024;
const maxAtOnceBytes = 1024 * 1024;

type Pieces = Iterator<Uint8Array> | AsyncIterator<Uint8Array>;

const stored = 0;
const deflated = 8;

/**
 * The entries of a ZIP file, read one at a time. Nothing is ever written under an entry's name. Memory: some 200 bytes
 * an entry, and a few pieces of 64 KiB.
 */
export class ZipEntries implements OpenPackage {
  readonly #zip: ZipFile;
  readonly #reader: FileReader;
  readonly #records: ReadonlyMap<string, ZipRecord>;
  #leftBytes: number;

  constructor(zip: ZipFile, reader: FileReader, records: ReadonlyMap<string, ZipRecord>, maxContentBytes: number) {
    this.#zip = zip;
    this.#reader = reader;
    this.#records = records;
    this.#leftBytes = maxContentBytes;
  }

  /**
   * Reads an entry and checks its size, CRC-32 and hashes. What it gives before a problem shows is not to be used.
   *
   * @param write - takes a piece, only valid during the call; what it throws is thrown on
   * @returns a problem `no-entry`, `encrypted`, `unknown-method`, `too-large`, `bomb`, `overlap` or `bad-entry`
   */
  async read(name: string, options: PackageRead, write: (piece: Uint8Array) => void): Promise<Result<undefined>> {
    const record = this.#records.get(name);
    if (record === undefined) return problem("no-entry", "the package has no such entry, or several");
    const refusal = this.#refuse(record, options.maxBytes);
    if (refusal !== undefined) return { ok: false, error: refusal };
    const opened = await this.#open(record);
    if (!opened.ok) return opened;
    const pieces = opened.value;
    this.#leftBytes -= record.uncompressedSize;
    const hashes = options.hashes.map(({ algorithm, hex }) => ({ hash: createHash(algorithm), hex }));
    let sizeBytes = 0;
    let crc = 0;
    try {
      for (;;) {
        const next = await nextOf(pieces);
        if (!next.ok) return next;
        if (next.value.done === true) break;
        const piece = next.value.value;
        sizeBytes += piece.length;
        if (sizeBytes > record.uncompressedSize) break;
        crc = crc32(piece, crc);
        for (const { hash } of hashes) hash.update(piece);
        write(piece);
      }
    } finally {
      await pieces.return?.();
    }
    if (sizeBytes !== record.uncompressedSize) return problem("bad-entry", "its size is not the one it says");
    if (crc !== record.crc32) return problem("bad-entry", "its CRC-32 is wrong");
    const differs = hashes.some(({ hash, hex }) => hash.digest("hex") !== hex);
    return differs ? problem("bad-entry", "its hash is wrong") : ok(undefined);
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]();
  }

  #refuse({ isEncrypted, compressionMethod, compressedSize, uncompressedSize }: ZipRecord, maxBytes: number) {
    const refuse = (code: string, message: string): Problem => ({ code, message });
    if (isEncrypted) return refuse("encrypted", "it is encrypted");
    if (compressionMethod !== stored && compressionMethod !== deflated)
      return refuse("unknown-method", `it is compressed by method ${compressionMethod}`);
    const most = Math.min(maxBytes, this.#leftBytes);
    if (uncompressedSize > most) return refuse("too-large", `more than ${most} bytes after decoding`);
    if (uncompressedSize > freeBytes && uncompressedSize > compressedSize * maxRatio)
      return refuse("bomb", `${uncompressedSize} bytes would come out of ${compressedSize}`);
    return undefined;
  }

  async #open(record: ZipRecord): Promise<Result<Pieces>> {
    try {
      // Of the entry it reads no more than what a record has.
      const header = await this.#zip.readLocalFileHeaderPromise(record as unknown as Entry, { minimal: true });
      const start = header.fileDataStart;
      const end = start + record.compressedSize;
      if (end > record.limit) return problem("overlap", "it overlaps the next entry");
      const isStored = record.compressionMethod === stored;
      const maxOutputLength = Math.max(1, record.uncompressedSize);
      // A stream costs ten times what is done here at once, and most pages are small.
      if (!isStored && record.compressedSize <= pieceBytes && maxOutputLength <= maxAtOnceBytes)
        return ok([inflateRawSync(this.#reader.bytes(start, end), { maxOutputLength })].values());
      const packed = this.#reader.stream(start, end);
      // What goes wrong is told by the stream that is read.
      const stream = isStored ? packed : pipeline(packed, createInflateRaw({ chunkSize: pieceBytes }), () => undefined);
      return ok(stream[Symbol.asyncIterator]());
    } catch (error) {
      return problem("bad-entry", (error as Error).message);
    }
  }
}

async function nextOf(pieces: Pieces): Promise<Result<IteratorResult<Uint8Array, unknown>>> {
  try {
    return ok(await pieces.next());
  } catch (error) {
    return problem("bad-entry", (error as Error).message);
  }
}

/**
 * Opens a ZIP file and reads its directory.
 *
 * @param file - its path; it must stay as it is until the entries are disposed of
 * @returns a problem `bad-zip`, `too-many`, `too-large` or `overlap` if it cannot be used
 * @throws TidemarkError if it cannot be opened
 * @see PKWARE APPNOTE.TXT 6.3.10
 */
export async function openZip(file: string, limits: ZipLimits = {}): Promise<Result<ZipEntries>> {
  const { maxEntries = 100_000, maxDirectoryBytes = 32 * 1024 * 1024, maxContentBytes = 4 * 1024 ** 3 } = limits;
  let reader: FileReader;
  try {
    reader = new FileReader(file);
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  let failure: Result<never>;
  try {
    const { sizeBytes } = reader;
    const zip = await fromRandomAccessReaderPromise(reader, sizeBytes, { autoClose: false, decodeStrings: false });
    const records = await readDirectory(zip, sizeBytes, { maxEntries, maxDirectoryBytes, maxNameBytes });
    if (records.ok) return ok(new ZipEntries(zip, reader, records.value, maxContentBytes));
    failure = records;
  } catch (error) {
    failure = problem("bad-zip", (error as Error).message);
  }
  reader[Symbol.dispose]();
  return failure;
}
