import {
  type FollowLook,
  type FollowStatus,
  maxStatusRows,
  type StatusLook,
  type TroubledSite,
  type VisitingSite,
  type WaitingSite,
  type WebStatus,
} from "../../crawler/index.ts";
import { formatHeldBack } from "../crawl/web-words.ts";
import { formatBytes, formatCount, formatNoun, formatSpan } from "../terminal/quantity.ts";
import { formatTable, type View } from "../terminal/text-layout.ts";

/** What a look is shown in. */
export interface TopView extends View {
  /** Lines; what does not fit is left out from below. Default: all. */
  readonly rows?: number;
  /** Whether headings are bold. */
  readonly isBold: boolean;
  readonly now: number;
}

interface Block {
  readonly title: string;
  /** How many there are, also of those without a row. */
  readonly count: number;
  /** Whether there may be more. */
  readonly isLeast?: boolean;
  readonly head: readonly string[];
  readonly align: string;
  readonly rows: readonly (readonly string[])[];
  /** Column that gives way where the line is too long. */
  readonly giving: number;
  /** Columns that are left out before the names of sites are cut to nothing, the first ones first. */
  readonly spare?: readonly number[];
}

const whyTexts = {
  "retry-after": "asked to wait",
  "back-off": "in trouble",
  "crawl-delay": "Crawl-delay",
  rest: "rest",
  "shared-address": "address is busy",
} as const;
/** Sites get so many lines a list where there is no height, as in a pipe. */
const rowsUnbounded = 20;
/** So much of a site's name is shown, or all of a shorter one. */
const leastSite = 20;
/** Columns of what totals are called. */
const labelWidth = 10;

function formatRate(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : formatCount(perSecond);
}

function savedParts({ savedRequests, pollingRequests }: FollowStatus): string[] {
  if (pollingRequests === 0) return ["no visit is complete yet"];
  const share = savedRequests > 0 ? [`(${((savedRequests / pollingRequests) * 100).toFixed(1)} %)`] : [];
  const counts = [formatCount(savedRequests), `of ${formatCount(pollingRequests)}`];
  return [...counts, ...share, "that polling each page", "would take"];
}

/** A label and parts of a sentence, on as many lines as they take; only a part that is longer than a line is cut. */
function wrapParts([label, ...parts]: readonly string[], { columns, unicode }: TopView): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last === undefined || labelWidth + last.length + 1 + part.length > columns) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  const ellipsis = unicode ? "…" : "...";
  return lines.map((line, at) => cut((at === 0 ? (label ?? "") : "").padEnd(labelWidth) + line, columns, ellipsis));
}

function totalsOf({ status, ageMs, isBusy }: FollowLook, view: TopView): string[] {
  const { sites, waiting, due, underWay, paused, backOff, created, updated, deleted } = status;
  const up = `up ${formatSpan(view.now - status.startedMs)}`;
  const life = isBusy ? [`${up};`, `busy: no status for ${formatSpan(ageMs)}`] : [up];
  const rows = [
    ["follower", `process ${status.pid} on ${status.host},`, ...life],
    [
      "sites",
      `${formatCount(sites)}: ${formatCount(underWay)} under way,`,
      `${formatCount(waiting)} waiting (${formatCount(due)} due),`,
      `${formatCount(paused)} paused,`,
      `${formatCount(backOff)} in back-off`,
    ],
    [
      "visits",
      `${formatCount(status.visits)},`,
      `${formatCount(status.failedVisits)} failed;`,
      `${formatCount(status.requests)} requests,`,
      formatBytes(status.bytes),
    ],
    [
      "rate",
      `${formatRate(status.requestsPerSecond)} requests/s,`,
      `${formatBytes(status.bytesPerSecond)}/s`,
      "in the last minute",
    ],
    [
      "pages",
      `${formatCount(created)} created,`,
      `${formatCount(updated)} updated,`,
      `${formatCount(deleted)} deleted`,
    ],
    ["saved", ...savedParts(status)],
  ];
  return rows.flatMap((row) => wrapParts(row, view));
}

function visitingRow(
  { site, sinceMs, requests, bytes, changes, waitsUntilMs, why }: VisitingSite,
  now: number,
): string[] {
  const isWaiting = waitsUntilMs !== undefined && waitsUntilMs > now;
  const state = isWaiting ? `${formatSpan(waitsUntilMs - now)}: ${why === undefined ? "waits" : whyTexts[why]}` : "";
  return [site, formatSpan(now - sinceMs), formatCount(requests), formatBytes(bytes), formatCount(changes), state];
}

