import { TidemarkError } from "../core/index.ts";
import { createDurably, writeDurably } from "./durable-file.ts";

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
  if (overwrite) await writeDurably(path, text, { mode: "user" });
  else if (!(await createDurably(path, text, { mode: "user" })))
    throw new TidemarkError("bad-option", `${path} is there already.`, {
      hint: "Name another file, or overwrite this one with --force.",
      details: { path },
    });
}
