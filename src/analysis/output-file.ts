import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { ownFilesOf } from "./graph-folder.ts";

/** Where an output goes. */
export interface OutputFile {
  /** Of a symbolic link the file that it leads to. */
  readonly path: string;
  /** A pipe or a terminal, which nothing may replace. */
  readonly isStream: boolean;
}

/** Finds where an output goes. @throws TidemarkError `bad-option` for a folder, a disk, and a link that leads nowhere */
export function findOutput(file: string): OutputFile {
  try {
    const status = statSync(file, { throwIfNoEntry: false });
    if (status === undefined) {
      if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return { path: file, isStream: false };
      throw refused(
        file,
        "is a symbolic link that leads nowhere",
        "Remove it, or name the file that it is to lead to.",
      );
    }
    if (status.isFile()) return { path: realpathSync(file), isStream: false };
    if (status.isFIFO() || status.isCharacterDevice()) return { path: file, isStream: true };
  } catch (error) {
    throw wrapSystemError(error, `write ${file}`, { file });
  }
  throw refused(file, "is no file", "Name a file or a pipe.");
}

/**
 * Refuses outputs before anything is computed for them.
 *
 * @param folders - graphs whose files no output may replace
 * @param inputs - lists that no output may replace
 * @throws TidemarkError `bad-option` also for an output that is given twice
 */
export function checkOutputs(
  outputs: readonly (string | undefined)[],
  folders: readonly string[],
  inputs: readonly string[] = [],
): void {
  const own = new Set(folders.flatMap(ownFilesOf).map(identityOf));
  const taken = new Set(inputs.map(identityOf));
  for (const file of outputs) {
    if (file === undefined) continue;
    findOutput(file);
    const identity = identityOf(file);
    if (own.has(identity)) throw refused(file, "is a file of the graph itself", "Name another file.");
    if (taken.has(identity)) throw refused(file, "is given twice", "Name a file of its own for each list.");
    taken.add(identity);
  }
}

const refused = (file: string, what: string, hint: string): TidemarkError =>
  new TidemarkError("bad-option", `${file} ${what}.`, { hint, details: { file } });

/** The same for all spellings of a path, and for links. */
function identityOf(file: string): string {
  const status = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (status !== undefined) return `${status.dev}:${status.ino}`;
  const folder = dirname(resolve(file));
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(file));
}
