import { randomBytes } from "node:crypto";
import { link, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "./export/index.ts";
import { TidemarkError, wrapSystemError } from "./model/index.ts";

/**
 * Writes a file for others to read (0644 less the umask), whole or not at all: who reads its name meets the old bytes
 * or the new ones.
 *
 * @param path - absolute
 * @throws TidemarkError `bad-option` if it is there already and must not be overwritten
 */
export async function writeTextFile(
  path: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  const temporary = join(dirname(path), `.tidemark-${randomBytes(6).toString("hex")}.tmp`);
  try {
    const handle = await open(temporary, "wx", 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link, unlike a rename, does not replace what another process put there meanwhile.
    await (overwrite ? rename(temporary, path) : link(temporary, path));
    await syncFolder(dirname(path));
  } catch (error) {
    if (!overwrite && (error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new TidemarkError("bad-option", `${path} is there already.`, {
        hint: "Name another file, or overwrite this one with --force.",
        details: { path },
      });
    }
    throw wrapSystemError(error, `write ${path}`, { path });
  } finally {
    await rm(temporary, { force: true });
  }
}
