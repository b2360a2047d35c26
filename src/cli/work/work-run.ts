import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { omitUndefined, TidemarkError, wrapSystemError } from "../../core/index.ts";
import { type VisitUnitOptions, visitUnit } from "../../crawler/index.ts";
import { parseKey, workFor } from "../../fleet/index.ts";
import { formatWorkResult, maxUnitBytes, parseWorkUnit } from "../../formats/work-unit/index.ts";
import { readAtMost, writeTextFile } from "../../fs/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatNoun } from "../terminal/quantity.ts";

/** What the command line says about the network of who works. */
interface WorkNetwork extends Pick<VisitUnitOptions, "allowPrivate" | "proxy"> {
  /** File of additional authorities. */
  readonly ca?: string;
}

/** What the command line says about one unit. */
interface FilterArguments extends WorkNetwork {
  readonly kind: "filter";
  readonly input?: string;
  readonly output?: string;
}

/** What the command line says about the units of a server. */
interface LoopArguments extends WorkNetwork {
  readonly kind: "loop";
  readonly from: string;
  /** File of the key. */
  readonly key: string;
  readonly units?: number;
}

export type WorkArguments = FilterArguments | LoopArguments;

/** How units are fetched. @throws TidemarkError if the file of authorities cannot be read */
function unitOptionsOf({ ca: file, allowPrivate, proxy }: WorkNetwork): VisitUnitOptions {
  let ca: string | undefined;
  try {
    ca = file === undefined ? undefined : readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the certificates ${file}`, { file });
  }
  return omitUndefined({ ca, allowPrivate, proxy });
}

async function readInput(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of input) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxUnitBytes) break;
  }
  return Buffer.concat(pieces);
}

/** Works on one unit, or for a server. */
export async function runWork(options: WorkArguments, context: RunContext): Promise<ExitCode> {
  return options.kind === "filter" ? await runFilter(options, context) : await runLoop(options, context);
}

/** Works for a server until a signal comes, which is how it is meant to end. */
async function runLoop({ from, key: file, units, ...network }: LoopArguments, context: RunContext): Promise<ExitCode> {
  const { err, json, quiet, signal } = context;
  const key = Buffer.from(await readAtMost(file, 1024, "the key")).toString("latin1");
  if (parseKey(key) === undefined)
    throw new TidemarkError("bad-option", `${file} is not the key of a volunteer.`, {
      hint: "tidemark volunteers init makes keys.",
      details: { file },
    });
  const summary = await workFor({
    ...unitOptionsOf(network),
    ...{ from, key, units, signal },
    onEvent: (event) => {
      printEvent(context, event);
      if (json || quiet) return;
      if (event.event === "unit") err.write(`${event.unit}: ${formatNoun(event.pages, "page")} of ${event.site}\n`);
      else if (event.event === "result") err.write(`${event.unit}: ${event.answer}\n`);
      else err.write(`${event.why}; asking again in ${event.seconds} s\n`);
    },
  });
  printSummary(context, summary, () => {
    const { accepted, pages } = summary;
    return `${formatNoun(summary.units, "unit")}, ${formatNoun(pages, "page")}; ${formatNoun(accepted, "result")} accepted\n`;
  });
  return exitCodes.done;
}

/** Fetches the pages of one unit. After a signal the result says that it is partial. */
async function runFilter({ input, output, ...network }: FilterArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const text =
    input === undefined ? await readInput(context.input()) : await readAtMost(input, maxUnitBytes + 1, "the work unit");
  const unit = parseWorkUnit(text);
  if (!unit.ok)
    throw new TidemarkError("bad-option", `This is no work unit: ${unit.error.message}.`, {
      hint: "docs/work-units.md describes them.",
      details: { problem: unit.error.code },
    });
  if (unit.value.deadline * 1000 <= Date.now())
    throw new TidemarkError("bad-option", "The deadline of this work unit is over.", { hint: "Ask for another one." });
  const result = await visitUnit(unit.value, { ...unitOptionsOf(network), signal });
  const written = formatWorkResult(result);
  if (output !== undefined) await writeTextFile(resolve(output), written, { overwrite: true });
  else if (!json) out.write(written);
  const answered = result.pages.filter(({ answer }) => typeof answer === "number").length;
  const { pages, isComplete, robots } = result;
  if (json) out.writeJson({ event: "summary", pages: pages.length, answered, isComplete, robots });
  else if (!quiet) err.write(`${answered} of ${formatNoun(pages.length, "page")} of ${unit.value.origin} answered\n`);
  if (signal.aborted) throw new TidemarkError("aborted", "The work was stopped; the result is partial.");
  if (robots === "unreachable") return exitCodes.siteUnavailable;
  return isComplete ? exitCodes.done : exitCodes.itemsFailed;
}
