import { join } from "node:path";
import { parseArgs } from "node:util";
import { readHistory } from "../../src/lab-history.ts";
import { pollSites } from "../lab/polled-sites.ts";
import { makeTempFolder } from "../temp-folder.ts";

export const help = `npm run bench -- polling [--sites N] [--days N] [--pages N] [--budget N] [--history FILE]...
The loop of production polls N sites (100) that publish nothing, in virtual time, and change as real sites did: each of N pages (60),
for N days (240) of which the first third is not measured, with requests for a share (0.05) of its pages a day.
`;

const histories = ["nodejs-org.tsv.gz", "flink-web.tsv.gz"];

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sites: { type: "string", default: "100" },
      days: { type: "string", default: "240" },
      pages: { type: "string", default: "60" },
      budget: { type: "string", default: "0.05" },
      seed: { type: "string", default: "1" },
      history: { type: "string", multiple: true },
    },
  });
  const [sites, days, pages] = [Number(values.sites), Number(values.days), Number(values.pages)];
  const files = values.history ?? histories.map((name) => join("..", "shared", "data", name));
  for (const file of files) {
    const events = await readHistory(file);
    using temp = makeTempFolder();
    const began = performance.now();
    const size = { sites: Math.ceil(sites / files.length), days, pages, burnInDays: Math.round(days / 3) };
    const { freshness, pageRequests, visits } = await pollSites(
      { ...size, seed: Number(values.seed), budget: Number(values.budget) },
      events,
      temp.path,
    );
    const seconds = (performance.now() - began) / 1000;
    process.stdout.write(
      `${file}: freshness ${meanOf(freshness).toFixed(4)}, ${pageRequests} page requests, ${visits} visits, ${seconds.toFixed(1)} s\n`,
    );
  }
}
