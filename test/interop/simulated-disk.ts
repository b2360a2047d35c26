import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./random.ts";
import { type SystemCall, stringsOf } from "./system-calls.ts";

/** What a call did to the bytes or the time of one file. */
type DataOperation = { readonly at: number } & (
  | { readonly kind: "write"; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "resize"; readonly sizeBytes: number }
  | { readonly kind: "time"; readonly seconds: number }
);

/** What a call did to the names in folders; all of it or nothing of it becomes durable. */
interface NameOperation {
  readonly at: number;
  /** The name, its folder before it, and what it leads to from now on. */
  readonly changes: readonly { readonly folder: Inode; readonly name: string; readonly to: Inode | undefined }[];
}

interface Inode {
  readonly isFolder: boolean;
  /** Of a file, when the recording began. */
  readonly content: Buffer;
  readonly modifiedAt: number | undefined;
  /** Of a folder, when the recording began. */
  readonly names: ReadonlyMap<string, Inode>;
  readonly operations: DataOperation[];
}

/** A promise of the system: what was done to a file, or to names in a folder, before `covers` is durable from `at` on. */
interface Sync {
  readonly at: number;
  readonly covers: number;
  /** Undefined: the whole file system. */
  readonly inode: Inode | undefined;
}

/** What a descriptor of the running program stands for. */
interface OpenFile {
  readonly path: string;
  readonly inode: Inode;
  /** When the call that opened it returned. */
  readonly openedAt: number;
  position: number;
  readonly isAppending: boolean;
}

/** How much of what was not yet durable a power cut leaves. */
export const powerCuts = ["all", "nothing", "names", "data", "newest", "any"] as const;
/** One of {@link powerCuts}. */
export type PowerCut = (typeof powerCuts)[number];

const sectorBytes = 512;
const noBytes = Buffer.alloc(0);

/**
 * A folder on a disk as a recorded program changed it, and every state in which a power cut may have left it.
 *
 * The file system promises no more than POSIX does: bytes and times of a file are durable once `fsync` of that file returned, names
 * once `fsync` of their folder did, all of it once `syncfs` did; a rename happens whole or not at all; of what was not made durable,
 * any part may be there, in any order, bytes by sectors. Operations on the same name keep their order. See Pillai et
 * al., "All File Systems Are Not Created Equal", OSDI 2014, section 3.
 */
export class SimulatedDisk {
  readonly #folder: string;
  readonly #root: Inode;
  readonly #nameOperations: NameOperation[] = [];
  readonly #syncs: Sync[] = [];
  readonly #files: Inode[] = [];
  /** Names as the running program sees them. */
  readonly #live = new Map<Inode, Map<string, Inode>>();

