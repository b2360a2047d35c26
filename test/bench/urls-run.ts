import { parseArgs } from "node:util";
import { exportSite } from "../../src/exporter/export-site.ts";

// One export in a process of its own, so that its largest resident set is its own: `urls.ts` reads what it prints.

const { values } = parseArgs({
  options: { docroot: { type: "string" }, state: { type: "string" }, urls: { type: "string" } },
});
const { docroot = "", state = "", urls = "" } = values;
const begunMs = performance.now();
/** When each stage was last heard of. */
const at = { read: begunMs, scan: begunMs, base: begunMs };
let isRead = false;
const summary = await exportSite({
  docroot,
  stateDir: state,
  baseUrl: "https://www.example.org/",
  urls,
  onEvent: (event) => {
    if (event.event !== "progress") return;
    const now = performance.now();
    // The first pages can be given when all of the list was read.
    if (event.phase === "scan" && !isRead) {
      isRead = true;
      at.read = now;
    }
    if (event.phase === "scan") at.scan = now;
    else at.base = now;
  },
});
const endedMs = performance.now();
const seconds = (from: number, to: number) => Math.max(0, to - from) / 1000;
const { user, system } = process.cpuUsage();
process.stdout.write(
  `${JSON.stringify({
    stages: {
      "reading and sorting": seconds(begunMs, at.read),
      comparing: seconds(at.read, at.scan),
      base: seconds(at.scan, at.base),
      publishing: seconds(Math.max(at.scan, at.base), endedMs),
    },
    wallSeconds: seconds(begunMs, endedMs),
    cpuSeconds: (user + system) / 1e6,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    pages: summary.pages,
    created: summary.created,
    updated: summary.updated,
    unchanged: summary.unchanged,
  })}\n`,
);
