import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type Change, TidemarkError } from "../../core/index.ts";
import {
  type ArchiveEntry,
  type ArchiveName,
  formatArchiveName,
  maxArchiveBytes,
  parseArchive,
} from "../../formats/archive/index.ts";
import { placeFile, shownPath, syncFiles } from "../../fs/index.ts";

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);
/** An archive of 2000 lines fits in one piece: each piece is a way to the pool of threads and back. */
const packedPieceBytes = 128 * 1024;

/** First 16 hex digits of the SHA-256 of an archive's uncompressed content. */
export function contentId(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

/** Where archives are written to and read from. */
export interface ArchiveFolder {
  /**
   * Publishes an archive, or what else has a name of its form, such as a base's list. One that exists
   * already is left untouched.
   *
   * @param content - uncompressed; not to be changed any more
   * @param count - how many changes or pages it holds
   */
  write(name: Omit<ArchiveName, "id">, content: Uint8Array, count: number): Promise<ArchiveEntry>;
  /** Reads an archive back, verified against its name. @throws TidemarkError `archive-corrupt` */
  read(name: ArchiveName): Promise<Change[]>;
}

/** Archives as files of one folder. */
export class ArchiveFiles implements ArchiveFolder {
  readonly #folder: string;
  readonly #written: string[] = [];
  readonly #unsynced: string[] = [];
  #bytesWritten = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The folder in the file system. */
  get folder(): string {
    return this.#folder;
  }

  /** Names of the files that were written since this was made. */
  get written(): readonly string[] {
    return this.#written;
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  async write(name: Omit<ArchiveName, "id">, content: Uint8Array, count: number): Promise<ArchiveEntry> {
    const full = { ...name, id: contentId(content) };
    const fileName = formatArchiveName(full);
    const path = join(this.#folder, fileName);
    const existing = statSync(path, { throwIfNoEntry: false });
    // Also what was there may not have been synced: a killed run may have left it.
    this.#unsynced.push(fileName);
    if (existing !== undefined && (await this.#isWhole(full)))
      return { name: full, changes: count, sizeBytes: existing.size };
    const packed = await gzipAsync(content, { level: 5, chunkSize: packedPieceBytes });
    placeFile(path, packed);
    this.#written.push(fileName);
    this.#bytesWritten += packed.length;
    return { name: full, changes: count, sizeBytes: packed.length };
  }

  /**
   * Takes an archive, or a base's list, that was published elsewhere; {@link written} does not name it.
   *
   * @param body - as it was received; it is kept as it is unless a proxy removed or added a coding
   * @param content - uncompressed, verified against the name
   * @returns the entry with the size of the file
   */
  async adopt(entry: ArchiveEntry, body: Uint8Array, content: Uint8Array): Promise<ArchiveEntry> {
    const fileName = formatArchiveName(entry.name);
    const isAsPublished = body.length === entry.sizeBytes && body[0] === 0x1f && body[1] === 0x8b;
    const packed = isAsPublished ? body : await gzipAsync(content, { level: 5, chunkSize: packedPieceBytes });
    this.#unsynced.push(fileName);
    placeFile(join(this.#folder, fileName), packed);
    return { ...entry, sizeBytes: packed.length };
  }

  /** Makes what was written durable; until then nothing may name it. */
  async sync(): Promise<void> {
    await syncFiles(this.#unsynced.splice(0).map((name) => join(this.#folder, name)));
  }

  // A run that died with the machine may have left a name without all of its bytes.
  async #isWhole(name: ArchiveName): Promise<boolean> {
    return await this.readContent(name).then(
      () => true,
      () => false,
    );
  }

  async read(name: ArchiveName): Promise<Change[]> {
    const path = join(this.#folder, formatArchiveName(name));
    const content = await this.readContent(name);
    const changes = parseArchive(content);
    if (!changes.ok) throw corrupt(path, changes.error.message);
    return changes.value;
  }

  /** Reads the uncompressed content of a file with an archive's name, verified against it. */
  async readContent(name: ArchiveName): Promise<Buffer> {
    const path = join(this.#folder, formatArchiveName(name));
    let content: Buffer;
    try {
      content = await gunzipAsync(await readFile(path), { maxOutputLength: 2 * maxArchiveBytes });
    } catch (error) {
      throw corrupt(path, error instanceof Error ? error.message : String(error));
    }
    if (contentId(content) !== name.id) throw corrupt(path, "its content does not match its name");
    return content;
  }
}

function corrupt(held: string, why: string): TidemarkError {
  const path = shownPath(held);
  return new TidemarkError("archive-corrupt", `The archive ${path} cannot be used: ${why}`, {
    hint: "Run the export again: it publishes the site again without this archive.",
    details: { path },
  });
}