function formatNext(nextMs: number, now: number): string {
  return nextMs <= now ? "due" : formatSpan(nextMs - now);
}

function troubledRow({ site, failures, nextMs, isPaused, message }: TroubledSite, now: number): string[] {
  const next = nextMs === undefined ? "now" : isPaused === true ? "paused" : formatNext(nextMs, now);
  return [site, formatCount(failures), next, message === "" ? "since before the start" : message];
}

function waitingRow({ site, nextMs, priority }: WaitingSite, now: number): string[] {
  return [site, formatNext(nextMs, now), String(priority)];
}

function pausedRow({ site, priority }: WaitingSite): string[] {
  return [site, "paused", String(priority)];
}

function blocksOf(status: FollowStatus, now: number): Block[] {
  const waiting = { head: ["", "next", "priority"], align: "lrr", giving: 0 };
  return [
    {
      title: "under way",
      count: Math.max(status.underWay, status.visiting.length),
      head: ["", "for", "requests", "bytes", "changes", "rests"],
      align: "lrrrrl",
      rows: status.visiting.map((row) => visitingRow(row, now)),
      giving: 0,
      spare: [3, 2, 4],
    },
    {
      title: "in trouble",
      count: status.troubled.length,
      // Their number beyond what a status lists is not told.
      isLeast: status.troubled.length === maxStatusRows,
      head: ["", "failed", "next", "why"],
      align: "lrrl",
      rows: status.troubled.map((row) => troubledRow(row, now)),
      giving: 3,
    },
    { title: "next", count: status.waiting, rows: status.next.map((row) => waitingRow(row, now)), ...waiting },
    { title: "paused", count: status.paused, rows: status.pausedSites.map(pausedRow), ...waiting },
  ];
}

/** Lines are shared out evenly; what a short list leaves is for the others, the first ones before. */
function shareLines(wanted: readonly number[], lines: number): number[] {
  const shares = wanted.map(() => 0);
  for (let left = lines; left > 0; ) {
    const before = left;
    for (const [at, want] of wanted.entries()) {
      if (left === 0 || (shares[at] ?? 0) >= want) continue;
      shares[at] = (shares[at] ?? 0) + 1;
      left--;
    }
    if (left === before) break;
  }
  return shares;
}

function cut(text: string, width: number, ellipsis: string): string {
  return text.length <= width ? text : text.slice(0, Math.max(0, width - ellipsis.length)) + ellipsis;
}

