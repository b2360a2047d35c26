import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { findProgram } from "../interop/programs.ts";
import { makeTempFolder } from "../interop/temp-folder.ts";
import { readVersion } from "../interop/web-server.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { readHistory } from "./replay/history.ts";
import { formatDays } from "./sources/days-table.ts";
import { makePeers } from "./sources/peers.ts";
import { runDays } from "./sources/run-days.ts";

/** What `--help` prints. */
export const help: string = `npm run bench -- sources [--pages 4000] [--days 30] [--history FILE] [--peers] [--full]
One site, published in turn in all ways, through the last days of a history. --peers: beside wget, wget2, HTTrack and
Scrapy. --full: 20000 pages, which takes half an hour and more. FILE: as for "replay".
Default: nodejs-org.tsv.gz in ../shared/data.
`;

const explanation = `One visit at the end of each day, to nginx on loopback without compression; requests and bytes of bodies by its log.
fresh: share of the site's pages that the copy has as they are, right before and right after a visit, mean of the days.
missed: pages that are otherwise on the site after a visit, sum of the days (one that is missed for two days counts
twice). left over: the same of pages that were deleted. Our times are without the start of a process.
lie found: the look at the sitemap, counted from the first lie, after which its lastmod was believed no more.
`;

function countOf(text: string, option: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Error(`--${option} must be a whole number from 1, not ${text}`);
}

/** Follows one site in each of the ways in which it says what changed, through real days. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: "string" },
      days: { type: "string", default: "30" },
      history: { type: "string", default: join(repositoryFolder(), "../shared/data/nodejs-org.tsv.gz") },
      peers: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
    },
  });
  const pages = countOf(values.pages ?? (values.full ? "20000" : "4000"), "pages");
  using temp = makeTempFolder("bench-sources");
  const result = await runDays({
    folder: temp.path,
    pages,
    days: countOf(values.days, "days"),
    history: await readHistory(values.history, basename(values.history)),
    ...(values.peers && { makePeers }),
    onVisit: (day, name, { requests, wallMs, missed, leftOver, trust = "" }) => {
      process.stderr.write(
        `day ${day}: ${name}: ${requests} requests, ${(wallMs / 1000).toFixed(2)} s, ${missed} missed, ${leftOver} left over ${trust}\n`,
      );
    },
  });
  const programs = ["nginx", ...(values.peers ? ["wget", "wget2"] : [])].map(readVersion);
  process.stdout.write(
    `${result.firstPages} pages at first, ${result.lastPages} at last; ${result.days} days of ${basename(values.history)}: ` +
      `${result.created} created, ${result.updated} updated, ${result.deleted} deleted.\n` +
      `Node ${process.version}; ${programs.join("; ")}\n${explanation}\n${formatDays(result.followed)}`,
  );
  if (values.peers && findProgram("httrack") === undefined)
    process.stdout.write("HTTrack is not installed, and was not run.\n");
}
