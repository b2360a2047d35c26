import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { MadeTraffic } from "../../lab/traffic/made-traffic.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log } from "./benchmark.ts";
import { meterProcess } from "./peers/metered-process.ts";

const program = fileURLToPath(new URL("../../../bin/tidemark.js", import.meta.url));

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- traffic [--lines N] [--pages N] [--seed N] [--rounds N]
An access log of N lines (10000000) of a month, as the lab makes it, read in turn by tidemark traffic, by GoAccess, and by awk, which only
counts requests by agent. Prints seconds and memory of each.
`,
  options: { lines: 10_000_000, pages: 20_000, seed: 1, rounds: 1 },
  run: async ({ lines, pages, seed, rounds }) => {
    using temp = makeTempFolder("bench");
    const file = join(temp.path, "access.log");
    const made = new MadeTraffic({ seed, lines, pages, days: 30 });
    await pipeline(Readable.from(made.chunks()), createWriteStream(file));
    log(`the log is in ${file}`);
    const commands = {
      "tidemark traffic": [process.execPath, program, "traffic", file],
      goaccess: [
        "goaccess",
        file,
        "--log-format=COMBINED",
        "--no-global-config",
        "--no-progress",
        "-o",
        join(temp.path, "goaccess.json"),
      ],
      "awk, a count by agent": [
        "awk",
        '-F"',
        "{ count[$6]++ } END { for (agent in count) print count[agent], agent }",
        file,
      ],
    };
    for (let round = 0; round < rounds; round++)
      for (const [name, command] of Object.entries(commands)) {
        const { wallSeconds, cpuSeconds, peakMiB } = await meterProcess(command);
        process.stdout.write(
          `${name.padEnd(24)}${wallSeconds.toFixed(1).padStart(8)} s${cpuSeconds.toFixed(1).padStart(8)} s of CPU${peakMiB.toFixed(0).padStart(6)} MiB\n`,
        );
      }
  },
});
