import assert from "node:assert/strict";
import { type ArchiveFolder, contentId } from "../../src/export/archive-files.ts";
import {
  type ArchiveEntry,
  type ArchiveName,
  formatArchive,
  formatArchiveName,
  parseArchive,
} from "../../src/format/index.ts";
import type { Change } from "../../src/model/index.ts";

/** Archives that are kept in memory. */
export class MemoryArchives implements ArchiveFolder {
  readonly #contents = new Map<string, string>();

  async write(name: Omit<ArchiveName, "id">, lines: readonly string[]): Promise<ArchiveEntry> {
    return await this.writeText(name, formatArchive(lines), lines.length);
  }

  async writeText(name: Omit<ArchiveName, "id">, text: string, changes: number): Promise<ArchiveEntry> {
    const full = { ...name, id: contentId(Buffer.from(text, "latin1")) };
    this.#contents.set(formatArchiveName(full), text);
    return { name: full, changes, sizeBytes: text.length };
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
