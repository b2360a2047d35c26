import type { ArchiveFolder } from "../export/index.ts";
import { type ArchiveEntry, type ArchiveName, formatArchiveName, parseArchive } from "../format/index.ts";
import type { Change } from "../model/index.ts";
import type { LabPorts } from "./ports.ts";

/** Archives that are packed as ever, and lie in memory. */
export class ArchiveMemory implements ArchiveFolder {
  readonly #pack: LabPorts["pack"];
  readonly #contents = new Map<string, Uint8Array>();

  constructor(pack: LabPorts["pack"]) {
    this.#pack = pack;
  }

  write(name: Omit<ArchiveName, "id">, content: Uint8Array, count: number): Promise<ArchiveEntry> {
    const { id, sizeBytes } = this.#pack(content, "archive");
    const full = { ...name, id };
    this.#contents.set(formatArchiveName(full), content);
    return Promise.resolve({ name: full, changes: count, sizeBytes });
  }

  read(name: ArchiveName): Promise<Change[]> {
    const content = this.#contents.get(formatArchiveName(name));
    if (content === undefined) throw new RangeError(`no archive ${formatArchiveName(name)}`);
    const changes = parseArchive(content);
    if (!changes.ok) throw new TypeError(changes.error.message);
    return Promise.resolve(changes.value);
  }

  /** An archive as it is served, by its file name; undefined if there is none. */
  serve(fileName: string): Uint8Array | undefined {
    const content = this.#contents.get(fileName);
    return content && this.#pack(content, "archive").bytes;
  }

  /** Forgets all archives but these. */
  keep(entries: readonly ArchiveEntry[]): void {
    const kept = new Set(entries.map(({ name }) => formatArchiveName(name)));
    for (const name of this.#contents.keys()) if (!kept.has(name)) this.#contents.delete(name);
  }
}
