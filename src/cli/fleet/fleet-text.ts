import type { FleetStatus, WorkerStatus } from "../../fleet/index.ts";
import { formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

const mostShown = 50;

/** How a fleet does, for people. */
export function formatFleetStatus(status: FleetStatus): string {
  const { due, waiting, held, ended, pages, handedUrls, areEstimates, isPaused, workers, nowMs } = status;
  const about = areEstimates ? "about " : "";
  const lines = [
    `${isPaused ? "paused\n" : ""}sites: ${formatCount(due)} due, ${formatCount(waiting)} waiting, ${formatCount(held)} held, ${formatCount(ended)} ended\n`,
    `${about}${formatNoun(pages, "page")}; ${about}${formatNoun(handedUrls, "URL")} from links wait for their sites\n`,
  ];
  if (workers.length === 0) return `${lines.join("")}\nno worker has joined yet\n`;
  const head = ["worker", "seen", "held", "visits", "pages/s", "lost", "host", "version"];
  const rows = workers.slice(0, mostShown).map((worker) => rowOf(worker, nowMs));
  const rest = workers.length - rows.length;
  return [
    ...lines,
    `\n${formatTable([head, ...rows], "lrrrrrll")}`,
    rest > 0 ? `and ${formatNoun(rest, "worker")} more\n` : "",
    "\npages/s: page requests, mean since the worker's start; lost: leases that ended before\nthe worker gave the site back\n",
  ].join("");
}

function rowOf(worker: WorkerStatus, nowMs: number): string[] {
  const { name, host, version, seenMs, startedMs, isDraining, held, lostLeases, counts } = worker;
  const seconds = (seenMs - startedMs) / 1000;
  const { visits, pageRequests } = counts;
  return [
    isDraining ? `${name} (draining)` : name,
    `${formatElapsed(Math.max(0, nowMs - seenMs))} ago`,
    formatCount(held),
    visits === undefined ? "-" : formatCount(visits),
    pageRequests === undefined || seconds < 1 ? "-" : (pageRequests / seconds).toFixed(1),
    formatCount(lostLeases),
    host,
    version,
  ];
}
