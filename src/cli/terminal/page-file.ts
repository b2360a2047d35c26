import { statSync } from "node:fs";
import { resolve } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import { readAtMost, writeTextFile } from "../../fs/index.ts";

const pageStart = "<!doctype html>";

/**
 * Refuses to replace what is no page: in `--html access.log*` a shell makes the first log the page's file.
 *
 * @throws TidemarkError `bad-option`
 */
export async function checkPageFile(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || (found.isFile() && found.size === 0)) return;
  const start = found.isFile() ? Buffer.from(await readAtMost(file, pageStart.length, "the page")).toString() : "";
  if (start.toLowerCase() === pageStart) return;
  throw new TidemarkError("bad-option", `${file} is there, and is no page of HTML.`, {
    hint: "--html takes the name of a new file, or of a page that is to be replaced.",
    details: { file },
  });
}

/** Writes a page to the file that {@link checkPageFile} let pass. */
export async function writePage(file: string, page: string): Promise<void> {
  await writeTextFile(resolve(file), page, { overwrite: true });
}
