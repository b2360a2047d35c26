import type { EpochMs } from "../../core/index.ts";
import type { FollowStatus, TroubledSite, VisitingSite, VisitWait, WaitingSite } from "../../crawler/index.ts";
import { formatBytes, formatCount, formatMoment, formatNoun, formatSpan } from "../../formats/quantity/index.ts";
import { escapeMarkup } from "../figure-text.ts";

/** What a page of a follower has besides the follower's status. */
export interface FollowerPageOptions {
  /** Secret that controls send back; undefined for a page without controls. */
  readonly token: string | undefined;
  /** Where the page's style sheet and script are. */
  readonly paths: {
    readonly style: string;
    readonly script: string;
    readonly events: string;
    readonly control: string;
  };
}

/** So many sites of each list are shown. */
const mostRows = 25;
const whyTexts: Readonly<Record<VisitWait, string>> = {
  "retry-after": "the site asked to wait",
  "back-off": "the site is in trouble",
  "crawl-delay": "Crawl-delay",
  rest: "rest between requests",
  "shared-address": "another site has the address",
};

type Controls = ReadonlyArray<"pause" | "resume" | "visit">;

interface Row {
  readonly site: string;
  readonly facts: readonly string[];
  /** A message of the network or the site. */
  readonly trouble?: string;
  readonly controls: Controls;
}

/**
 * The parts of the page that change, as HTML by the ids of their elements. Whatever comes from sites is escaped.
 *
 * @param status - undefined before there is one
 */
export function renderFollowerParts(
  status: FollowStatus | undefined,
  options: FollowerPageOptions,
): ReadonlyMap<string, string> {
  if (status === undefined) return new Map([["life", "<p>The follower is about to start.</p>"]]);
  const now = status.writtenMs;
  const { visiting, troubled, next, pausedSites } = status;
  const list = (title: string, none: string, count: number, rows: readonly Row[]): string =>
    renderList(title, none, count, rows, options);
  const troubledRows = troubled.map((row) => troubledRow(row, now));
  const nextRows = next.map((row) => waitingRow(row, now));
  return new Map([
    ["life", renderLife(status)],
    ["totals", renderTotals(status)],
    ["freshness", renderFreshness(status, now)],
    ["troubled", list("In trouble", "No site is in trouble.", troubled.length, troubledRows)],
    [
      "visiting",
      list(
        "Under way",
        "No visit is under way.",
        Math.max(status.underWay, visiting.length),
        visiting.map((row) => visitingRow(row, now)),
      ),
    ],
    ["next", list("Next", "No site waits.", status.waiting, nextRows)],
    [
      "paused",
      list(
        "Paused",
        "No site is paused.",
        status.paused,
        pausedSites.map((row) => pausedRow(row, now)),
      ),
    ],
  ]);
}

/** The page: readable without script, which only keeps it up to date. */
export function renderFollowerPage(status: FollowStatus | undefined, options: FollowerPageOptions): string {
  const { paths, token } = options;
  const parts = renderFollowerParts(status, options);
  const part = (id: string, tag = "section"): string => `<${tag} id="${id}">${parts.get(id) ?? ""}</${tag}>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidemark crawler</title>
<link rel="stylesheet" href="${paths.style}">
<script src="${paths.script}" defer></script>
</head>
<body data-events="${paths.events}">
<header>
<h1>Tidemark crawler</h1>
${part("life", "div")}
<p id="link">This page is as of its loading. <a href="">Load it again</a></p>
</header>
<p id="answer" role="status"></p>
<main>
${part("totals")}
${part("freshness")}
${part("troubled")}
${part("visiting")}
${part("next")}
${part("paused")}
${token === undefined ? "" : renderAnySite(options)}
</main>
</body>
</html>
`;
}

function renderLife({ pid, host, startedMs, writtenMs }: FollowStatus): string {
  const up = formatSpan(writtenMs - startedMs);
  return `<p>Process ${pid} on ${escapeMarkup(host)}, up ${up}; as of <time>${formatMoment(Math.floor(writtenMs / 1000))}</time></p>`;
}

function renderTotals(status: FollowStatus): string {
  const { created, updated, deleted, pollingRequests, savedRequests } = status;
  const saved = savedRequests > 0 ? `, ${((savedRequests / pollingRequests) * 100).toFixed(1)} % of polling` : "";
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    [
      "Sites",
      formatCount(status.sites),
      `${formatCount(status.underWay)} under way, ${formatCount(status.paused)} paused, ${formatCount(status.backOff)} in back-off`,
    ],
    ["Visits", formatCount(status.visits), `${formatCount(status.failedVisits)} failed`],
    [
      "Requests",
      formatCount(status.requests),
      `${status.requestsPerSecond.toFixed(1)} a second; ${formatCount(Math.max(0, savedRequests))} saved${saved}`,
    ],
    ["Received", formatBytes(status.bytes), `${formatBytes(status.bytesPerSecond)} a second`],
    [
      "Changes",
      formatCount(created + updated + deleted),
      `${formatCount(created)} created, ${formatCount(updated)} updated, ${formatCount(deleted)} deleted`,
    ],
  ];
  return `<h2>Totals</h2>${renderFigures(rows)}`;
}

