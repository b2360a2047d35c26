import { type Benchmark, defineBenchmark, log } from "./benchmark.ts";
import { formatFollowResult } from "./follow/follow-table.ts";
import { followWeb } from "./follow/follow-web.ts";

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- follow [--sites N] [--minutes N] [--days N] [--seed N]
\`tidemark crawl --sites FILE --forever\` follows N sites (2000), virtual hosts of a real nginx on loopback addresses, while their
files change. A third publish archives, a third have a sitemap, a third nothing. Measured are N minutes (60), after every site
was visited once. Time is compressed: the measured minutes stand for N days (30), so that an hour is a month. The clock of the
crawler runs so much faster, and with it all that it waits for; servers, requests and their deadlines stay as slow as they are.
Two crawlers run at the same time and meet the same changes: the second one has four bad sites on its list, too. One
hangs, one floods (429, 503, answers without an end), the clock of one is wrong, and one vanishes.
`,
  options: { sites: 2000, minutes: 60, days: 30, seed: 1 },
  run: async (size) => {
    let toldAt = 0;
    const onProgress = (line: string): void => {
      if (performance.now() - toldAt < 10_000) return;
      toldAt = performance.now();
      log(line);
    };
    process.stdout.write(formatFollowResult(await followWeb({ ...size, onProgress })));
  },
});
