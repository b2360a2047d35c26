import { setTimeout as wait } from "node:timers/promises";
import { TidemarkError } from "../../core/index.ts";
import { type FollowLook, readCrawlStatus, type StatusLook, type WebStatus } from "../../crawler/index.ts";
import { formatFollowerMetrics, formatNoCrawl, formatWebMetrics } from "../../report/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { writeMetrics } from "../terminal/metrics-file.ts";
import { isUtf8Locale } from "../terminal/text-layout.ts";
import { formatTop, formatWebTop, type TopView } from "./top-text.ts";

/** What the command line says about a look at a follower. */
interface TopArguments {
  /** Folder of the mirrors. */
  readonly into: string;
  readonly isOnce?: boolean;
  /** A file, "-" for standard output. */
  readonly openMetricsFile?: string;
}

const redrawAfterMs = 1000;
/** Another screen, as editors have, without a cursor; and back. */
const enterScreen = "\u001b[?1049h\u001b[?25l";
const leaveScreen = "\u001b[?25h\u001b[?1049l";

/** Shows how a follower is doing: once, or again and again on a terminal until somebody ends it. */
export async function runTop(options: TopArguments, context: RunContext): Promise<ExitCode> {
  const { into, isOnce, openMetricsFile } = options;
  const { out, json, quiet } = context;
  if (out.isTerminal && !isOnce && !json && !quiet && openMetricsFile === undefined) return await watch(into, context);
  const look = openMetricsFile === undefined ? lookAt(into) : await writeLook(into, openMetricsFile, context);
  if (json) out.writeJson({ event: "summary", ...look.status, ageMs: look.ageMs, isBusy: look.isBusy });
  else if (!quiet && openMetricsFile === undefined)
    out.write(
      formatLook(look, { ...viewOf(context, process.env), isBold: false })
        .map((line) => `${line}\n`)
        .join(""),
    );
  return exitCodes.done;
}

type Look = FollowLook | StatusLook<WebStatus>;

const isWeb = (look: Look): look is StatusLook<WebStatus> => "heldBack" in look.status;

function lookAt(into: string): Look {
  return readCrawlStatus(into, Date.now);
}

function formatLook(look: Look, view: TopView): string[] {
  return isWeb(look) ? formatWebTop(look, view) : formatTop(look, view);
}

/** Writes metrics. @returns where they come from */
async function writeLook(into: string, file: string, context: RunContext): Promise<Look> {
  try {
    const look = lookAt(into);
    const text = isWeb(look) ? formatWebMetrics(look.status) : formatFollowerMetrics(look.status);
    await writeMetrics(text, file, context);
    return look;
  } catch (error) {
    // Who watches the numbers has to see that there are none any more.
    if (error instanceof TidemarkError && error.code === "not-found")
      await writeMetrics(formatNoCrawl(), file, context);
    throw error;
  }
}

function viewOf({ out }: RunContext, environment: NodeJS.ProcessEnv): TopView {
  const { NO_COLOR, TERM } = environment;
  return {
    columns: out.columns,
    unicode: isUtf8Locale(environment),
    isBold: (NO_COLOR ?? "") === "" && TERM !== "dumb",
    now: Date.now(),
  };
}

async function watch(into: string, context: RunContext): Promise<ExitCode> {
  const { out, signal } = context;
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  // Before the screen is another one: so that its message stays where nobody follows.
  let look = lookAt(into);
  const keyboard = context.keyboard?.();
  keyboard?.onEnd(end);
  out.write(enterScreen);
  try {
    while (!ended.signal.aborted) {
      const view = viewOf(context, process.env);
      const lines = formatLook(look, { ...view, rows: Math.max(1, out.rows - 1) });
      out.write(`\u001b[H${lines.map((line) => `${line}\u001b[K\n`).join("")}\u001b[Jq ends it\u001b[K`);
      await wait(redrawAfterMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (!ended.signal.aborted) look = lookAt(into);
    }
  } finally {
    signal.removeEventListener("abort", end);
    out.write(leaveScreen);
    await out.flush();
    keyboard?.[Symbol.dispose]();
  }
  return exitCodes.done;
}
