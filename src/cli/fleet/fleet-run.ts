import { once } from "node:events";
import type { ListenAddress } from "../../config/index.ts";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { type Fleet, openFleet } from "../../fleet/index.ts";
import { formatFleetMetrics } from "../../report/index.ts";
import { serveMetrics } from "../../server/index.ts";
import { readSitesFile } from "../crawl/sites-file.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { writeMetrics } from "../terminal/metrics-file.ts";
import { formatNoun } from "../terminal/quantity.ts";
import { formatFleetStatus } from "./fleet-text.ts";

/** What is done with a fleet. */
export type FleetAction = "status" | "pause" | "resume" | "drain" | "add";

/** What the command line says about a fleet. */
interface FleetArguments {
  readonly action: FleetAction;
  readonly address: string;
  readonly openMetricsFile?: string;
  readonly listen?: ListenAddress;
  readonly allowHosts?: readonly string[];
  readonly worker?: string;
  readonly sites?: string;
}

const defaultPriority = 5;

/** Looks at a fleet, or tells it something. */
export async function runFleet(options: FleetArguments, context: RunContext): Promise<ExitCode> {
  await using fleet = await openFleet(options.address, {
    retryMs: 0,
    attemptMs: 10_000,
    mustExist: options.action !== "add",
  });
  if (options.action === "status") await showStatus(fleet, options, context);
  else if (options.action === "drain") await drain(fleet, options.worker ?? "", context);
  else if (options.action === "add") await add(fleet, options.sites ?? "", context);
  else {
    const isPaused = options.action === "pause";
    await fleet.pause(isPaused);
    const text = isPaused ? "The fleet is paused: visits that are under way end.\n" : "The fleet goes on.\n";
    printSummary(context, { isPaused }, () => text);
  }
  return exitCodes.done;
}

async function showStatus(
  fleet: Fleet,
  { listen, allowHosts: allowedHosts, openMetricsFile }: FleetArguments,
  context: RunContext,
): Promise<void> {
  if (listen !== undefined) return await serveStatus(fleet, { ...listen, ...omitUndefined({ allowedHosts }) }, context);
  const { workers, ...status } = await fleet.status();
  if (openMetricsFile !== undefined)
    await writeMetrics(formatFleetMetrics({ ...status, workers }), openMetricsFile, context);
  for (const worker of workers) printEvent(context, { event: "worker", ...worker });
  if (openMetricsFile !== "-")
    printSummary(context, { ...status, workers: workers.length }, () => formatFleetStatus({ ...status, workers }));
}

async function serveStatus(
  fleet: Fleet,
  address: ListenAddress & { readonly allowedHosts?: readonly string[] },
  context: RunContext,
): Promise<void> {
  const { signal, err, quiet } = context;
  await using server = await serveMetrics({
    ...address,
    shows: "all workers",
    read: async () => {
      const status = await fleet.status();
      return (format) => formatFleetMetrics(status, format);
    },
  });
  printEvent(context, { event: "listening", url: server.url });
  if (!context.json && !quiet) err.write(`metrics: ${server.url}/metrics\n`);
  if (!signal.aborted) await once(signal, "abort");
}

async function drain(fleet: Fleet, worker: string, context: RunContext): Promise<void> {
  if (!(await fleet.drain(worker)))
    throw new TidemarkError("not-found", `The fleet has no worker ${worker}.`, {
      hint: "tidemark fleet status names its workers.",
      details: { worker },
    });
  printSummary(
    context,
    { worker, isDraining: true },
    () => `${worker} leases nothing more, and ends after its visits.\n`,
  );
}

async function add(fleet: Fleet, file: string, context: RunContext): Promise<void> {
  const sites = await readSitesFile(file, {});
  await fleet.addSites(
    sites.map(({ url, priority = defaultPriority }) => {
      const { origin, pathname, search } = new URL(url);
      return { origin, note: "", priority, path: pathname + search };
    }),
  );
  printSummary(
    context,
    { sites: sites.length },
    () => `${formatNoun(sites.length, "site")} listed; those that were new are due.\n`,
  );
}
