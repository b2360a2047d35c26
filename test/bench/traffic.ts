import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { type MadeClient, MadeTraffic, madeRanges, type TrafficClass } from "../../lab/traffic/made-traffic.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log } from "./benchmark.ts";
import { meterProcess } from "./peers/metered-process.ts";

const program = fileURLToPath(new URL("../../../bin/tidemark.js", import.meta.url));

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- traffic [--lines N] [--pages N] [--seed N] [--rounds N]
An access log of N lines (10000000) of a month, as the lab makes it, read in turn by tidemark traffic, by GoAccess, and by awk, which only
counts requests by agent. Prints seconds and memory of each. Then, against the truth: by class of clients, which share of the requests that
tidemark gives to it are of it (precision), which share of its requests tidemark gives to it (recall), and needless requests.
`,
  options: { lines: 10_000_000, pages: 20_000, seed: 1, rounds: 1 },
  run: async ({ lines, pages, seed, rounds }) => {
    using temp = makeTempFolder("bench");
    const [file, clients, ranges, report] = ["access.log", "clients.tsv", "ranges.json", "goaccess.json"].map((name) =>
      join(temp.path, name),
    ) as [string, string, string, string];
    const made = new MadeTraffic({ seed, lines, pages, days: 30 });
    await pipeline(Readable.from(made.chunks()), createWriteStream(file));
    writeFileSync(ranges, JSON.stringify(madeRanges));
    log(`the log is in ${file}`);
    const checks = ["--ranges", `Googlebot=${ranges}`, "--clients", clients, "--addresses"];
    const goaccess = ["--log-format=COMBINED", "--no-global-config", "--no-progress", "-o", report];
    const commands = {
      "tidemark traffic": [process.execPath, program, "traffic", file, ...checks],
      goaccess: ["goaccess", file, ...goaccess],
      "awk, a count by agent": [
        "awk",
        '-F"',
        "{ count[$6]++ } END { for (agent in count) print count[agent], agent }",
        file,
      ],
    };
    const clientsMade = [...made.clients()];
    const requests = clientsMade.reduce((sum, client) => sum + client.requests, 0);
    /** What each says of all requests; they must agree before their times are compared. */
    const totals: Readonly<Record<string, (output: string) => number>> = {
      "tidemark traffic": (output) => Number(/^([\d,]+) requests/.exec(output)?.[1]?.replaceAll(",", "")),
      goaccess: () => JSON.parse(readFileSync(report, "utf8")).general.valid_requests,
      "awk, a count by agent": (output) =>
        output.split("\n").reduce((sum, line) => sum + Number(/^\d+/.exec(line)?.[0] ?? 0), 0),
    };
    for (let round = 0; round < rounds; round++)
      for (const [name, command] of Object.entries(commands)) {
        const { wallSeconds, cpuSeconds, peakMiB, output } = await meterProcess(command);
        const total = totals[name]?.(output);
        if (total !== requests) throw new Error(`${name} counts ${total} requests, and there are ${requests}`);
        process.stdout.write(
          `${name.padEnd(24)}${wallSeconds.toFixed(1).padStart(8)} s${cpuSeconds.toFixed(1).padStart(8)} s of CPU${peakMiB.toFixed(0).padStart(6)} MiB\n`,
        );
      }
    process.stdout.write(compareClasses(readFileSync(clients, "latin1"), clientsMade));
  },
});

/** Classes as the command tells them: it need not know good crawlers from wasteful ones. */
type ToldClass = "people" | "listed" | "unlisted" | "hidden" | "impostor";
const toldClasses = ["people", "listed", "unlisted", "hidden", "impostor"] as const;
const truths: Readonly<Record<TrafficClass, ToldClass>> = {
  people: "people",
  cached: "people",
  conditional: "listed",
  wasteful: "listed",
  unlisted: "unlisted",
  hidden: "hidden",
  rendering: "hidden",
  impostor: "impostor",
};

interface ToldClient {
  readonly kind: ToldClass;
  requests: number;
  needless: number;
}

/** Requests of clients by class, as the command tells them, against the truth. */
function compareClasses(tsv: string, clients: Iterable<MadeClient>): string {
  const told = new Map<string, ToldClient>();
  for (const row of tsv.trim().split("\n").slice(1)) {
    const [, , basis, verified, address = "", requests, , , , needless] = row.split("\t");
    const kind: ToldClass =
      verified === "no" ? "impostor" : basis === "list" ? "listed" : basis === "behaviour" ? "hidden" : "unlisted";
    const before = told.get(address);
    const sum = before?.kind === kind ? before : { kind, requests: 0, needless: 0 };
    told.set(address, sum);
    sum.requests += Number(requests);
    sum.needless += Number(needless);
  }
  const sums = Object.fromEntries(
    toldClasses.map((kind) => [kind, { clients: 0, truth: 0, told: 0, both: 0, needless: 0, toldNeedless: 0 }]),
  ) as Record<ToldClass, Record<"clients" | "truth" | "told" | "both" | "needless" | "toldNeedless", number>>;
  for (const { kind, address, requests, needless } of clients) {
    const truth = sums[truths[kind]];
    const client = told.get(address);
    const toldRequests = Math.min(requests, client?.requests ?? 0);
    truth.clients++;
    truth.truth += requests;
    truth.needless += needless;
    // What is not told is taken for people's.
    sums.people.told += requests - toldRequests;
    if (truths[kind] === "people") truth.both += requests - toldRequests;
    if (client === undefined) continue;
    sums[client.kind].told += toldRequests;
    truth.toldNeedless += client.needless;
    if (client.kind === truths[kind]) truth.both += toldRequests;
  }
  const share = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(2)} %`);
  const rows = toldClasses.map((kind) => {
    const sum = sums[kind];
    return [
      kind,
      String(sum.clients),
      String(sum.truth),
      share(sum.both, sum.told),
      share(sum.both, sum.truth),
      share(sum.needless, sum.truth),
      share(sum.toldNeedless, sum.truth),
    ];
  });
  const heads = ["class", "clients", "requests", "precision", "recall", "needless", "told needless"];
  return [heads, ...rows].map((row) => `${row.map((cell) => cell.padStart(14)).join("")}\n`).join("");
}
