import type { EpochMs } from "../../core/index.ts";
import { omitUndefined, parseMediaTypeFilter, TidemarkError } from "../../core/index.ts";
import { readChanges } from "../../crawler/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatCount } from "../terminal/quantity.ts";
import type { ChangeFormat } from "./change-line.ts";
import { formatChange } from "./change-line.ts";
import { type KeptCursor, readCursorFile, writeCursorFile } from "./cursor-file.ts";

/** What the command line says about a list of changes. */
export interface ChangesArguments {
  readonly url: string;
  readonly cursorFile?: string;
  readonly since?: EpochMs;
  readonly types?: readonly string[];
  readonly format: ChangeFormat;
}

/** Prints changes; the cursor moves only when all of them have left the process. */
export async function runChanges(options: ChangesArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, quiet } = context;
  const { url, cursorFile, since, types, format } = options;
  // In canonical form, to be kept with the cursor.
  const typesKey = parseMediaTypeFilter(types ?? [])?.key ?? "";
  const json = format === "json";
  const origin = new URL(url).origin;
  const startedMs = performance.now();
  const kept = cursorFile === undefined ? undefined : await readCursorFile(cursorFile);
  if (kept !== undefined) checkCursor(kept, origin, typesKey, cursorFile ?? "");
  await using reading = await readChanges({
    url,
    ...omitUndefined({ cursor: kept?.cursor, since, types }),
    signal: context.signal,
    onEvent: (event) => {
      if (json) out.writeJson(event);
      else if (event.event === "warning") err.write(`warning: ${event.message}\n`);
    },
  });
  if (reading.reset && kept !== undefined) {
    if (json) out.writeJson({ event: "reset" });
    else err.write(`note: ${origin} cannot be followed from the cursor; this is everything that it has\n`);
  }
  const counts = { created: 0, updated: 0, deleted: 0 };
  for await (const change of reading.changes) {
    counts[change.kind]++;
    out.write(formatChange(change, origin, format));
    if (out.isFull) await out.ready();
    context.signal.throwIfAborted();
  }
  await out.flush();
  context.signal.throwIfAborted();
  if (cursorFile !== undefined)
    await writeCursorFile(cursorFile, { site: origin, types: typesKey, cursor: reading.cursor });
  if (json) {
    const { reset, cursor } = reading;
    const elapsedMs = Math.round(performance.now() - startedMs);
    out.writeJson({ event: "summary", site: origin, ...counts, reset, cursor, elapsedMs });
  } else if (!quiet) {
    const { created, updated, deleted } = counts;
    err.write(`${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted\n`);
  }
  return exitCodes.done;
}

function checkCursor(kept: KeptCursor, origin: string, typesKey: string, file: string): void {
  if (kept.site !== origin) {
    throw new TidemarkError("bad-option", `The cursor ${file} is of ${kept.site}, not of ${origin}.`, {
      hint: "Keep a file for each site.",
      details: { file, site: kept.site },
    });
  }
  if (kept.types !== typesKey) {
    const [before, now] = [kept.types || "all types", typesKey || "all types"];
    throw new TidemarkError("bad-option", `The cursor ${file} is of ${before}, not of ${now}.`, {
      hint: "Keep a file for each choice of --types, or delete this one to begin anew.",
      details: { file, types: kept.types },
    });
  }
}
