import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log } from "./benchmark.ts";
import { type FleetTrial, type FleetTrialOptions, runFleetTrial } from "./fleet/fleet-trial.ts";

function format(options: FleetTrialOptions, trial: FleetTrial): string {
  const { report, inScope, stored, wrong, twice, lost, size, seconds, cpuSeconds, did } = trial;
  const { busy, early, restless, disallowed } = report.broken;
  const { isAlone, workers, restMs } = options;
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["workers", isAlone ? "alone, without a fleet" : String(workers)],
    ["kills, freezes, restarts of the database, cuts", `${did.kill}, ${did.freeze}, ${did.restart}, ${did.cut}`],
    ["pages that may be requested", String(inScope)],
    ["pages requested, missed", `${report.requested}, ${report.missed}`],
    ["requests repeated", String(report.repeated)],
    ["pages of traps", String(report.trapPages)],
    ["pages stored, lost, wrong, created twice", isAlone ? "-" : `${stored}, ${lost}, ${wrong}, ${twice}`],
    ["requests to a busy address", String(busy)],
    ["requests before the Crawl-delay", String(early)],
    ["requests without a rest", restMs > 0 ? String(restless) : "-"],
    ["requests that robots.txt disallows", String(disallowed)],
    ["seconds", seconds.toFixed(1)],
    ["pages a second", (report.requested / seconds).toFixed(0)],
    ["CPU seconds of the workers", cpuSeconds.toFixed(1)],
    ["pages a CPU second", (report.requested / cpuSeconds).toFixed(0)],
    ["CPU seconds of the server", report.cpuSeconds.toFixed(1)],
    ...(size?.tables ?? []).map(
      ({ name, bytes }) => [`bytes a page of the table ${name}`, (bytes / stored).toFixed(0)] as const,
    ),
    [
      "visits, bytes of the database's log a page",
      size ? `${size.visits}, ${(size.logBytes / stored).toFixed(0)}` : "-",
    ],
  ];
  return rows.map(([name, value]) => `${name.padEnd(50)}${value}\n`).join("");
}

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- fleet [--workers N[,N...]] [--sites N] [--pages N] [--list] [--kills N] [--freezes N] [--restarts N] [--cut MS] [--skewed]
                    [--lease MS] [--rest MS] [--turn N] [--connections N] [--seed N] [--friendly] [--alone]
A crawl by N real workers (4) over a real PostgreSQL, of the Web that \`web-crawl\` crawls: N sites (2000) with N pages (20000). With --list the sites are
listed, else they are found by links. On the way workers are killed (SIGKILL) and frozen for two and a half leases (SIGSTOP), the database crashes, one worker is
cut from it for MS milliseconds, and another one's clock is an hour ahead. The server says which pages were requested, and how often a rule of politeness was broken, whichever
worker it was; the database, what was stored. With --alone the same crawl is made once more by one process without a fleet.
`,
  options: {
    workers: "4",
    sites: 2000,
    pages: 20_000,
    list: false,
    kills: 0,
    freezes: 0,
    restarts: 0,
    cut: 0,
    skewed: false,
    lease: 6000,
    rest: 1000,
    turn: 10,
    connections: 32,
    seed: 1,
    friendly: false,
    alone: false,
  },
  run: async ({ workers, list, cut, skewed, lease, rest, turn, friendly, alone, ...others }) => {
    if (rest % 1000 !== 0) throw new Error(`--rest must be whole seconds in milliseconds, not ${rest}`);
    for (const [at, count] of [...workers.split(",").map(Number), ...(alone ? [1] : [])].entries()) {
      using temp = makeTempFolder("fleet");
      const options: FleetTrialOptions = {
        ...others,
        folder: temp.path,
        workers: count,
        isFriendly: friendly,
        isWeb: !list,
        ...{ leaseMs: lease, restMs: rest, pagesBeforeRest: turn, cutMs: cut, isSkewed: skewed },
        isAlone: at === workers.split(",").length,
        onLine: log,
      };
      process.stdout.write(`${format(options, await runFleetTrial(options))}\n`);
    }
  },
});
