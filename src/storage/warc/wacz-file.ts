import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline as pipelineOf, Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { ZipArchive } from "archiver";
import { type EpochMs, wrapSystemError } from "../../core/index.ts";
import { formatW3cDate } from "../../formats/time/index.ts";
import { parseCdxjLine } from "../../formats/warc/index.ts";
import { RecordSort, renameDurably } from "../../fs/index.ts";
import { indexOfWarc, listWarcs } from "./warc-files.ts";
import { addLine, drainLines } from "./warc-index.ts";

export interface WaczOptions {
  /** Folder of finished WARC files with their indexes. */
  readonly folder: string;
  /** The file to write; replaced when the new one is whole. */
  readonly path: string;
  readonly title: string;
  readonly software: string;
  readonly now: EpochMs;
}

interface Resource {
  readonly name: string;
  readonly path: string;
  readonly hash: string;
  readonly bytes: number;
}

const version = "1.1.1";
const pagesHeader = { format: "json-pages-1.0", id: "pages", title: "All Pages" };
const pageTypes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
// Beyond this a reader of plain ZIP would need offsets that it has not.
const maxPlainBytes = 2 ** 32 - 2 ** 26;

/** A ZIP file to which one entry is added after the other. */
class Package {
  readonly resources: Resource[] = [];
  readonly #zip: ZipArchive;
  readonly #file: WriteStream;
  readonly #date: Date;
  #failure: Error | undefined;

  constructor(zip: ZipArchive, path: string, date: Date) {
    this.#zip = zip;
    this.#date = date;
    this.#file = createWriteStream(path);
    const fail = (error: Error): void => {
      this.#failure ??= error;
      this.#zip.emit("tidemark-end");
    };
    this.#zip.on("error", fail);
    this.#file.on("error", fail);
    this.#zip.pipe(this.#file);
  }

  /** Adds an entry, and notes its hash. What is compressed already must be stored as it is. */
  async add(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, store: boolean): Promise<void> {
    const hash = createHash("sha256");
    let bytes = 0;
    const pass = async function* (): AsyncGenerator<Uint8Array, void, void> {
      for await (const piece of content) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    };
    if (this.#failure === undefined) {
      const stopped = new AbortController();
      const written = once(this.#zip, "entry", { signal: stopped.signal });
      const ended = once(this.#zip, "tidemark-end", { signal: stopped.signal });
      for (const promise of [written, ended]) promise.catch(() => undefined);
      this.#zip.append(Readable.from(pass()), { name: path, date: this.#date, mode: 0o644, store });
      await Promise.race([written, ended]);
      stopped.abort();
    }
    if (this.#failure !== undefined) throw this.#failure;
    const name = path.slice(path.lastIndexOf("/") + 1);
    this.resources.push({ name, path, hash: `sha256:${hash.digest("hex")}`, bytes });
  }

  async end(): Promise<void> {
    await Promise.all([this.#zip.finalize(), finished(this.#file)]);
    if (this.#failure !== undefined) throw this.#failure;
  }

  destroy(): void {
    this.#zip.abort();
    this.#file.destroy();
  }
}

async function* mergedIndex(folder: string, warcs: readonly string[]): AsyncGenerator<Buffer, void, void> {
  using sort = new RecordSort(folder);
  for (const name of warcs) {
    const index = createReadStream(indexOfWarc(join(folder, name)));
    for await (const line of linesOf(index)) addLine(sort, line);
  }
  for (const line of drainLines(sort)) yield Buffer.from(`${line}\n`, "latin1");
}

async function* linesOf(text: Readable): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const chunk of text.setEncoding("latin1") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

async function* pagesOf(lines: AsyncIterable<string>): AsyncGenerator<Buffer, void, void> {
  yield Buffer.from(`${JSON.stringify(pagesHeader)}\n`);
  for await (const line of lines) {
    const entry = parseCdxjLine(line);
    if (!entry.ok || entry.value.status !== 200 || !pageTypes.has(entry.value.mediaType)) continue;
    const { url, date } = entry.value;
    const id = createHash("sha256").update(`${url} ${date}`).digest("hex").slice(0, 16);
    yield Buffer.from(`${JSON.stringify({ id, url, ts: formatW3cDate(date), title: url })}\n`);
  }
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);

/**
 * Packs all finished WARC files of a folder into a WACZ. Memory is bounded; time is that of reading and writing all of
 * them.
 *
 * @returns its size in bytes; undefined if there is nothing to pack
 * @throws TidemarkError what the file system says; an older file stays then
 * @see https://specs.webrecorder.net/wacz/1.1.1/
 */
export async function writeWacz(options: WaczOptions): Promise<number | undefined> {
  const { folder, path, title, software, now } = options;
  const temporary = `${path}.tmp`;
  const packedIndex = `${path}.cdx.tmp`;
  let pack: Package | undefined;
  try {
    const warcs = listWarcs(folder);
    if (warcs.length === 0) return undefined;
    let warcBytes = 0;
    for (const name of warcs) warcBytes += (await stat(join(folder, name))).size;
    const archiver = await import("archiver");
    const created = `${new Date(now).toISOString().slice(0, 19)}Z`;
    const zip = new archiver.ZipArchive({ zlib: { level: 6 }, forceZip64: warcBytes > maxPlainBytes });
    pack = new Package(zip, temporary, new Date(now));
    for (const name of warcs) await pack.add(`archive/${name}`, createReadStream(join(folder, name)), true);
    await pipeline(Readable.from(mergedIndex(folder, warcs)), createGzip(), createWriteStream(packedIndex));
    await pack.add("indexes/index.cdx.gz", createReadStream(packedIndex), true);
    // An error is thrown by the stream that is read.
    const unpacked = pipelineOf(createReadStream(packedIndex), createGunzip(), () => undefined);
    await pack.add("pages/pages.jsonl", pagesOf(linesOf(unpacked)), false);
    const { resources } = pack;
    const description = { profile: "data-package", wacz_version: version, title, software, created, modified: created };
    const manifest = json({ ...description, resources: [...resources] });
    await pack.add("datapackage.json", [manifest], false);
    const hash = `sha256:${createHash("sha256").update(manifest).digest("hex")}`;
    await pack.add("datapackage-digest.json", [json({ path: "datapackage.json", hash })], false);
    await pack.end();
    const { size } = await stat(temporary);
    await renameDurably(temporary, path);
    return size;
  } catch (error) {
    pack?.destroy();
    await rm(temporary, { force: true });
    throw wrapSystemError(error, `write ${path}`, { path });
  } finally {
    await rm(packedIndex, { force: true });
  }
}
