import type { SiteStatus } from "../../exporter/index.ts";
import { formatBytes, formatCount, formatElapsed, formatMoment, formatNoun } from "../terminal/quantity.ts";
import { formatBar, formatTable, type View, wrapText } from "../terminal/text-layout.ts";

const labelWidth = 13;
const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** How a site's exporter is doing, for people. */
export function formatStatus(status: SiteStatus, view: View): string {
  const { ledger, problems } = status;
  const facts = factsOf(status).map(([label, text]) => {
    return wrapText(text, view.columns, `  ${label.padEnd(labelWidth)}`, " ".repeat(labelWidth + 2));
  });
  const lines = problems.map(({ severity, message }) => {
    return wrapText(message, view.columns, `  ${severity.padEnd(labelWidth)}`, " ".repeat(labelWidth + 2));
  });
  const text = [
    `${status.site ?? status.stateDir}: ${status.status}\n`,
    lines.join(""),
    facts.join(""),
    ledger === undefined ? "" : formatDays(ledger.days, view),
  ].join("");
  return view.unicode ? text : toAscii(text);
}

/** How the exporters of several sites are doing, for people: a line each, with what changed on the days that were counted, and the problems. */
export function formatStatusTable(statuses: readonly SiteStatus[], view: View): string {
  const rows = statuses.map(({ status, site, stateDir, ledger, now }) => {
    const changes = ledger?.days.reduce((sum, day) => sum + day.changes, 0) ?? 0;
    return [
      status,
      ledger === undefined ? "-" : formatNoun(ledger.pages, "page"),
      ledger === undefined ? "-" : `${formatCount(changes)} changed`,
      ledger === undefined ? "-" : formatAge(now - ledger.publication * 1000),
      site ?? stateDir,
    ];
  });
  const problems = statuses.flatMap(({ problems: own, site, stateDir }) => {
    return own.map(({ severity, message }) => {
      return wrapText(`${site ?? stateDir}: ${message}`, view.columns, `${severity.padEnd(10)}`, " ".repeat(10));
    });
  });
  const text = formatTable(rows, "lrrrl") + (problems.length > 0 ? `\n${problems.join("")}` : "");
  return view.unicode ? text : toAscii(text);
}

function factsOf(status: SiteStatus): Array<readonly [string, string]> {
  const { ledger, published, lastRun, running, nextRun, now } = status;
  const facts: Array<readonly [string, string]> = [];
  if (ledger !== undefined) {
    const { publication, pages, epoch, archives, intervals, intervalBytes } = ledger;
    facts.push(["published", `${formatMoment(publication)}, ${formatAge(now - publication * 1000)}`]);
    facts.push(["pages", `${formatCount(pages)}, in epoch ${epoch}`]);
    const bytes = published?.listedBytes;
    const size =
      bytes === undefined ? `${formatBytes(intervalBytes)} without the base` : `${formatBytes(bytes)} in all`;
    facts.push(["archives", `${formatCount(archives)} (the base and ${formatNoun(intervals, "interval")}), ${size}`]);
    facts.push(["base", baseOf(status)]);
  }
  facts.push(["last run", lastRun === undefined ? "left no record" : formatLastRun(status)]);
  if (running !== undefined)
    facts.push(["running", `process ${running.pid} on ${running.host}, since ${running.since}`]);
  if (nextRun !== undefined) facts.push(["next run", `${formatMoment(nextRun.atMs / 1000)}, by ${nextRun.timer}`]);
  const root = published?.docroot ?? lastRun?.docroot;
  facts.push(["state", status.stateDir]);
  if (root !== undefined) facts.push(["docroot", root]);
  else if (ledger !== undefined && published === undefined) facts.push(["docroot", "unknown; name it with --docroot"]);
  return facts;
}

function baseOf({ ledger }: SiteStatus): string {
  if (ledger === undefined) return "";
  const { base, changesSinceBase, changesUntilBase, days } = ledger;
  const perDay = days.reduce((sum, day) => sum + day.changes, 0) / days.length;
  const inDays = Math.ceil(changesUntilBase / perDay);
  const when = !Number.isFinite(inDays) || inDays > 999 ? "" : `, in about ${formatNoun(inDays, "day")} at this rate`;
  return (
    `${formatMoment(base)}, ${formatNoun(changesSinceBase, "change")} since; ` +
    `a new base after ${formatCount(changesUntilBase)} more${when}`
  );
}

function formatLastRun({ lastRun, now }: SiteStatus): string {
  if (lastRun === undefined) return "";
  const { outcome, startedMs, endedMs, created, updated, deleted, withheld, warnings, errors, error } = lastRun;
  const when = `${formatMoment(Math.floor(endedMs / 1000))}, ${formatAge(now - endedMs)}`;
  const took = `took ${formatElapsed(endedMs - startedMs)}`;
  if (outcome === "failed") return `${when}, failed (${error?.code ?? "?"}), ${took}`;
  const counts = `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`;
  const parts = [outcome === "published" ? `published ${counts}` : "nothing changed"];
  if (withheld > 0) parts.push(`${formatCount(withheld)} held back`);
  if (warnings > 0) parts.push(formatNoun(warnings, "warning"));
  if (errors > 0) parts.push(`${formatNoun(errors, "item")} failed`);
  return `${when}, ${took}: ${parts.join("; ")}`;
}

function formatDays(days: NonNullable<SiteStatus["ledger"]>["days"], view: View): string {
  const most = Math.max(...days.map(({ changes }) => changes));
  if (most === 0) return `\n  no changes were published in ${formatNoun(days.length, "day")}\n`;
  const counts = days.map(
    ({ changes, isEstimate }) => `${isEstimate && changes > 0 ? "~" : ""}${formatCount(changes)}`,
  );
  const width = Math.max(...counts.map((count) => count.length));
  const barWidth = Math.max(10, view.columns - 2 - 10 - 1 - 3 - 2 - width - 2 - 1);
  const rows = days.map(({ date, changes }, at) => {
    const weekday = weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? "";
    const count = (counts[at] ?? "").padStart(width);
    return `  ${date} ${weekday}  ${count}  ${formatBar(changes, most, barWidth, view.unicode)}`.trimEnd();
  });
  const note = days.some(({ changes, isEstimate }) => isEstimate && changes > 0);
  const explained = note ? "  ~: an estimate, because the publications of several days have been merged\n" : "";
  return `\n  changes by day, in UTC\n${rows.join("\n")}\n${explained}`;
}

/** How long ago something was: `5 seconds ago`, `3 hours ago`, `12 days ago`. */
function formatAge(ms: number): string {
  if (ms < -60_000) return "in the future";
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const steps = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ] as const;
  for (const [length, name] of steps) {
    if (seconds >= 2 * length) return `${formatNoun(Math.floor(seconds / length), name)} ago`;
  }
  return `${formatNoun(seconds, "second")} ago`;
}

function toAscii(text: string): string {
  return text.replaceAll("…", "...").replace(/[^\n\x20-\x7e]/gu, "?");
}
