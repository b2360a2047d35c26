import { fileURLToPath } from "node:url";
import { MadeTraffic } from "../../lab/traffic/made-traffic.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { meterProcess } from "./peers/metered-process.ts";

const program = fileURLToPath(new URL("../../../bin/tidemark.js", import.meta.url));

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- traffic-memory [--lines N] [--doublings N] [--pages N] [--seed N]
Memory of tidemark traffic by the length of the log: one of N lines (5000000) of a month, as the lab makes it, then one of twice as many, and so
on (3 times). Visitors grow with the lines. The logs go through a pipe. Prints lines, clients in truth, seconds of CPU and peak memory.
`,
  options: { lines: 5_000_000, doublings: 3, pages: 20_000, seed: 1 },
  run: async ({ lines: first, doublings, pages, seed }) => {
    for (let doubling = 0; doubling <= doublings; doubling++) {
      const lines = first * 2 ** doubling;
      const made = new MadeTraffic({ seed, lines, pages, days: 30 });
      const cost = await meterProcess([process.execPath, program, "traffic", "-"], [0], made.chunks());
      const told = Number(/^([\d,]+) requests/.exec(cost.output)?.[1]?.replaceAll(",", ""));
      let requests = 0;
      let clients = 0;
      for (const client of made.clients()) {
        requests += client.requests;
        clients++;
      }
      if (told !== requests) throw new Error(`tidemark traffic counts ${told} requests, and there are ${requests}`);
      process.stdout.write(
        `${String(requests).padStart(10)} lines${String(clients).padStart(9)} clients${cost.cpuSeconds.toFixed(1).padStart(8)} s of CPU${cost.peakMiB.toFixed(0).padStart(6)} MiB\n`,
      );
    }
  },
});
