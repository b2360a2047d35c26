import { randomInt } from "node:crypto";
import { resolve as pathResolve } from "node:path";
import { omitUndefined, TidemarkError, wrapSystemError } from "../core/index.ts";
import { formatLogBytes, LogReader, readLogFormat } from "../formats/access-log/index.ts";
import { maxRobotsBytes, parseRobots } from "../formats/robots/index.ts";
import { readAtMost, writeTextFile } from "../fs/index.ts";
import { type AddressRanges, parseAddressRanges } from "./address-ranges.ts";
import { ClientsFile } from "./clients-file.ts";
import { followLog } from "./followed-log.ts";
import { readLogBytes } from "./log-bytes.ts";
import { orderLogs } from "./log-order.ts";
import { hasKnownDomains, NameCheck } from "./name-check.ts";
import { RobotsDat } from "./robots-dat.ts";
import { SiteHistory } from "./site-history.ts";
import { TrafficCounter } from "./traffic-counter.ts";
import { type TrafficReport, writeTrafficReport } from "./traffic-report.ts";

/** Lines that are shown of those that are of no format. */
const samples = 3;
const sampleBytes = 120;
const pollMs = 250;
const maxRangesBytes = 16 * 1024 * 1024;

/** What is told while logs are read. */
export type TrafficEvent =
  | { readonly event: "progress"; readonly log: string; readonly lines: number }
  /** One of the first lines that are of none of the formats; bytes other than printable ASCII as `\xHH`. */
  | { readonly event: "bad-line"; readonly log: string; readonly text: string }
  /** With `follow`: what was counted so far, now and then if something came. */
  | ({ readonly event: "interim" } & TrafficSummary)
  /** A log could not be read to its end; what was read counts. */
  | { readonly event: "failed"; readonly log: string; readonly message: string };

/** What {@link readTraffic} gives. */
export interface TrafficSummary extends TrafficReport {
  readonly logs: number;
  /** Logs that could not be read to their end. */
  readonly failed: number;
  readonly lines: number;
  readonly badLines: number;
}