function renderFreshness({ sitesByAge, due, next }: FollowStatus, now: EpochMs): string {
  const { hour, day, older, never } = sitesByAge;
  const all = Math.max(1, hour + day + older + never);
  const share = (count: number): string => `${((count / all) * 100).toFixed(0)} % of sites`;
  const first = next[0];
  const late =
    first === undefined || first.nextMs >= now ? "none is late" : `the first for ${formatSpan(now - first.nextMs)}`;
  return `<h2>Freshness</h2><p>Sites by the time since their last successful visit.</p>${renderFigures([
    ["Up to an hour", formatCount(hour), share(hour)],
    ["Up to a day", formatCount(day), share(day)],
    ["Longer", formatCount(older), share(older)],
    ["Never", formatCount(never), share(never)],
    ["Due now", formatCount(due), late],
  ])}`;
}

function renderFigures(rows: ReadonlyArray<readonly [string, string, string]>): string {
  const cells = rows.map(
    ([name, value, more]) => `<div><dt>${name}</dt><dd><b>${value}</b> <span>${more}</span></dd></div>`,
  );
  return `<dl>${cells.join("")}</dl>`;
}

function renderAnySite(options: FollowerPageOptions): string {
  return `<section id="any"><h2>Any site</h2><form method="post" action="${options.paths.control}">${tokenField(options)}
<label for="site">Address of a followed site</label>
<input id="site" name="site" type="url" required maxlength="300" placeholder="https://example.org/" autocomplete="off">
<p class="controls">${(["pause", "resume", "visit"] as const).map((action) => button(action, "")).join("")}</p></form></section>`;
}

function tokenField({ token }: FollowerPageOptions): string {
  return token === undefined ? "" : `<input type="hidden" name="token" value="${escapeMarkup(token)}">`;
}

const actionTexts = { pause: "Pause", resume: "Resume", visit: "Visit now" } as const;

function button(action: Controls[number], site: string): string {
  const text = actionTexts[action];
  const label = site === "" ? "" : ` aria-label="${text} ${site}"`;
  return `<button name="action" value="${action}"${label}>${text}</button>`;
}

function renderList(
  title: string,
  none: string,
  count: number,
  rows: readonly Row[],
  options: FollowerPageOptions,
): string {
  const heading = `<h2>${title} <span class="count">${formatCount(count)}</span></h2>`;
  if (rows.length === 0) return `${heading}<p>${none}</p>`;
  const shown = rows.slice(0, mostRows).map((row) => renderRow(row, options));
  const rest = count - shown.length;
  const more = rest > 0 ? `<p>and ${formatNoun(rest, "more site", "more sites")}</p>` : "";
  return `${heading}<ul>${shown.join("")}</ul>${more}`;
}

function renderRow({ site, facts, trouble, controls }: Row, options: FollowerPageOptions): string {
  const name = escapeMarkup(site);
  const why = trouble === undefined ? "" : `<span class="trouble">${escapeMarkup(trouble)}</span>`;
  const form =
    options.token === undefined
      ? ""
      : `<form class="controls" method="post" action="${options.paths.control}">${tokenField(options)}<input type="hidden" name="site" value="${name}">${controls.map((action) => button(action, name)).join("")}</form>`;
  return `<li data-key="${name}"><div><span class="site">${name}</span> <span class="facts">${facts.join("; ")}</span> ${why}</div>${form}</li>`;
}

function lastFact(lastMs: EpochMs | undefined, now: EpochMs): string {
  return lastMs === undefined ? "never visited" : `visited ${formatSpan(now - lastMs)} ago`;
}

function nextFact(nextMs: EpochMs, now: EpochMs): string {
  return nextMs <= now ? "due" : `next in ${formatSpan(nextMs - now)}`;
}

function visitingRow(row: VisitingSite, now: EpochMs): Row {
  const { site, sinceMs, requests, bytes, changes, waitsUntilMs, why } = row;
  const rests = waitsUntilMs !== undefined && waitsUntilMs > now && why !== undefined;
  return {
    site,
    facts: [
      `for ${formatSpan(now - sinceMs)}`,
      `${formatNoun(requests, "request")}, ${formatBytes(bytes)}`,
      formatNoun(changes, "change"),
      ...(rests ? [`waits ${formatSpan(waitsUntilMs - now)}: ${whyTexts[why]}`] : []),
    ],
    controls: ["pause"],
  };
}

function troubledRow({ site, failures, nextMs, isPaused, lastMs, message }: TroubledSite, now: EpochMs): Row {
  const next = nextMs === undefined ? "under way" : isPaused === true ? "paused" : nextFact(nextMs, now);
  return {
    site,
    facts: [`failed ${formatNoun(failures, "time")}`, next, lastFact(lastMs, now)],
    trouble: message === "" ? "since before the start" : message,
    controls: [isPaused === true ? "resume" : "pause", "visit"],
  };
}

function waitingRow({ site, nextMs, priority, lastMs }: WaitingSite, now: EpochMs): Row {
  const facts = [nextFact(nextMs, now), lastFact(lastMs, now), `priority ${priority}`];
  return { site, facts, controls: ["pause", "visit"] };
}

function pausedRow({ site, lastMs }: WaitingSite, now: EpochMs): Row {
  return { site, facts: [lastFact(lastMs, now)], controls: ["resume"] };
}
