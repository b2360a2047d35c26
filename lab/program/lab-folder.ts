import type { Stats } from "node:fs";
import { access, constants, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { TidemarkError, wrapSystemError } from "../../src/core/error.ts";
import type { LabResult } from "../../src/core/lab-result.ts";
import { makeMissingFolder } from "../../src/fs/folder.ts";
import { drawFigure } from "../../src/report/figure-svg.ts";
import { formatPage } from "./result-page.ts";
import { formatResultAsJson, formatRowsAsCsv, formatVerdictsAsCsv, type Origin } from "./row-files.ts";

/** A file that was written. */
export interface WrittenFile {
  readonly name: string;
  readonly sizeBytes: number;
}

/** How results are written. */
export interface WriteLabOptions extends Origin {
  readonly signal?: AbortSignal;
}

/**
 * Checks that results can be written into a folder, before there are any; makes nothing.
 *
 * @throws TidemarkError `not-a-folder`, `no-permission`, `read-only`
 */
export async function checkLabFolder(folder: string): Promise<void> {
  const out = resolve(folder);
  try {
    // Of one that is missing, the folder that it will be made in.
    let place = out;
    let facts = await statIfThere(place);
    while (facts === undefined && dirname(place) !== place) {
      place = dirname(place);
      facts = await statIfThere(place);
    }
    if (facts?.isDirectory() === false)
      throw new TidemarkError("not-a-folder", `${place} has to be a folder, but it is a file.`, {
        hint: "Name another folder with --out.",
        details: { folder: out, path: place },
      });
    await access(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw wrapSystemError(error, `write into ${out}`, { folder: out });
  }
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  return await stat(path).catch((error: NodeJS.ErrnoException) => {
    // ENOTDIR is found out at the file above it.
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
}

/**
 * Writes results into a folder, which is made if it is missing: for each experiment its rows as CSV and JSON and its figures
 * as SVG, the published numbers as `published.csv`, and all of it as `index.html`. Files are made beside and then renamed, so that
 * none is ever there in part; others in the folder stay.
 *
 * @returns the files in the order of their names
 * @throws TidemarkError for what the file system refuses; `aborted`
 */
export async function writeLabFolder(
  results: readonly LabResult[],
  folder: string,
  { version, signal }: WriteLabOptions,
): Promise<WrittenFile[]> {
  const out = resolve(folder);
  let partial: string | undefined;
  let files: ReadonlyMap<string, string>;
  try {
    files = await formatFiles(results, { version }, signal);
    const [made] = await makeMissingFolder(out);
    try {
      partial = await mkdtemp(join(out, ".tidemark-lab-"));
      for (const [name, content] of files) await writeFile(join(partial, name), content, { signal });
      signal?.throwIfAborted();
      for (const name of files.keys()) await rename(join(partial, name), join(out, name));
    } catch (error) {
      // A folder that was not there is not left behind.
      if (made !== undefined) await rm(made, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw wrapSystemError(error, `write into ${out}`, { folder: out });
  } finally {
    if (partial !== undefined) await rm(partial, { recursive: true, force: true });
  }
  return [...files].map(([name, content]) => ({ name, sizeBytes: Buffer.byteLength(content) }));
}

async function formatFiles(
  results: readonly LabResult[],
  origin: Origin,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const drawings = new Map<string, string>();
  for (const result of results) {
    files.set(`${result.name}.csv`, formatRowsAsCsv(result, origin));
    files.set(`${result.name}.json`, formatResultAsJson(result, origin));
    for (const figure of result.figures) {
      signal?.throwIfAborted();
      const drawing = await drawFigure(figure);
      drawings.set(figure.name, drawing);
      files.set(`${figure.name}.svg`, drawing);
    }
  }
  files.set("published.csv", formatVerdictsAsCsv(results, origin));
  files.set("index.html", formatPage(results, drawings, origin));
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
