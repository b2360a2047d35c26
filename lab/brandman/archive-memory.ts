import type { Change } from "../../src/core/change.ts";
import type { ArchiveFolder } from "../../src/exporter/publish/archive-files.ts";
import { parseArchive } from "../../src/formats/archive/archive.ts";
import type { ArchiveEntry } from "../../src/formats/archive/archive-index.ts";
import { type ArchiveName, formatArchiveName } from "../../src/formats/archive/archive-name.ts";
import type { LabPorts } from "../experiment/ports.ts";

/** Archives that are packed as ever, and lie in memory. */
export class ArchiveMemory implements ArchiveFolder {
  readonly #pack: LabPorts["pack"];
  readonly #archives = new Map<string, { readonly content: Uint8Array; readonly packed: Uint8Array }>();
  readonly #names = new WeakMap<ArchiveName, string>();

  constructor(pack: LabPorts["pack"]) {
    this.#pack = pack;
  }

  write(name: Omit<ArchiveName, "id">, content: Uint8Array, count: number): Promise<ArchiveEntry> {
    const { id, sizeBytes, bytes } = this.#pack(content, "archive");
    const full = { ...name, id };
    this.#archives.set(this.#nameOf(full), { content, packed: bytes });
    return Promise.resolve({ name: full, changes: count, sizeBytes });
  }

  read(name: ArchiveName): Promise<Change[]> {
    const content = this.#archives.get(this.#nameOf(name))?.content;
    if (content === undefined) throw new RangeError(`no archive ${formatArchiveName(name)}`);
    const changes = parseArchive(content);
    if (!changes.ok) throw new TypeError(changes.error.message);
    return Promise.resolve(changes.value);
  }

  /** An archive as it is served, by its file name; undefined if there is none. */
  serve(fileName: string): Uint8Array | undefined {
    return this.#archives.get(fileName)?.packed;
  }

  /** Forgets all archives but these. */
  keep(entries: readonly ArchiveEntry[]): void {
    const kept = new Set(entries.map(({ name }) => this.#nameOf(name)));
    for (const name of this.#archives.keys()) if (!kept.has(name)) this.#archives.delete(name);
  }

  // An archive is listed with each publication for as long as it is kept.
  #nameOf(name: ArchiveName): string {
    const known = this.#names.get(name) ?? formatArchiveName(name);
    this.#names.set(name, known);
    return known;
  }
}
