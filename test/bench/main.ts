import type { Benchmark } from "./benchmark.ts";

/** Each benchmark by the word that names it on the command line: `npm run bench -- crawl --rounds 1`. */
const benchmarks: Readonly<Record<string, () => Promise<{ readonly benchmark: Benchmark }>>> = {
  replay: () => import("./replay.ts"),
  export: () => import("./export.ts"),
  crawl: () => import("./crawl.ts"),
  watch: () => import("./watch.ts"),
  poll: () => import("./poll.ts"),
  plan: () => import("./plan.ts"),
  links: () => import("./links.ts"),
  graph: () => import("./graph.ts"),
  orders: () => import("./orders.ts"),
  simulator: () => import("./simulator.ts"),
  month: () => import("./month.ts"),
  polling: () => import("./polling.ts"),
  share: () => import("./share.ts"),
  poisoning: () => import("./poisoning.ts"),
  follow: () => import("./follow.ts"),
  "real-crawl": () => import("./real-crawl.ts"),
  fleet: () => import("./fleet.ts"),
  "web-crawl": () => import("./web-crawl.ts"),
  traffic: () => import("./traffic.ts"),
  "traffic-memory": () => import("./traffic-memory.ts"),
  "debian-web": () => import("./debian-web.ts"),
  leases: () => import("./leases.ts"),
  "web-peers": () => import("./web-peers.ts"),
  boinc: () => import("./boinc.ts"),
  volunteers: () => import("./volunteers.ts"),
};

const names = Object.keys(benchmarks);
const usage = `npm run bench -- NAME [options]\nNAME: ${names.join(", ")}; each has --help.\n`;

function isMistyped(error: unknown): error is Error {
  return String((error as { code?: unknown } | undefined)?.code).startsWith("ERR_PARSE_ARGS_");
}

async function main(): Promise<void> {
  const [name = "--help", ...args] = process.argv.slice(2);
  const load = benchmarks[name];
  if (load === undefined) {
    const isAsked = name === "--help";
    process[isAsked ? "stdout" : "stderr"].write(usage);
    process.exitCode = isAsked ? 0 : 2;
    return;
  }
  const { benchmark } = await load();
  if (args.includes("--help")) {
    process.stdout.write(benchmark.help);
    return;
  }
  try {
    await benchmark.main(args);
  } catch (error) {
    if (!isMistyped(error)) throw error;
    process.stderr.write(`${error.message}\n${benchmark.help}`);
    process.exitCode = 2;
  }
}

await main();