export interface TrafficOptions {
  /** Files, gzip'd or not; `-` is `input`. */
  readonly logs: readonly string[];
  /** A name, a `LogFormat` or a `log_format`. Default: each line is read by the first named format that it fits. */
  readonly format?: string;
  /** Files of the addresses of crawlers, as `NAME=FILE`. */
  readonly ranges?: readonly string[];
  /** The site's robots.txt, to compare with. */
  readonly robots?: string;
  /** A document root that was exported, or the folder of its archives. */
  readonly archives?: string;
  /** A file for the clients of crawlers, which is replaced; with full addresses only if `addresses` is true. */
  readonly clients?: string;
  readonly addresses?: boolean;
  /** Whether addresses of crawlers are checked by reverse and forward DNS: at this resolver, or with `system` at those of the machine. */
  readonly resolve?: string;
  /** A file for the crawlers that asked for robots.txt, which is replaced. */
  readonly robotsDat?: string;
  /** Whether the last log is read on as it grows, until the signal, which is no error then. */
  readonly follow?: boolean;
  /** With `follow`: pause between events `interim`, in milliseconds. Default a minute. */
  readonly everyMs?: number;
  /** 32 bits that nobody who writes into a log knows. Default: random ones. */
  readonly seed?: number;
  readonly input?: () => AsyncIterable<Uint8Array>;
  readonly onEvent?: (event: TrafficEvent) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads access logs, and counts what crawlers cost. Memory is bounded, whatever the logs hold.
 *
 * @throws TidemarkError `bad-option` for a format or ranges that cannot be used, `not-found` and others for a file that cannot
 *   be opened, `no-archives`, `archive-corrupt`, `aborted`
 */
export async function readTraffic(options: TrafficOptions): Promise<TrafficSummary> {
  const {
    input,
    onEvent,
    signal,
    robots,
    archives,
    clients,
    resolve,
    robotsDat,
    follow,
    everyMs = 60_000,
    seed = randomInt(2 ** 32),
  } = options;
  const logs = orderLogs(options.logs);
  const formats = readLogFormat(options.format);
  if (!formats.ok) throw new TidemarkError("bad-option", formats.error.message);
  const nameCheck = resolve === undefined ? undefined : createNameCheck(resolve);
  const history = archives === undefined ? undefined : await SiteHistory.read(archives, seed);
  const ranges = await readRanges(options.ranges);
  const rules = robots === undefined ? undefined : parseRobots(await readAtMost(robots, maxRobotsBytes, "robots.txt"));
  using file = clients === undefined ? undefined : new ClientsFile(clients, options.addresses === true);
  const seen = robotsDat === undefined ? undefined : new RobotsDat();
  const counter = new TrafficCounter({
    seed,
    onClient: (client) => {
      file?.add(client);
      seen?.add(client);
    },
    ...omitUndefined({ ranges, robots: rules, history, isResolved: nameCheck && hasKnownDomains }),
  });
  const read = { lines: 0, badLines: 0, failed: 0 };
  const summarise = (): TrafficSummary => ({ ...writeTrafficReport(counter, history), logs: logs.length, ...read });
  let told = 0;
  let toldAt = Date.now();
  const onIdle = (): void => {
    if (told === read.lines || Date.now() < toldAt + everyMs) return;
    told = read.lines;
    toldAt = Date.now();
    onEvent?.({ event: "interim", ...summarise() });
  };
  for (const [at, log] of logs.entries()) {
    const reader = new LogReader(formats.value, {
      onLine: (line) => {
        read.lines++;
        counter.add(line);
      },
      onBadLine: (bytes, from, to) => {
        read.lines++;
        if (read.badLines++ < samples)
          onEvent?.({ event: "bad-line", log, text: formatLogBytes(bytes, from, to, sampleBytes) });
      },
    });
    const isFollowed = follow === true && signal !== undefined && at === logs.length - 1;
    const source = log === "-" && input !== undefined ? input() : log;
    try {
      for await (const chunk of isFollowed ? followLog(log, signal, pollMs, onIdle) : readLogBytes(source)) {
        if (!isFollowed) signal?.throwIfAborted();
        reader.push(chunk);
        onEvent?.({ event: "progress", log, lines: read.lines });
      }
    } catch (error) {
      // A packed log that was cut short is what a rotation leaves when the disk is full: the rest of the set counts.
      const code = String((error as { code?: unknown }).code);
      if (!code.startsWith("Z_")) throw wrapSystemError(error, `read ${log}`, { log });
      read.failed++;
      onEvent?.({ event: "failed", log, message: `${log} is damaged: ${(error as Error).message}` });
    }
    reader.end();
  }
  const waiting = counter.close();
  // Who followed a log stopped by the signal, and waits for an answer.
  await nameCheck?.checkAll(
    waiting,
    (claimed, verified) => counter.settle(claimed, verified),
    follow === true ? undefined : signal,
  );
  if (robotsDat !== undefined) await writeTextFile(pathResolve(robotsDat), seen?.text ?? "", { overwrite: true });
  return summarise();
}

function createNameCheck(server: string): NameCheck {
  try {
    return new NameCheck(server);
  } catch {
    throw new TidemarkError("bad-option", `--resolve ${server}: it must be an address, or an address with a port.`);
  }
}

async function readRanges(given: readonly string[] = []): Promise<ReadonlyMap<string, AddressRanges> | undefined> {
  if (given.length === 0) return undefined;
  const ranges = new Map<string, AddressRanges>();
  for (const one of given) {
    const [, name, file] = /^([^=]+)=(.+)$/.exec(one) ?? [];
    if (name === undefined || file === undefined)
      throw new TidemarkError("bad-option", `--ranges ${one}: it must be NAME=FILE, such as Googlebot=googlebot.json.`);
    const parsed = parseAddressRanges(Buffer.from(await readAtMost(file, maxRangesBytes, "the ranges")).toString());
    if (!parsed.ok) throw new TidemarkError("bad-option", `${file}: ${parsed.error.message}`);
    ranges.set(name.toLowerCase(), parsed.value);
  }
  return ranges;
}