  /** Reads the folder as it is now. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#root = this.#read(folder);
  }

  /** Instants, one after each call that changed something or made it durable. */
  get instants(): number[] {
    const all = [...this.#nameOperations, ...this.#syncs, ...this.#files.flatMap(({ operations }) => operations)];
    return [...new Set(all.map(({ at }) => at))].sort((a, b) => a - b);
  }

  /** Takes what a program did, from when the folder was read. */
  replay(calls: readonly SystemCall[]): void {
    const open = new Map<number, OpenFile>();
    for (const call of calls) {
      if (call.result < 0) continue;
      if (call.name === "syncfs" || call.name === "sync")
        this.#syncs.push({ at: call.endedAt, covers: call.begunAt, inode: undefined });
      if (!call.isOwn) continue;
      this.#take(call, open);
    }
  }

  #take({ name, args, result, begunAt, endedAt: at }: SystemCall, open: Map<number, OpenFile>): void {
    const descriptor = Number.parseInt(args, 10);
    const file = open.get(descriptor);
    // A folder that is open is also named by its descriptor.
    const paths = (): string[] =>
      stringsOf(args).map((path) =>
        path
          .toString("latin1")
          .replace(/^\/proc\/self\/fd\/(\d+)/, (name, number) => open.get(Number(number))?.path ?? name),
      );
    switch (name) {
      case "open":
      case "openat":
      case "creat": {
        const [path = ""] = paths();
        open.delete(result);
        const inode = this.#opened(path, args, at);
        if (inode !== undefined)
          open.set(result, { path, inode, openedAt: at, position: 0, isAppending: args.includes("O_APPEND") });
        return;
      }
      case "close":
        // Another thread may have got the number before this one saw its call return.
        if (file === undefined || file.openedAt < begunAt) open.delete(descriptor);
        return;
      case "dup":
      case "dup2":
      case "dup3":
        if (file !== undefined) open.set(result, file);
        return;
      case "lseek":
        if (file !== undefined) file.position = result;
        return;
      case "write":
      case "writev":
      case "pwrite64":
      case "pwritev":
      case "pwritev2": {
        if (file === undefined) return;
        const bytes = Buffer.concat(stringsOf(args)).subarray(0, result);
        const isPlaced = name.startsWith("p");
        const offset = isPlaced ? placeOf(name, args) : file.isAppending ? sizeOf(file.inode) : file.position;
        file.inode.operations.push({ at, kind: "write", offset, bytes });
        if (!isPlaced) file.position = offset + bytes.length;
        return;
      }
      case "ftruncate":
        file?.inode.operations.push({ at, kind: "resize", sizeBytes: Number(args.split(",")[1]) });
        return;
      case "fallocate": {
        const [, , offset = 0, length = 0] = args.split(",").map(Number);
        if (file !== undefined && offset + length > sizeOf(file.inode))
          file.inode.operations.push({ at, kind: "resize", sizeBytes: offset + length });
        return;
      }
      case "copy_file_range":
      case "sendfile":
      case "truncate":
        throw new Error(`${name} is not simulated: ${args.slice(0, 200)}`);
      case "fsync":
      case "fdatasync":
        if (file !== undefined) this.#syncs.push({ at, covers: begunAt, inode: file.inode });
        return;
      case "utimensat": {
        const [path] = paths();
        const inode = path === undefined ? file?.inode : this.#find(path);
        const modified = [...args.matchAll(/tv_sec=(-?\d+), tv_nsec=(\d+)/g)][1];
        if (modified === undefined) throw new Error(`${name} is not simulated: ${args.slice(-200)}`);
        inode?.operations.push({ at, kind: "time", seconds: Number(modified[1]) + Number(modified[2]) / 1e9 });
        return;
      }
      case "mkdir":
      case "mkdirat":
        this.#makeFolder(paths()[0] ?? "", at);
        return;
      case "unlink":
      case "rmdir":
      case "unlinkat":
        this.#point(at, [[paths()[0] ?? "", undefined]]);
        return;
      case "rename":
      case "renameat":
      case "renameat2": {
        const [from = "", to = ""] = paths();
        const inode = this.#find(from);
        if (inode === undefined && this.#find(to) === undefined) return;
        this.#point(at, [
          [from, undefined],
          [to, inode],
        ]);
        return;
      }
      case "link":
      case "linkat": {
        const [from = "", to = ""] = paths();
        this.#point(at, [[to, this.#find(from)]]);
        return;
      }
      case "symlink":
      case "symlinkat":
        if (this.#isInside(paths()[1] ?? "")) throw new Error("symbolic links are not simulated");
    }
  }

