import type { EpochMs } from "../../core/index.ts";
import { omitUndefined } from "../../core/index.ts";
import { readCrawlChanges } from "../../crawler/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatCount } from "../terminal/quantity.ts";
import type { ChangeFormat } from "./change-line.ts";
import { formatCrawlChange } from "./change-line.ts";
import { readCrawlCursorFile, writeCursorFile } from "./cursor-file.ts";

/** What the command line says about what a crawler saw. */
export interface SeenChangesArguments {
  /** Folder of mirrors, or a state's file. */
  readonly store: string;
  readonly cursorFile?: string;
  readonly since?: EpochMs;
  readonly format: ChangeFormat;
}

/** Prints what a crawler saw; the cursor moves only when all of it has left the process. */
export async function runSeenChanges(options: SeenChangesArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, quiet } = context;
  const { store, cursorFile, since, format } = options;
  const json = format === "json";
  const startedMs = performance.now();
  const kept = cursorFile === undefined ? undefined : await readCrawlCursorFile(cursorFile);
  using reading = readCrawlChanges(omitUndefined({ store, cursor: kept, since }));
  const { reset, cursor } = reading;
  if (reset && json) out.writeJson({ event: "reset" });
  if (reset && !json) err.write("note: the state is another than that of the cursor; this is everything that it has\n");
  const counts = { created: 0, updated: 0, deleted: 0 };
  for (const change of reading.changes) {
    counts[change.kind]++;
    out.write(formatCrawlChange(change, format));
    if (out.isFull) await out.ready();
    context.signal.throwIfAborted();
  }
  await out.flush();
  context.signal.throwIfAborted();
  if (cursorFile !== undefined) await writeCursorFile(cursorFile, cursor);
  if (json) {
    const elapsedMs = Math.round(performance.now() - startedMs);
    out.writeJson({ event: "summary", ...counts, reset, cursor, elapsedMs });
  } else if (!quiet) {
    const { created, updated, deleted } = counts;
    err.write(`${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted\n`);
  }
  return exitCodes.done;
}
