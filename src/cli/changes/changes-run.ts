import { type Change, type EpochMs, omitUndefined, parseMediaTypeFilter } from "../../core/index.ts";
import { readChanges, readCrawlChanges } from "../../crawler/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatCount } from "../terminal/quantity.ts";
import { type ChangeFormat, formatChange, formatCrawlChange } from "./change-line.ts";
import { otherCursor, readCursorFile, type SiteCursor, writeCursorFile } from "./cursor-file.ts";

interface ListArguments {
  readonly cursorFile?: string;
  readonly since?: EpochMs;
  readonly format: ChangeFormat;
}

/** What the command line says about a list of a site's changes. */
export interface SiteChangesArguments extends ListArguments {
  readonly url: string;
  readonly types?: readonly string[];
}

/** What the command line says about what a crawler saw. */
export interface SeenChangesArguments extends ListArguments {
  /** Folder of mirrors, or a state's file. */
  readonly store: string;
}

/** A list of changes, and what is said of it. */
interface ChangeList<Item> {
  readonly changes: AsyncIterable<Item> | Iterable<Item>;
  readonly format: (change: Item) => string;
  /** Why the cursor that was given cannot be gone on from; undefined if it can. */
  readonly resetNote: string | undefined;
  /** What the summary in JSON says beside the counts. */
  readonly facts: object;
  readonly writeCursor: () => Promise<void>;
}

/** Prints the changes of a site, or those that a crawler saw. */
export async function runChanges(
  options: SiteChangesArguments | SeenChangesArguments,
  context: RunContext,
): Promise<ExitCode> {
  return await ("store" in options ? printSeen(options, context) : printPublished(options, context));
}

async function printPublished(options: SiteChangesArguments, context: RunContext): Promise<ExitCode> {
  const { url, cursorFile, since, types, format } = options;
  // In canonical form, to be kept with the cursor.
  const typesKey = parseMediaTypeFilter(types ?? [])?.key ?? "";
  const origin = new URL(url).origin;
  const cursor = cursorFile === undefined ? undefined : await readSiteCursor(cursorFile, origin, typesKey);
  await using reading = await readChanges({
    url,
    ...omitUndefined({ cursor, since, types }),
    signal: context.signal,
    onEvent: (event) => {
      if (format === "json") context.out.writeJson(event);
      else if (event.event === "warning") context.err.write(`warning: ${event.message}\n`);
    },
  });
  const { reset, cursor: next, changes } = reading;
  return await printChanges<Change>(options, context, {
    changes,
    format: (change) => formatChange(change, origin, format),
    resetNote:
      reset && cursor !== undefined
        ? `the changes of ${origin} since the cursor are not known; all its pages are printed`
        : undefined,
    facts: { site: origin, reset, cursor: next },
    writeCursor: () => writeCursorFile(cursorFile ?? "", { site: origin, types: typesKey, ...next }),
  });
}

async function printSeen(options: SeenChangesArguments, context: RunContext): Promise<ExitCode> {
  const { store, cursorFile, since, format } = options;
  const kept = cursorFile === undefined ? undefined : await readCursorFile(cursorFile);
  if (kept !== undefined && "site" in kept)
    throw otherCursor(cursorFile ?? "", kept.site, "a crawler's folder", "Use a cursor file of its own for each.");
  using reading = readCrawlChanges(omitUndefined({ store, cursor: kept, since }));
  const { reset, cursor, changes } = reading;
  return await printChanges(options, context, {
    changes,
    format: (change) => formatCrawlChange(change, format),
    resetNote: reset ? "the cursor belongs to another state; all pages are printed" : undefined,
    facts: { reset, cursor },
    writeCursor: () => writeCursorFile(cursorFile ?? "", cursor),
  });
}

async function readSiteCursor(file: string, origin: string, typesKey: string): Promise<SiteCursor | undefined> {
  const kept = await readCursorFile(file);
  if (kept === undefined) return undefined;
  if (!("site" in kept))
    throw otherCursor(file, "a crawler's folder", "a site", "Use a cursor file of its own for each.");
  if (kept.site !== origin) throw otherCursor(file, kept.site, origin, "Use a cursor file of its own for each site.");
  if (kept.types === typesKey) return kept;
  const hint = "Use a cursor file of its own for each value of --types, or delete this one to start again.";
  throw otherCursor(file, kept.types || "all types", typesKey || "all types", hint);
}

/** The cursor moves only when all changes have left the process. */
async function printChanges<Item extends { readonly kind: Change["kind"] }>(
  { format, cursorFile }: ListArguments,
  { out, err, quiet, signal }: RunContext,
  list: ChangeList<Item>,
): Promise<ExitCode> {
  const json = format === "json";
  const startedMs = performance.now();
  if (list.resetNote !== undefined) {
    if (json) out.writeJson({ event: "reset" });
    else err.write(`note: ${list.resetNote}\n`);
  }
  const counts = { created: 0, updated: 0, deleted: 0 };
  for await (const change of list.changes) {
    counts[change.kind]++;
    out.write(list.format(change));
    if (out.isFull) await out.ready();
    signal.throwIfAborted();
  }
  await out.flush();
  signal.throwIfAborted();
  if (cursorFile !== undefined) await list.writeCursor();
  const { created, updated, deleted } = counts;
  const elapsedMs = Math.round(performance.now() - startedMs);
  if (json) out.writeJson({ event: "summary", ...counts, ...list.facts, elapsedMs });
  else if (!quiet)
    err.write(`${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted\n`);
  return exitCodes.done;
}