  #isInside(path: string): boolean {
    return path.startsWith(`${this.#folder}/`);
  }

  #opened(path: string, args: string, at: number): Inode | undefined {
    if (path !== this.#folder && !this.#isInside(path)) return undefined;
    const found = this.#find(path);
    if (found !== undefined) {
      if (args.includes("O_TRUNC") && !found.isFolder) found.operations.push({ at, kind: "resize", sizeBytes: 0 });
      return found;
    }
    if (!args.includes("O_CREAT")) return undefined;
    const made = this.#file(noBytes, undefined);
    this.#point(at, [[path, made]]);
    return made;
  }

  #makeFolder(path: string, at: number): void {
    const made: Inode = { isFolder: true, content: noBytes, modifiedAt: undefined, names: new Map(), operations: [] };
    this.#live.set(made, new Map());
    this.#point(at, [[path, made]]);
  }

  #file(content: Buffer, modifiedAt: number | undefined): Inode {
    const inode: Inode = { isFolder: false, content, modifiedAt, names: new Map(), operations: [] };
    this.#files.push(inode);
    return inode;
  }

  #read(path: string): Inode {
    const stat = statSync(path);
    if (!stat.isDirectory()) return this.#file(readFileSync(path), stat.mtimeMs / 1000);
    const names = new Map(readdirSync(path, "latin1").map((name) => [name, this.#read(join(path, decode(name)))]));
    const inode: Inode = { isFolder: true, content: noBytes, modifiedAt: undefined, names, operations: [] };
    this.#live.set(inode, new Map(names));
    return inode;
  }

  #find(path: string): Inode | undefined {
    if (path === this.#folder) return this.#root;
    if (!this.#isInside(path)) return undefined;
    let inode: Inode | undefined = this.#root;
    for (const name of path.slice(this.#folder.length + 1).split("/"))
      if (name !== "") inode = inode === undefined ? undefined : this.#live.get(inode)?.get(name);
    return inode;
  }

  #point(at: number, targets: readonly (readonly [path: string, to: Inode | undefined])[]): void {
    const changes = targets.flatMap(([path, to]) => {
      if (!this.#isInside(path)) return [];
      const end = path.endsWith("/") ? path.length - 1 : path.length;
      const cut = path.lastIndexOf("/", end - 1);
      const folder = this.#find(path.slice(0, cut));
      return folder === undefined ? [] : [{ folder, name: path.slice(cut + 1, end), to }];
    });
    for (const { folder, name, to } of changes) {
      const names = this.#live.get(folder);
      if (to === undefined) names?.delete(name);
      else names?.set(name, to);
    }
    if (changes.length > 0) this.#nameOperations.push({ at, changes });
  }

  /** Up to when operations on an inode are durable, at an instant. */
  #durable(inode: Inode, instant: number): number {
    let covers = 0;
    for (const sync of this.#syncs)
      if (sync.at <= instant && (sync.inode === undefined || sync.inode === inode))
        covers = Math.max(covers, sync.covers);
    return covers;
  }

  /** Name operations that are there after the cut, in order. */
  #keptNames(instant: number, cut: PowerCut, random: Random): NameOperation[] {
    const done = this.#nameOperations.filter(({ at }) => at <= instant);
    // Operations with a name in common keep their order: of each such chain a beginning is there.
    const chains: NameOperation[][] = [];
    const chainOf = new Map<Inode, Map<string, NameOperation[]>>();
    for (const operation of done) {
      const touched = new Set<NameOperation[]>();
      for (const { folder, name } of operation.changes) {
        const found = chainOf.get(folder)?.get(name);
        if (found !== undefined) touched.add(found);
      }
      const chain = [...touched].flat().sort((a, b) => a.at - b.at);
      chain.push(operation);
      for (const old of touched) chains.splice(chains.indexOf(old), 1);
      chains.push(chain);
      for (const { changes } of chain)
        for (const { folder, name } of changes) {
          const names = chainOf.get(folder) ?? new Map<string, NameOperation[]>();
          chainOf.set(folder, names.set(name, chain));
        }
    }
    const kept = chains.flatMap((chain) => {
      const least = 1 + chain.findLastIndex((operation) => this.#isDurable(operation, instant));
      return chain.slice(0, choosePrefix(chain.length, least, cut, cut === "names", random));
    });
    return kept.sort((a, b) => a.at - b.at);
  }

  #isDurable({ at, changes }: NameOperation, instant: number): boolean {
    return changes.some(({ folder }) => at < this.#durable(folder, instant));
  }

  #contentOf(inode: Inode, instant: number, cut: PowerCut, random: Random): { bytes: Buffer; seconds?: number } {
    const durable = this.#durable(inode, instant);
    const done = inode.operations.filter(({ at }) => at <= instant);
    const least = done.filter(({ at }) => at < durable).length;
    const isNewest = cut === "newest" && random.below(3) > 0;
    const kept = isNewest
      ? done.filter((_, index) => index < least || index === done.length - 1)
      : done.slice(0, choosePrefix(done.length, least, cut, cut === "data", random));
    // Sectors reach a disk in any order: what is missing between two that did is zeros or what was there.
    const scattered = cut === "any" && random.below(2) === 0;
    const chosen = scattered ? done.filter((_, index) => index < least || random.below(2) === 0) : kept;
    let bytes = inode.content;
    let seconds = inode.modifiedAt;
    for (const [index, operation] of chosen.entries()) {
      if (operation.kind === "time") seconds = operation.seconds;
      else if (operation.kind === "resize") bytes = resized(bytes, operation.sizeBytes);
      else {
        const isTorn = cut === "any" && index >= least && random.below(3) === 0;
        const whole = operation.bytes;
        const part = isTorn ? whole.subarray(0, sectorBytes * random.below(whole.length / sectorBytes + 1)) : whole;
        const after = resized(bytes, Math.max(bytes.length, operation.offset + part.length));
        bytes = after === bytes ? Buffer.from(bytes) : after;
        part.copy(bytes, operation.offset);
      }
    }
    return { bytes, ...(seconds === undefined ? {} : { seconds }) };
  }

  /** Makes the folder what a power cut after an instant may have left. @returns how many names it then has */
  restore(folder: string, instant: number, cut: PowerCut, random: Random): number {
    const names = new Map<Inode, Map<string, Inode>>();
    const namesOf = (inode: Inode): Map<string, Inode> => {
      const found = names.get(inode) ?? new Map(inode.names);
      names.set(inode, found);
      return found;
    };
    for (const { changes } of this.#keptNames(instant, cut, random))
      for (const { folder: inode, name, to } of changes) {
        if (to === undefined) namesOf(inode).delete(name);
        else namesOf(inode).set(name, to);
      }
    rmSync(folder, { recursive: true, force: true });
    let count = 0;
    const write = (path: string, inode: Inode): void => {
      count += 1;
      if (inode.isFolder) {
        mkdirSync(path);
        for (const [name, inner] of namesOf(inode)) write(join(path, decode(name)), inner);
        return;
      }
      const { bytes, seconds } = this.#contentOf(inode, instant, cut, random);
      writeFileSync(path, bytes);
      if (seconds !== undefined) utimesSync(path, seconds, seconds);
    };
    write(folder, this.#root);
    return count;
  }
}

/** How many operations of a chain are there; at least those that are durable. */
function choosePrefix(length: number, least: number, cut: PowerCut, isWanted: boolean, random: Random): number {
  if (cut === "all" || isWanted) return length;
  if (cut === "any" || cut === "newest") return least + random.below(length - least + 1);
  return least;
}

function resized(bytes: Buffer, sizeBytes: number): Buffer {
  if (sizeBytes === bytes.length) return bytes;
  const made = Buffer.alloc(sizeBytes);
  bytes.copy(made);
  return made;
}

function sizeOf({ content, operations }: Inode): number {
  let size = content.length;
  for (const operation of operations) {
    if (operation.kind === "resize") size = operation.sizeBytes;
    else if (operation.kind === "write") size = Math.max(size, operation.offset + operation.bytes.length);
  }
  return size;
}

function placeOf(name: string, args: string): number {
  const numbers = args.replaceAll(/"[^"]*"/g, "").split(",");
  return Number(numbers.at(name === "pwritev2" ? -2 : -1));
}

function decode(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
