import { resolve } from "node:path";
import { writeTextFile } from "../../fs/index.ts";
import type { RunContext } from "./command.ts";

/** Writes OpenMetrics text to what `--openmetrics` names: a file, or `-` for standard output. */
export async function writeMetrics(text: string, file: string, { out }: RunContext): Promise<void> {
  if (file === "-") out.write(text);
  else await writeTextFile(resolve(file), text, { overwrite: true });
}
