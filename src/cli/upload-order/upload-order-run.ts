import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { omitUndefined, wrapSystemError } from "../../core/index.ts";
import { listUploadOrder, type UploadPhase } from "../../exporter/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";

/** What the command line says about the order of an upload. */
export interface UploadOrderArguments {
  readonly documentRoot: string;
  readonly phase: UploadPhase | undefined;
  /** File with the paths at the other place; `-` for standard input. */
  readonly remote: string | undefined;
}

/** Prints a path a line. Names with a line break, or of other bytes than UTF-8, are left out and told. */
export async function runUploadOrder(options: UploadOrderArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, signal } = context;
  const { documentRoot, phase, remote } = options;
  const counts: Partial<Record<UploadPhase, number>> = {};
  let leftOut = 0;
  const files = listUploadOrder({
    documentRoot,
    signal,
    ...omitUndefined({
      phases: phase === undefined ? undefined : [phase],
      remote: remote === undefined ? undefined : readLines(remote, context),
    }),
  });
  for await (const { phase: step, path } of files) {
    const bytes = Buffer.from(path, "latin1");
    if (/[\r\n]/.test(path) || !isUtf8(bytes)) {
      leftOut++;
      err.write(`warning: ${JSON.stringify(path)} is left out: a line break, or other bytes than UTF-8\n`);
      continue;
    }
    counts[step] = (counts[step] ?? 0) + 1;
    if (json) out.writeJson({ event: "file", phase: step, path: bytes.toString() });
    else out.write(`${bytes.toString()}\n`);
    if (out.isFull) await out.ready();
  }
  if (json) out.writeJson({ event: "summary", ...counts, leftOut });
  return leftOut === 0 ? exitCodes.done : exitCodes.itemsFailed;
}

async function* readLines(file: string, { input, signal }: RunContext): AsyncGenerator<string, void, void> {
  const bytes = file === "-" ? Readable.from(input()) : createReadStream(file);
  try {
    for await (const line of createInterface({ input: bytes.setEncoding("latin1"), signal })) yield line;
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { path: file });
  }
}
