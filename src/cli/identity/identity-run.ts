import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { omitUndefined, TidemarkError, wrapSystemError } from "../../core/index.ts";
import { createDurably, makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { keyDirectoryPath, makeIdentity, readIdentity } from "../../http/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";

/** What the command line says about a crawler's key. */
export type IdentityArguments =
  | { readonly action: "init"; readonly agent: string; readonly folder: string }
  | { readonly action: "show"; readonly key: string };

/** Makes a crawler's key, or shows what is public of it. */
export async function runIdentity(options: IdentityArguments, { out, json, quiet }: RunContext): Promise<ExitCode> {
  if (options.action === "show") {
    const { id, agent } = readIdentity(readKey(options.key));
    if (json) out.writeJson({ event: "summary", ...omitUndefined({ keyId: id, agent }) });
    else out.write(`key id  ${id}\nagent   ${agent ?? "none"}\n`);
    return exitCodes.done;
  }
  const { folder } = options;
  const made = makeIdentity(options.agent);
  const key = join(folder, "identity.json");
  const directory = join(folder, "public", keyDirectoryPath);
  makeMissingFolder(dirname(directory));
  const isNew = await createDurably(key, made.keyText, { mode: 0o600 });
  const { id: keyId, agent, directoryText } = readIdentity(isNew ? made.keyText : readKey(key));
  // A run that was killed between the two files left the key alone. Earlier versions had the other beside it.
  const isAlone = !existsSync(directory) && !existsSync(join(folder, keyDirectoryPath));
  if (!isNew && (!isAlone || agent !== readIdentity(made.keyText).agent))
    throw new TidemarkError("bad-option", `There is a key already: ${key}`, {
      hint: "Name another folder with --into. Servers know you by the key: keep it as long as you can.",
    });
  await writeDurably(directory, directoryText, { mode: 0o644 });
  if (json) out.writeJson({ event: "summary", ...omitUndefined({ keyId, agent }), key, directory });
  else if (!quiet)
    out.write(
      `${isNew ? "Made the key" : "Made the public file of the key"} ${keyId}.\n\n` +
        `${key}: secret; crawl --identity ${key}\n` +
        `${directory}: public; serve it as ${agent}${keyDirectoryPath}\n` +
        "  with Content-Type: application/http-message-signatures-directory+json\n",
    );
  return exitCodes.done;
}

function readKey(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the identity ${file}`, { file });
  }
}
