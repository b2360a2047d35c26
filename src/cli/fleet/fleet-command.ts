import { listenAddress, path, settingRow as row, text, texts } from "../../config/index.ts";
import { omitUndefined } from "../../core/index.ts";
import { type Command, defineCommand, openMetricsOption } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";
import type { FleetAction } from "./fleet-run.ts";

const actions: readonly FleetAction[] = ["status", "pause", "resume", "drain", "add"];

const optionsOf: Readonly<Record<FleetAction, readonly string[]>> = {
  status: ["openMetricsFile", "listen", "allowHosts"],
  pause: [],
  resume: [],
  drain: ["worker"],
  add: ["sites"],
};

/** `tidemark fleet` */
export const fleetCommand: Command = defineCommand({
  usage: "fleet <action> <address>",
  describe: "Look at the workers of a crawl on many machines, pause and resume it, add sites",
  positionals: {
    action: `${actions.slice(0, -1).join(", ")} or ${actions.at(-1)}`,
    address: "Database of the fleet, as of tidemark crawl --fleet: postgres://USER@HOST/DATABASE, or a file",
  },
  options: {
    openMetricsFile: openMetricsOption,
    listen: row(
      "listen ADDRESS",
      listenAddress,
      "Serve OpenMetrics of the fleet and of each worker at /metrics, such as 127.0.0.1:9465; a port alone is on 127.0.0.1, port 0 any free one",
      {
        doc: "serve OpenMetrics of the fleet and of each worker at `/metrics`, until it is interrupted. A port alone is on 127.0.0.1; port 0 is any free one",
      },
    ),
    allowHosts: row(
      "allow-host NAME",
      texts,
      "Name or address by which other machines reach --listen; without one, it listens on this machine only",
      { doc: "name or address by which other machines reach `--listen`, as in the URL that they ask for; repeatable" },
    ),
    worker: row("worker NAME", text, "With drain: the worker, as status names it"),
    sites: row(
      "sites FILE",
      path,
      "With add: list of sites, as of tidemark crawl --sites; only URLs and priorities are read",
    ),
  },
  groups: {
    status: ["openmetrics", "listen", "allow-host"],
    drain: ["worker"],
    add: ["sites"],
  },
  examples: [
    ["fleet status postgres://crawler@db.example/crawl", "show workers, and how many sites are due"],
    ["fleet status postgres://crawler@db.example/crawl --listen 9465", "serve metrics to Prometheus"],
    ["fleet drain postgres://crawler@db.example/crawl --worker a-1", "let a worker end once its visits have"],
    ["fleet pause fleet.db", "let nobody begin a visit, until tidemark fleet resume fleet.db"],
    ["fleet add fleet.db --sites sites.txt", "add sites while the fleet works"],
  ],
  isPaged: (args) => args.action === "status" && args.listen === undefined,
  plan: (given, args, fail) => {
    const action = actions.find((known) => known === argument(args, "action"));
    if (action === undefined) fail(`${argument(args, "action")} is none of ${actions.join(", ")}.`);
    const name = action as FleetAction;
    const foreign = Object.keys(omitUndefined(given)).find((key) => !optionsOf[name].includes(key));
    if (foreign !== undefined) {
      const owner = actions.find((other) => optionsOf[other].includes(foreign));
      fail(`An option of tidemark fleet ${owner} was given to tidemark fleet ${name}.`);
    }
    if (name === "drain" && given.worker === undefined) fail("No worker is named: --worker is missing.");
    if (name === "add" && given.sites === undefined) fail("No sites are named: --sites is missing.");
    if (given.openMetricsFile === "-" && args.json === true)
      fail("--json and --openmetrics without a file exclude each other.");
    if (given.listen !== undefined && given.openMetricsFile !== undefined)
      fail("--listen and --openmetrics exclude each other.");
    return { ...given, action: name, address: argument(args, "address") };
  },
  load: async () => (await import("./fleet-run.ts")).runFleet,
});
