import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { adoptFile } from "./folder.ts";

/** Linux: a descriptor that stands for a place, which needs no right to read it. See open(2), O_PATH. */
const pathOnly = 0o10000000;
const descriptors = "/proc/self/fd";
const hasDescriptors: boolean = process.platform === "linux" && existsSync(descriptors);

/** Links on the way to a folder that are followed; deployments have one or two. */
const maxLinks = 8;

interface Step {
  /** Undefined where the system has no paths of descriptors. */
  readonly fd: number | undefined;
  /** A path that leads here whatever is renamed or linked meanwhile, where the system has such. */
  readonly path: string;
}

/**
 * A folder below a root, held open: what is written below {@link path} lands in it although a folder on the way is
 * exchanged for a link meanwhile. A link on the way is followed if it stays in the root.
 *
 * Where there is no `/proc` the way is looked at once, when it is opened.
 */
export class HeldFolder implements Disposable {
  readonly #steps: readonly Step[];
  readonly #made: readonly string[];

  private constructor(steps: readonly Step[], made: readonly string[]) {
    this.#steps = steps;
    this.#made = made;
  }

  /**
   * Opens a folder below a root, and makes what is missing of the way: 0755 whatever the umask, with the owner of the folder
   * above if root makes it.
   *
   * @param root - itself it may be a link
   * @throws TidemarkError `not-a-folder` where a file, or a link out of the root, is on the way; `no-permission`, `read-only`
   */
  static open(root: string, names: readonly string[]): HeldFolder {
    const made: string[] = [];
    try {
      const realRoot = realpathSync(root);
      let way = names;
      for (let links = 0; links <= maxLinks; links++) {
        const steps = [hold(realRoot)];
        const linked = walk(steps, way, realRoot, made);
        if (linked === undefined) return new HeldFolder(steps, made);
        release(steps);
        way = linked;
      }
      throw new TidemarkError("not-a-folder", `${join(root, ...names)} leads through too many links.`, {
        hint: "Make it a folder.",
      });
    } catch (error) {
      removeFolders(made);
      throw error instanceof TidemarkError ? error : wrapSystemError(error, `open ${join(root, ...names)}`);
    }
  }

  /** Path of the folder, as long as it is held. */
  get path(): string {
    return this.above(0);
  }

  /** Path of the folder so many steps above. */
  above(count: number): string {
    const step = this.#steps.at(-1 - count);
    if (step === undefined) throw new RangeError("above the root");
    return step.path;
  }

  /** Removes the folders that were made on the way, as far as nothing is in them. */
  removeMade(): void {
    removeFolders(this.#made);
  }

  [Symbol.dispose](): void {
    release(this.#steps);
  }
}

/** A path as people know it: of a folder that is held, where it is now. */
export function shownPath(path: string): string {
  const [, link = "", rest = ""] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/.exec(path) ?? [];
  if (link === "") return path;
  try {
    return readlinkSync(link) + rest;
  } catch {
    return path;
  }
}

function hold(path: string): Step {
  const flags = constants.O_DIRECTORY | constants.O_NOFOLLOW | (hasDescriptors ? pathOnly : constants.O_RDONLY);
  const fd = openSync(path, flags);
  if (hasDescriptors) return { fd, path: `${descriptors}/${fd}` };
  closeSync(fd);
  return { fd: undefined, path };
}

function release(steps: readonly Step[]): void {
  for (const { fd } of steps) if (fd !== undefined) closeSync(fd);
}

/** Goes down, making what is missing. @returns the way without links from the root where a link was met */
function walk(
  steps: Step[],
  names: readonly string[],
  realRoot: string,
  made: string[],
): readonly string[] | undefined {
  for (const [at, name] of names.entries()) {
    const parent = steps.at(-1) as Step;
    const path = join(parent.path, name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) makeStep(path, parent, made);
    try {
      steps.push(hold(path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTDIR" && code !== "ELOOP") throw error;
      const target = findTarget(path, realRoot);
      return [...target, ...names.slice(at + 1)];
    }
  }
  return undefined;
}

function makeStep(path: string, parent: Step, made: string[]): void {
  mkdirSync(path, 0o700);
  made.push(shownPath(path));
  const step = hold(path);
  try {
    adoptFile(step.path, parent.path);
    chmodSync(step.path, 0o755);
  } finally {
    release([step]);
  }
}

/** Where a link leads to, as names below the root. */
function findTarget(path: string, realRoot: string): string[] {
  const shown = shownPath(path);
  if (!lstatSync(path).isSymbolicLink())
    throw new TidemarkError("not-a-folder", `${shown} has to be a folder, but it is a file.`, {
      hint: "Move the file away.",
      details: { path: shown },
    });
  const below = relative(realRoot, realpathSync(path));
  if (below !== ".." && !below.startsWith(`..${sep}`)) return below === "" ? [] : below.split(sep);
  throw new TidemarkError(
    "not-a-folder",
    `${shown} is a link out of the document root: nothing is written through it.`,
    {
      hint: "Make it a folder in the document root, or a link to one there.",
      details: { path: shown },
    },
  );
}

function removeFolders(made: readonly string[]): void {
  for (const path of made.toReversed()) {
    try {
      rmdirSync(path);
    } catch {
      return; // Something is in it: it stays.
    }
  }
}
