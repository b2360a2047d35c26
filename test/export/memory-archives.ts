import assert from "node:assert/strict";
import { type ArchiveFolder, contentId } from "../../src/export/archive-files.ts";
import { type ArchiveEntry, type ArchiveName, formatArchiveName, parseArchive } from "../../src/format/index.ts";
import type { Change } from "../../src/model/index.ts";

/** Archives that are kept in memory. */
export class MemoryArchives implements ArchiveFolder {
  readonly #contents = new Map<string, string>();

  async write(name: Omit<ArchiveName, "id">, content: Uint8Array, changes: number): Promise<ArchiveEntry> {
    const full = { ...name, id: contentId(content) };
    this.#contents.set(formatArchiveName(full), Buffer.from(content).toString("latin1"));
    return { name: full, changes, sizeBytes: content.length };
  }

  async read(name: ArchiveName): Promise<Change[]> {
    const changes = parseArchive(Buffer.from(this.#textOf(name), "latin1"));
    assert.ok(changes.ok, JSON.stringify(changes));
    return changes.value;
  }

  linesOf(name: ArchiveName): string[] {
    return this.#textOf(name).split("\n").slice(1, -1);
  }

  #textOf(name: ArchiveName): string {
    return this.#contents.get(formatArchiveName(name)) ?? assert.fail(`there is no ${formatArchiveName(name)}`);
  }
}
