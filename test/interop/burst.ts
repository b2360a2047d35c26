import { closeSync, constants, ftruncateSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Random } from "./random.ts";

/** How many files a folder of a made site has. */
export const filesAFolder = 17;

/** A site that is made and changed, and knows its files. */
export class BurstSite {
  readonly #docroot: string;
  readonly #random: Random;
  /** Files by folder, both relative to the document root. */
  readonly #folders = new Map<string, string[]>();
  #made = 0;

  constructor(docroot: string, random: Random) {
    this.#docroot = docroot;
    this.#random = random;
  }

  /** Number of folders, those that only hold folders left out. */
  get folders(): number {
    return this.#folders.size;
  }

  /** Makes so many files, {@link filesAFolder} a folder, 50 folders a section. */
  make(files: number): void {
    for (let at = 0; at < files; at++) {
      const number = Math.floor(at / filesAFolder);
      const folder = `section-${Math.floor(number / 50)}/part-${number}`;
      if (at % filesAFolder === 0) this.#makeFolder(folder);
      this.#write(folder, this.#newName());
    }
  }

  /**
   * Makes one change. Of a hundred 45 are writes in place, 15 write-and-renames as editors make them, 14 new
   * files, 10 deletions, 10 renames, 5 new folders with two files, and one renames or removes a whole folder.
   */
  change(): void {
    const folder = this.#anyFolder();
    const name = this.#anyFile(folder);
    const lot = this.#random.below(100);
    if (lot < 45) this.#write(folder, name);
    else if (lot < 60) this.#replace(folder, name);
    else if (lot < 74) this.#write(folder, this.#newName());
    else if (lot < 84) this.#remove(folder, name);
    else if (lot < 94) this.#rename(folder, name);
    else if (lot < 99) this.#addFolder(folder);
    else this.#moveOrDropFolder(folder);
  }

  /**
   * Makes so many changes, spread over so long, and lets other things run between them.
   *
   * @returns how long it took, and when the last was made on the clock of `performance.now`
   */
  async burst(changes: number, withinMs: number): Promise<{ readonly tookMs: number; readonly endedMs: number }> {
    const begunMs = performance.now();
    const batch = Math.max(1, Math.ceil(changes / 100));
    for (let done = 0; done < changes; ) {
      for (const end = Math.min(changes, done + batch); done < end; done++) this.change();
      const dueMs = begunMs + (withinMs * done) / changes;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    }
    const endedMs = performance.now();
    return { tookMs: endedMs - begunMs, endedMs };
  }

  /** Writes so many pages anew, each in a folder of its own as far as there are as many. */
  writeScattered(pages: number): void {
    const chosen = this.#random.sample([...this.#folders.keys()], pages);
    for (let at = 0; at < pages; at++) {
      const folder = chosen[at % chosen.length] ?? "";
      const names = this.#folders.get(folder) ?? [];
      const name = names[Math.floor(at / chosen.length)];
      if (name !== undefined) this.#write(folder, name);
    }
  }

  #write(folder: string, name: string): void {
    this.#writeAs(folder, name);
    this.#note(folder, name);
  }

  #writeAs(folder: string, name: string): void {
    this.#made += 1;
    const line = `<p>State ${this.#made} of a page, ${this.#random.below(1e9)}.</p>\n`;
    // ext4 writes to the disk at once what was truncated to nothing first: thousands of those take half a minute.
    const file = openSync(join(this.#docroot, folder, name), constants.O_WRONLY | constants.O_CREAT);
    ftruncateSync(file, writeSync(file, line.repeat(1 + this.#random.below(20))));
    closeSync(file);
  }

  #replace(folder: string, name: string): void {
    const temporary = `.${name}.swp`;
    this.#writeAs(folder, temporary);
    renameSync(join(this.#docroot, folder, temporary), join(this.#docroot, folder, name));
    this.#note(folder, name);
  }

  #remove(folder: string, name: string): void {
    rmSync(join(this.#docroot, folder, name), { force: true });
    this.#forget(folder, name);
  }

  #rename(folder: string, name: string): void {
    const names = this.#folders.get(folder) ?? [];
    if (!names.includes(name)) {
      this.#write(folder, name);
      return;
    }
    const target = this.#random.below(2) === 0 ? folder : this.#anyFolder();
    const newName = this.#newName();
    renameSync(join(this.#docroot, folder, name), join(this.#docroot, target, newName));
    this.#forget(folder, name);
    this.#note(target, newName);
  }

  #addFolder(beside: string): void {
    this.#made += 1;
    const folder = `${this.#random.below(2) === 0 ? beside : dirname(beside)}/new-${this.#made}`;
    this.#makeFolder(folder);
    this.#write(folder, this.#newName());
    this.#write(folder, this.#newName());
  }

  #moveOrDropFolder(folder: string): void {
    const inside = [...this.#folders.keys()].filter((other) => other === folder || other.startsWith(`${folder}/`));
    if (this.#random.below(4) === 0) {
      rmSync(join(this.#docroot, folder), { recursive: true });
      for (const gone of inside) this.#folders.delete(gone);
      return;
    }
    this.#made += 1;
    const target = `${dirname(folder)}/moved-${this.#made}`;
    renameSync(join(this.#docroot, folder), join(this.#docroot, target));
    for (const old of inside) {
      this.#folders.set(target + old.slice(folder.length), this.#folders.get(old) ?? []);
      this.#folders.delete(old);
    }
  }

  #makeFolder(folder: string): void {
    mkdirSync(join(this.#docroot, folder), { recursive: true });
    this.#folders.set(folder, []);
  }

  #note(folder: string, name: string): void {
    const names = this.#folders.get(folder) ?? [];
    if (!names.includes(name)) names.push(name);
    this.#folders.set(folder, names);
  }

  #forget(folder: string, name: string): void {
    const names = this.#folders.get(folder) ?? [];
    const at = names.indexOf(name);
    if (at >= 0) names.splice(at, 1);
  }

  #newName(): string {
    this.#made += 1;
    const ending = ["html", "html", "txt", "css"][this.#random.below(4)];
    return `page ${this.#made.toString(36)}.${ending}`;
  }

  #anyFile(folder: string): string {
    const names = this.#folders.get(folder) ?? [];
    return names[this.#random.below(names.length)] ?? this.#newName();
  }

  /** One of the folders, found without a list of all of them for each change. */
  #anyFolder(): string {
    if (this.#drawn.length === 0) this.#drawn = this.#shuffle([...this.#folders.keys()]);
    for (let folder = this.#drawn.pop(); folder !== undefined; folder = this.#drawn.pop())
      if (this.#folders.has(folder)) return folder;
    return this.#anyFolder();
  }

  #drawn: string[] = [];

  #shuffle(items: string[]): string[] {
    for (let at = items.length - 1; at > 0; at--) {
      const other = this.#random.below(at + 1);
      const item = items[at] ?? "";
      items[at] = items[other] ?? "";
      items[other] = item;
    }
    return items;
  }
}
