import assert from "node:assert/strict";
import type { Change } from "../../../src/core/change.ts";
import { type ArchiveFolder, contentId } from "../../../src/exporter/publish/archive-files.ts";
import { parseArchive } from "../../../src/formats/archive/archive.ts";
import type { ArchiveEntry } from "../../../src/formats/archive/archive-index.ts";
import { type ArchiveName, formatArchiveName } from "../../../src/formats/archive/archive-name.ts";

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