/** Sites that fit, by what distinguishes them: without the scheme that most have, and cut in the middle. */
function cutSites(sites: readonly string[], width: number, ellipsis: string): string[] {
  if (sites.every(({ length }) => length <= width)) return [...sites];
  return sites
    .map((site) => site.replace(/^https:\/\//, ""))
    .map((site) => {
      if (site.length <= width) return site;
      const kept = Math.max(0, width - ellipsis.length);
      const tail = Math.floor(kept / 2);
      return site.slice(0, kept - tail) + ellipsis + (tail === 0 ? "" : site.slice(-tail));
    });
}

/** What is left of a line beside the columns that do not give way, without those of `left`. */
function roomOf(
  cells: readonly (readonly string[])[],
  giving: number,
  left: ReadonlySet<number>,
  columns: number,
): number {
  const others = (cells[0] ?? []).map((_, at) => {
    if (at === giving || left.has(at)) return 0;
    return Math.max(...cells.map((row) => row[at]?.length ?? 0)) + 2;
  });
  return columns - others.reduce((sum, width) => sum + width, 0);
}

function formatBlock(block: Block, shown: number, view: TopView): string[] {
  const { title, count, isLeast = false, head, align, rows, giving, spare = [] } = block;
  const ellipsis = view.unicode ? "…" : "...";
  const first = rows.slice(0, shown);
  const heading = `${title} (${formatCount(count)}${isLeast ? " or more" : ""})`;
  const cells = [[heading, ...head.slice(1)], ...first];
  const left = new Set<number>();
  const wanted = Math.min(leastSite, Math.max(...first.map(([site = ""]) => site.replace(/^https:\/\//, "").length)));
  for (const at of spare) if (roomOf(cells, giving, left, view.columns) < wanted) left.add(at);
  // Names of sites give way before a text is cut to nothing.
  const least = giving === 0 ? 0 : 24;
  const width = Math.max(12, roomOf(cells, giving, left, view.columns), least);
  const names =
    giving === 0
      ? [
          heading,
          ...cutSites(
            first.map(([site = ""]) => site),
            width,
            ellipsis,
          ),
        ]
      : undefined;
  const fitted = cells.map((row, index) =>
    row
      .map((cell, at) => (at === giving ? (names?.[index] ?? cut(cell, width, ellipsis)) : cell))
      .filter((_, at) => !left.has(at)),
  );
  const kept = [...align].filter((_, at) => !left.has(at)).join("");
  const lines = formatTable(fitted, kept).trimEnd().split("\n");
  const [top = "", ...below] = lines.map((line) => cut(line, view.columns, ellipsis));
  return [view.isBold ? `\u001b[1m${top}\u001b[22m` : top, ...below];
}

/** How a follower stands, for people: lines without their line feeds, none longer than the view is wide. */
export function formatTop(look: FollowLook, view: TopView): string[] {
  const totals = totalsOf(look, view);
  const blocks = blocksOf(look.status, view.now).filter(({ rows }) => rows.length > 0);
  const room = view.rows === undefined ? Number.POSITIVE_INFINITY : view.rows - totals.length - 2 * blocks.length;
  const most = blocks.map(({ rows }) => (view.rows === undefined ? Math.min(rowsUnbounded, rows.length) : rows.length));
  const shares = room === Number.POSITIVE_INFINITY ? most : shareLines(most, Math.max(0, room));
  const lines = [...totals, ...blocks.flatMap((block, at) => ["", ...formatBlock(block, shares[at] ?? 0, view)])];
  const shown = view.rows === undefined ? lines : lines.slice(0, view.rows);
  return view.unicode ? shown : shown.map((line) => line.replace(/[^\u001b\x20-\x7e]/gu, "?"));
}

/** How a crawl of the Web stands, for people: lines without their line feeds, none longer than the view is wide. */
export function formatWebTop({ status, ageMs, isBusy }: StatusLook<WebStatus>, view: TopView): string[] {
  const { sites, open, unresolvedSites, unreachableSites, urls, done, waiting, pages, failed, newShare } = status;
  const up = `up ${formatSpan(view.now - status.startedMs)}`;
  const share = newShare === undefined ? [] : [`${(newShare * 100).toFixed(0)} % for new pages now`];
  const heldBack = formatHeldBack(status);
  const rows = [
    [
      "the Web",
      `process ${status.pid} on ${status.host},`,
      ...(isBusy ? [`${up};`, `busy: no status for ${formatSpan(ageMs)}`] : [up]),
    ],
    [
      "sites",
      `${formatCount(sites)}: ${formatCount(open)} open,`,
      `${formatCount(unresolvedSites)} without an address,`,
      `${formatCount(unreachableSites)} given up`,
    ],
    ["URLs", `${formatCount(urls)}: ${formatCount(done)} done,`, `${formatCount(waiting)} waiting`],
    ["pages", `${formatCount(pages)},`, `${formatCount(failed)} failed,`, `${formatCount(status.links)} links`],
    [
      "rate",
      `${formatRate(status.requestsPerSecond)} requests/s,`,
      `${formatBytes(status.bytesPerSecond)}/s`,
      "in the last minute",
    ],
    ["requests", `${formatCount(status.requests)},`, formatBytes(status.bytes)],
  ];
  if (newShare !== undefined)
    rows.push([
      "revisits",
      `${formatCount(status.visits)} to ${formatNoun(status.knownSites, "site")},`,
      `${formatNoun(status.changed, "changed page")};`,
      `${formatNoun(status.newRequests, "request")} for new pages,`,
      `${formatCount(status.knownRequests)} by visits;`,
      ...share,
    ]);
  if (heldBack.length > 0)
    rows.push(["held back", ...heldBack.map((text, at) => (at < heldBack.length - 1 ? `${text};` : text))]);
  const lines = rows.flatMap((row) => wrapParts(row, view));
  const shown = view.rows === undefined ? lines : lines.slice(0, view.rows);
  return view.unicode ? shown : shown.map((line) => line.replace(/[^\x20-\x7e]/gu, "?"));
}
