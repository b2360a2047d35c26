import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { findProgram } from "../interop/programs.ts";
import { makeTempFolder } from "../interop/temp-folder.ts";
import { readVersion } from "../interop/web-server.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { readHistory } from "./replay/history.ts";
import { formatDays } from "./sources/days-table.ts";
import { makePeers } from "./sources/peers.ts";
import { type DaysResult, runDays } from "./sources/run-days.ts";
import { planParts, runTogether } from "./sources/together.ts";

/** What `--help` prints. */
export const help: string = `npm run bench -- sources [--pages 4000] [--days 30] [--history FILE] [--peers] [--full] [--together]
  [--only REGEX] [--from DAY] [--until DAY] [--json]
One site, published in turn in all ways, through the last days of a history. --peers: beside wget, wget2, HTTrack and
Scrapy. --full: 20000 pages, which takes hours with --peers, most of them in HTTrack. --together: several at a time, each
with the same site on a port of its own; HTTrack in three, each of which follows a third of the days; times are then those
of a busy machine. --only, --from, --until: some of them, from the end of one day to that of another. FILE: as for "replay". Default: nodejs-org.tsv.gz in ../shared/data.
`;

const explanation = `One visit at the end of each day, to nginx on loopback without compression; requests and bytes of bodies by its log.
fresh: share of the site's pages that the copy has as they are, right before and right after a visit, mean of the days.
missed: pages that are otherwise on the site after a visit, sum of the days (one that is missed for two days counts
twice). left over: the same of pages that were deleted. Our times are without the start of a process.
"3 of the days": the last ones only. With --together, HTTrack comes anew where each third of the days begins; the first of these
first visits is shown.
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
      together: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      from: { type: "string", default: "0" },
      until: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const pages = countOf(values.pages ?? (values.full ? "20000" : "4000"), "pages");
  const days = countOf(values.days, "days");
  const result = values.together
    ? await runTogether(
        [process.argv[1] ?? "", "sources", ...args.filter((arg) => arg !== "--together")],
        planParts(days),
        days,
      )
    : await runHere(values, pages, days);
  if (values.json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const programs = ["nginx", ...(values.peers ? ["wget", "wget2"] : [])].map(readVersion);
  process.stdout.write(
    `${result.firstPages} pages at first, ${result.lastPages} at last; ${result.days} days of ${basename(values.history)}: ` +
      `${result.created} created, ${result.updated} updated, ${result.deleted} deleted.\n` +
      `Node ${process.version}; ${programs.join("; ")}\n${explanation}\n${formatDays(result.followed)}`,
  );
  if (values.peers && findProgram("httrack") === undefined)
    process.stdout.write("HTTrack is not installed, and was not run.\n");
}

interface Choice {
  readonly history: string;
  readonly peers: boolean;
  readonly only: string;
  readonly from: string;
  readonly until?: string | undefined;
}

async function runHere(
  { history, peers, only, from, until }: Choice,
  pages: number,
  days: number,
): Promise<DaysResult> {
  using temp = makeTempFolder("bench-sources");
  const wanted = new RegExp(only);
  return await runDays({
    folder: temp.path,
    pages,
    days,
    history: await readHistory(history, basename(history)),
    isWanted: (name) => wanted.test(name),
    from: Number(from),
    ...(until === undefined ? {} : { until: Number(until) }),
    ...(peers && { makePeers }),
    onVisit: (day, name, { requests, wallMs, missed, leftOver, trust = "" }) => {
      process.stderr.write(
        `day ${day}: ${name}: ${requests} requests, ${(wallMs / 1000).toFixed(2)} s, ${missed} missed, ${leftOver} left over ${trust}\n`,
      );
    },
  });
}
