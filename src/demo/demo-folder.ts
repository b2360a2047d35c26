import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { makeMissingFolder } from "../fs/index.ts";

/**
 * Does something in a folder for it alone.
 *
 * @param keepFolder - a folder, empty or new, that stays; without it, one that is removed
 * @throws TidemarkError `bad-option` if it is not empty, `no-permission`
 */
export async function useDemoFolder<T>(
  keepFolder: string | undefined,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  if (keepFolder !== undefined) return await use(await openKept(resolve(keepFolder)));
  const folder = await mkdtemp(join(tmpdir(), "tidemark-demo-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openKept(folder: string): Promise<string> {
  try {
    await makeMissingFolder(folder);
    if ((await readdir(folder)).length === 0) return folder;
  } catch (error) {
    throw wrapSystemError(error, `use the folder ${folder}`, { folder });
  }
  throw new TidemarkError("bad-option", `${folder} is not empty.`, { hint: "Name an empty or a new folder." });
}
