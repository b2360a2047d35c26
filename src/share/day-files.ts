import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type EpochSeconds, TidemarkError } from "../core/index.ts";
import {
  dayFileName,
  dayOf,
  eventIndexName,
  eventsFolder,
  formatSignatures,
  formatWebEvent,
  parseDayFileName,
  parseSignatures,
  signatureEnding,
  type WebEvent,
} from "../formats/web-events/index.ts";
import { makeFolder, makeMissingFolder, renameDurably, syncFiles, writeDurably, writeWhole } from "../fs/index.ts";
import type { FileSigner } from "./file-signature.ts";

/** How far a crawler's events are shared. */
export interface SharedPosition {
  readonly epoch: string;
  readonly number: number;
  /** Up to when it is shared which pages were found unchanged. */
  readonly checkedTo: EpochSeconds;
}

interface Commit {
  readonly position: SharedPosition;
  readonly names: readonly string[];
}

const commitName = "commit.json";
const pieceLength = 64 * 1024;

/** A day's file while it is written. */
class StagedFile {
  readonly #fd: number;
  #text = "";

  constructor(fd: number) {
    this.#fd = fd;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= pieceLength) this.#write();
  }

  #write(): void {
    writeWhole(this.#fd, Buffer.from(this.#text));
    this.#text = "";
  }

  close(): void {
    this.#write();
    closeSync(this.#fd);
  }
}

/**
 * The days' files of a share. The new ones are written whole into a folder of their own; one rename decides that they are
 * to be published, together with the position after them, and from then on every run finishes that.
 */
export class DayFiles {
  readonly #folder: string;
  readonly #staging: string;
  readonly #staged = new Map<string, StagedFile>();
  readonly #beside = new Map<string, Uint8Array>();
  #isAnew = false;

  /**
   * @param folder - of the published files
   * @param staging - on the same file system
   */
  constructor(folder: string, staging: string) {
    this.#folder = folder;
    this.#staging = staging;
  }

  /**
   * Finishes what a killed run had decided. What it had not decided is for {@link forget}.
   *
   * @returns the position that it had decided on; undefined if there is none
   */
  async recover(): Promise<SharedPosition | undefined> {
    const file = join(this.#staging, commitName);
    if (!existsSync(file)) return undefined;
    const commit = parseCommit(await readFile(file, "utf8"), file);
    await this.#place(commit);
    return commit.position;
  }

  /** From now on the files of days to which something is added begin empty. */
  beginAnew(): void {
    this.#isAnew = true;
  }

  /** Adds an event to its day's file; nothing is published yet. */
  add(event: WebEvent): void {
    const name = dayFileName(dayOf(event.polledAt));
    const staged = this.#staged.get(name) ?? this.#stage(name);
    staged.add(formatWebEvent(event));
  }

  /** Another file of the folder is replaced when what was added is published. @param name - with a folder, if it is in one */
  replace(name: string, bytes: Uint8Array): void {
    this.#beside.set(name, bytes);
  }

  /**
   * Publishes what was added, durably.
   *
   * @param position - of the crawler's events, after those that were added
   * @param signing - what signs the new files, and whether it also signs those that are published already
   * @returns the number of days' files
   */
  async publish(
    position: SharedPosition,
    signing?: { readonly signer: FileSigner; readonly isAll: boolean },
  ): Promise<number> {
    const days = this.#staged.size;
    const added = [...this.#staged.keys(), ...this.#beside.keys()];
    for (const [name, bytes] of this.#beside) this.#write(name, bytes);
    this.#beside.clear();
    for (const staged of this.#staged.values()) staged.close();
    this.#staged.clear();
    // Signatures are placed before what they sign: they are those of the last version as well.
    const names = [...(signing === undefined ? [] : await this.#sign(added, signing)), ...added];
    if (names.length === 0) return 0;
    await syncFiles(names.map((name) => join(this.#staging, name)));
    const commit: Commit = { position, names };
    await writeDurably(join(this.#staging, commitName), `${JSON.stringify(commit)}\n`);
    await this.#place(commit);
    return days;
  }

  /** Removes what was staged, and the position that was decided on, which is remembered elsewhere by now. */
  forget(): void {
    rmSync(this.#staging, { recursive: true, force: true });
  }

  #write(name: string, bytes: Uint8Array | string): void {
    const staged = join(this.#staging, name);
    makeMissingFolder(dirname(staged));
    writeFileSync(staged, bytes);
  }

  async #sign(added: readonly string[], { signer, isAll }: { signer: FileSigner; isAll: boolean }): Promise<string[]> {
    const files = new Map<string, string>();
    for (const name of isAll ? this.#published() : []) files.set(name, this.#folder);
    for (const name of added) files.set(name, this.#staging);
    const names: string[] = [];
    for (const [of, folder] of files) {
      const name = of + signatureEnding;
      const last = this.#lastSignature(name);
      const signature = await signer.sign(of, join(folder, of));
      if (signature === last) continue;
      this.#write(name, formatSignatures(signature, last));
      names.push(name);
    }
    return names;
  }

  /** Names of the files that readers find by their names. */
  #published(): string[] {
    if (!existsSync(this.#folder)) return [];
    const days = readdirSync(this.#folder).filter((name) => parseDayFileName(name) !== undefined);
    const index = eventsFolder + eventIndexName;
    return existsSync(join(this.#folder, index)) ? [...days, index] : days;
  }

  #lastSignature(name: string): string | undefined {
    const file = join(this.#folder, name);
    return existsSync(file) ? parseSignatures(readFileSync(file, "latin1"))?.[0] : undefined;
  }

  #stage(name: string): StagedFile {
    makeMissingFolder(this.#staging);
    const [from, to] = [join(this.#folder, name), join(this.#staging, name)];
    if (!this.#isAnew && existsSync(from)) copyFileSync(from, to);
    const staged = new StagedFile(openSync(to, "a", 0o644));
    this.#staged.set(name, staged);
    return staged;
  }

  async #place({ names }: Commit): Promise<void> {
    makeFolder(this.#folder, 0o755);
    for (const name of names) {
      const staged = join(this.#staging, name);
      // What is not there any more was placed before the process was killed.
      if (!existsSync(staged)) continue;
      makeFolder(dirname(join(this.#folder, name)), 0o755);
      await renameDurably(staged, join(this.#folder, name), 0o644);
    }
  }
}

function parseCommit(text: string, file: string): Commit {
  try {
    const { position, names } = JSON.parse(text) as Commit;
    const { epoch, number, checkedTo = 0 } = position;
    const isPosition = typeof epoch === "string" && typeof number === "number" && typeof checkedTo === "number";
    if (isPosition && Array.isArray(names)) return { position: { epoch, number, checkedTo }, names };
  } catch {}
  throw new TidemarkError("state-corrupt", `${file} is damaged.`, {
    hint: "Remove its folder and the share's files, and share again.",
    details: { file },
  });
}
