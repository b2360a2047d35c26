import {
  type DemoCheck,
  type DemoMethod,
  type DemoOptions,
  type DemoReport,
  type DemoVisit,
  demoMethods,
  runDemonstration,
} from "../../demo/index.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

const methodNames: Readonly<Record<DemoMethod, string>> = {
  tidemark: "Tidemark",
  polling: "polling (If-None-Match, If-Modified-Since)",
  everything: "downloading everything",
};

/** Runs the demonstration; a promise that did not hold is a bug. */
export async function runDemo(options: DemoOptions, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const progress = new ProgressLine(err, quiet);
  const onEvent: DemoOptions["onEvent"] = (event) => {
    if (json) return out.writeJson(event);
    if (event.event === "step") return progress.show(() => event.message);
    progress.clear();
    if (!quiet) out.write(event.event === "visit" ? formatVisit(event) : formatCheck(event));
  };
  const report = await progress.during(runDemonstration({ ...options, signal, onEvent }));
  const held = report.checks.every((check) => check.held);
  printSummary(context, { held, ...report }, () => formatSummary(report));
  return held ? exitCodes.done : exitCodes.bug;
}

/** A visit as a heading and a table. */
function formatVisit(visit: DemoVisit): string {
  const { pages, changedPages, deletedPages, touchedPages } = visit;
  const [changed, deleted, touched] = [formatCount(changedPages), formatCount(deletedPages), formatCount(touchedPages)];
  const what = {
    1: `a site of ${formatCount(pages)} pages, all new`,
    2: `${changed} pages new or changed, ${deleted} deleted,\n         ${touched} rewritten with equal bytes`,
    3: "nothing changed",
  };
  const rows = demoMethods.map((method) => {
    const { requests, notModified, bytes } = visit.traffic[method];
    return [`  ${methodNames[method]}`, formatCount(requests), formatCount(notModified), formatBytes(bytes)];
  });
  const head = ["", "requests", "304s", "received"];
  return `\nVisit ${visit.visit}: ${what[visit.visit]}\n\n${formatTable([head, ...rows], "lrrr")}\n`;
}

/** A promise and whether it held, as a line. */
function formatCheck(check: DemoCheck): string {
  return `  ${check.held ? "ok    " : "BROKEN"}  ${check.promise} (${check.found.replace(/\d{4,}/g, (digits) => formatCount(Number(digits)))})\n`;
}

/** What to make of it. */
function formatSummary(report: DemoReport): string {
  const second = report.visits[1];
  const broken = report.checks.filter((check) => !check.held).length;
  const lines = [""];
  if (second !== undefined) {
    const { polling } = second.traffic;
    lines.push(
      `The deployment before visit 2 gave every page a new time, so polling received`,
      `${formatCount(polling.requests - polling.notModified - second.deletedPages)} pages again, of which ` +
        `${formatCount(second.changedPages)} had other bytes.`,
    );
  }
  lines.push(
    broken === 0 ? "Every promise held." : `${formatCount(broken)} promises did not hold: this is a bug.`,
    `Took ${formatElapsed(report.elapsedMs)}.`,
  );
  return `${lines.join("\n")}\n`;
}
