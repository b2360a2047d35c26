import { createHash, hash } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { lstat, open, opendir } from "node:fs/promises";
import { digestBytes, type HeldBody, type Page } from "../../core/index.ts";
import { fileNamed } from "./mirror-path.ts";
import { MirrorPlaces } from "./mirror-places.ts";

const pieceBytes = 256 * 1024;
// A pipe that took the place of a page must not be waited for.
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export type BodyFault = "missing" | "not-a-file" | "size" | "digest" | "unreadable";

export interface BodyVerdict {
  readonly fault: BodyFault | undefined;
  readonly message: string;
  readonly readBytes: number;
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

function verdict(fault: BodyFault | undefined, message: string, readBytes: number = 0): BodyVerdict {
  return { fault, message, readBytes };
}

/** Names of files, eight bytes each, in the order of their hashes once they are sealed. */
class NameSet {
  #hashes: BigUint64Array = new BigUint64Array(1024);
  #length = 0;

  add(name: string): void {
    if (this.#length === this.#hashes.length) {
      const larger = new BigUint64Array(this.#length * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#length++] = hashOf(name);
  }

  seal(): void {
    this.#hashes = this.#hashes.subarray(0, this.#length).sort();
  }

  has(name: string): boolean {
    const wanted = hashOf(name);
    let from = 0;
    let to = this.#length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#hashes[middle] ?? 0n) < wanted) from = middle + 1;
      else to = middle;
    }
    return this.#hashes[from] === wanted && from < this.#length;
  }
}

function hashOf(name: string): bigint {
  return hash("sha1", Buffer.from(name, "latin1"), "buffer").readBigUInt64LE();
}

/** Compares the mirror of a site with the state. Memory is eight bytes per page. */
export class MirrorAudit {
  readonly #folder: string;
  readonly #places: MirrorPlaces;
  readonly #names: NameSet = new NameSet();

  /** @param pages - all that are held of the site */
  constructor(folder: string, pages: Iterable<Page>) {
    this.#folder = folder;
    this.#places = new MirrorPlaces(folder);
    for (const { path } of pages) this.#names.add(this.#places.namesOf(path));
    this.#names.seal();
  }

  async verify({ path, sizeBytes, digest }: Page & HeldBody): Promise<BodyVerdict> {
    const file = this.#places.fileOf(path);
    try {
      const stat = await lstat(file);
      if (!stat.isFile()) return verdict("not-a-file", "its name belongs to something that is not a file");
      if (stat.size !== sizeBytes) return verdict("size", `it has ${stat.size} bytes, not ${sizeBytes}`);
      const found = await readDigest(file);
      if (found === digest) return verdict(undefined, "", sizeBytes);
      return verdict("digest", `its digest is ${found}, not ${digest}`, sizeBytes);
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT" || code === "ENOTDIR") return verdict("missing", "it is not there");
      if (typeof code !== "string") throw error;
      return verdict("unreadable", (error as Error).message);
    }
  }

  /** Names of files in the folder that are no page's, as text; what is not UTF-8 in them is replaced. */
  async *findForeign(): AsyncGenerator<string, void, void> {
    for (const folders = [""]; ; ) {
      const within = folders.pop();
      if (within === undefined) return;
      for await (const entry of this.#entries(within)) {
        const name = within + entry.name.toString("latin1");
        if (entry.isDirectory()) folders.push(`${name}/`);
        else if (!this.#names.has(name)) yield Buffer.from(name, "latin1").toString();
      }
    }
  }

  async *#entries(within: string): AsyncGenerator<Dirent<Buffer>, void, void> {
    const folder = fileNamed(this.#folder, within);
    try {
      // The types know names as text only.
      yield* (await opendir(folder, { encoding: "buffer" as "utf8" })) as unknown as AsyncIterable<Dirent<Buffer>>;
    } catch (error) {
      // A folder that went, or never was, has no files; one that cannot be read is told of by its pages.
      if (typeof codeOf(error) !== "string") throw error;
    }
  }
}

async function readDigest(file: string | Buffer): Promise<string> {
  const sum = createHash("sha256");
  const handle = await open(file, readFlags);
  // The stream closes it.
  for await (const piece of handle.createReadStream({ highWaterMark: pieceBytes })) sum.update(piece as Buffer);
  return sum.digest().subarray(0, digestBytes).toString("base64url");
}
