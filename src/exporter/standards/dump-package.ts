import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { ZipArchive } from "archiver";
import { wrapSystemError } from "../../core/index.ts";
import { renameDurably, shownPath, temporaryName } from "../../fs/index.ts";

/** Of all files in a package: the beginning of ZIP's calendar. Equal input gives equal bytes. */
const fixedDate = new Date(Date.UTC(1980, 0, 1));

/**
 * A ZIP package of pages as ResourceSync has it: contents below `/resources/`, and `manifest.xml`. It has its name
 * only once it is whole and durable.
 *
 * @see ANSI/NISO Z39.99-2017 sections 11 and 13
 */
export class DumpPackage implements AsyncDisposable {
  readonly #path: string;
  readonly #temporary: string;
  readonly #zip: ZipArchive;
  /** Settled when all is written, or as soon as something fails. */
  readonly #written: Promise<void>;
  #contents = 0;
  #sizeBytes = 0;

  /** Begins a package at a path. */
  static async open(path: string): Promise<DumpPackage> {
    // Few sites pack dumps, and the library is a quarter of what an export would load.
    const archiver = await import("archiver");
    return new DumpPackage(path, new archiver.ZipArchive({ zlib: { level: 6 } }));
  }

  private constructor(path: string, zip: ZipArchive) {
    this.#path = path;
    this.#temporary = temporaryName(path);
    this.#zip = zip;
    // What fails is told by the pipeline.
    zip.on("error", () => undefined);
    this.#written = pipeline(zip, createWriteStream(this.#temporary, { flags: "wx", mode: 0o600 }));
    this.#written.catch(() => undefined);
  }

  /** Bytes of all contents, unpacked. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a page's bytes. @returns its `path` for the manifest */
  async add(content: Buffer): Promise<string> {
    this.#contents += 1;
    this.#sizeBytes += content.length;
    const path = `/resources/${String(this.#contents).padStart(6, "0")}`;
    await this.#append(content, path.slice(1));
    return path;
  }

  /** Ends the package and gives it its name. @returns its size in bytes */
  async end(manifest: Buffer): Promise<number> {
    await this.#append(manifest, "manifest.xml");
    try {
      await Promise.all([this.#zip.finalize(), this.#written]);
      const { size } = await stat(this.#temporary);
      await renameDurably(this.#temporary, this.#path, 0o644);
      return size;
    } catch (error) {
      throw this.#cannotWrite(error);
    }
  }

  /** Drops a package that has not come to its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#zip.abort();
    this.#zip.destroy();
    await this.#written.catch(() => undefined);
    await rm(this.#temporary, { force: true });
  }

  async #append(content: Buffer, name: string): Promise<void> {
    const added = once(this.#zip, "entry");
    this.#zip.append(content, { name, date: fixedDate, mode: 0o644 });
    try {
      await Promise.race([added, this.#written]);
    } catch (error) {
      throw this.#cannotWrite(error);
    }
  }

  #cannotWrite(error: unknown): Error {
    const path = shownPath(this.#path);
    return wrapSystemError(error, `write ${path}`, { path });
  }
}
