import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { repositoryFolder } from "../repository-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { type History, readHistory } from "./replay/history.ts";
import { isMadeHistory, madeHistories, makeHistory } from "./replay/made-history.ts";
import { replayHistory } from "./replay/replay-history.ts";
import { findMissedBounds, formatReplay } from "./replay/replay-table.ts";

const defaultFiles = ["flink-web.tsv.gz", "nodejs-org.tsv.gz"];

const explanation = `After every visit each visitor held exactly the site: every path with its digest, and no other.
A publication at the end of each UTC day by the exporter itself from real files, made up to their listed sizes;
the times of the history are moved ahead by whole spans of four years. First visits are not counted.
archives: bytes of the chain that the crawler chooses. floor: the net changes between two visits (of each path the
last, deletions included) as archive lines in path order without a header, one gzip file of level 6.
ratio: sum of archives by sum of floors. literal: the same for Brandman et al., section 3.3, re-cut by
last-modified each night (2000 a segment, groups of 50), every archive that holds a page newer than the last visit;
it publishes no deletions. index, robots: bytes if changed since the last visit. Means are of all visits.
`;

async function open(argument: string): Promise<History> {
  return isMadeHistory(argument) ? makeHistory(argument) : await readHistory(argument, basename(argument));
}

function findDefaults(): string[] {
  const files = defaultFiles.map((name) => join(repositoryFolder(), "../shared/data", name));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Error(`There is no ${missing}; name a history.`);
  return files;
}

/** Replays histories of sites and compares what visitors read with the least they could read. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- replay [--days 730] [HISTORY...]
HISTORY: a gzip'd file of events, seconds since 1970 TAB A, M or D TAB size TAB path a line, oldest first;
or one made up: ${madeHistories.join(", ")}. Default: ${defaultFiles.join(" and ")} in ../shared/data.
`,
  options: { days: 730 },
  run: async ({ days }, histories) => {
    const cancel = new AbortController();
    const stop = (): void => cancel.abort();
    process.once("SIGINT", stop).once("SIGTERM", stop);
    process.stdout.write(`Node ${process.version}, at most ${days} days\n${explanation}`);
    try {
      for (const argument of histories.length > 0 ? histories : findDefaults()) {
        const startedMs = performance.now();
        let reportedMs = startedMs;
        const result = await replayHistory(await open(argument), {
          days,
          signal: cancel.signal,
          onDay: (day, of) => {
            if (performance.now() - reportedMs < 10_000) return;
            reportedMs = performance.now();
            process.stderr.write(`${basename(argument)}: day ${day} of ${of}\n`);
          },
        });
        process.stderr.write(`${result.name}: ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`);
        process.stdout.write(`\n${formatReplay(result)}`);
        if (findMissedBounds(result).length > 0) process.exitCode = 1;
      }
    } catch (error) {
      if (!cancel.signal.aborted) throw error;
      process.exitCode = 130;
    }
  },
});
