import { type CopyMirrorOptions, copyMirror } from "../../copies/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount } from "../terminal/quantity.ts";

/** Copies a mirror, and prints what it cost. */
export async function runCopy(options: CopyMirrorOptions, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet || json);
  const onProgress = (pages: number): void => progress.show(() => `${formatCount(pages)} pages`);
  const summary = await copyMirror({ ...options, signal, onProgress }).finally(() => progress.clear());
  if (json) out.writeJson({ event: "summary", ...summary });
  else if (!quiet) {
    const { folder, pages, shared, bytes } = summary;
    out.write(
      `${folder}: ${formatCount(pages)} pages, ${formatCount(shared)} of them shared, ${formatBytes(bytes)} new\n`,
    );
  }
  return exitCodes.done;
}
