import { randomInt } from "node:crypto";
import { omitUndefined, TidemarkError, wrapSystemError } from "../core/index.ts";
import { formatLogBytes, LogReader, readLogFormat } from "../formats/access-log/index.ts";
import { maxRobotsBytes, parseRobots } from "../formats/robots/index.ts";
import { readAtMost } from "../fs/index.ts";
import { type AddressRanges, parseAddressRanges } from "./address-ranges.ts";
import { ClientsFile } from "./clients-file.ts";
import { readLogBytes } from "./log-bytes.ts";
import { SiteHistory } from "./site-history.ts";
import { type CountedClient, TrafficCounter } from "./traffic-counter.ts";
import { type TrafficReport, writeTrafficReport } from "./traffic-report.ts";

/** Lines that are shown of those that are of no format. */
const samples = 3;
const sampleBytes = 120;
const maxRangesBytes = 16 * 1024 * 1024;

/** What is told while logs are read. */
export type TrafficEvent =
  | { readonly event: "progress"; readonly log: string; readonly lines: number }
  /** One of the first lines that are of none of the formats; bytes other than printable ASCII as `\xHH`. */
  | { readonly event: "bad-line"; readonly log: string; readonly text: string }
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
  const { logs, input, onEvent, signal, robots, archives, clients } = options;
  const formats = readLogFormat(options.format);
  if (!formats.ok) throw new TidemarkError("bad-option", formats.error.message);
  const seed = randomInt(2 ** 32);
  const history = archives === undefined ? undefined : await SiteHistory.read(archives, seed);
  using file = clients === undefined ? undefined : new ClientsFile(clients, options.addresses === true);
  const counter = new TrafficCounter({
    seed,
    ...omitUndefined({
      ranges: await readRanges(options.ranges),
      robots: robots === undefined ? undefined : parseRobots(await readAtMost(robots, maxRobotsBytes, "robots.txt")),
      history,
      onClient: file === undefined ? undefined : (client: CountedClient) => file.add(client),
    }),
  });
  let [lines, badLines, failed] = [0, 0, 0];
  for (const log of logs) {
    const reader = new LogReader(formats.value, {
      onLine: (line) => {
        lines++;
        counter.add(line);
      },
      onBadLine: (bytes, from, to) => {
        lines++;
        if (badLines++ < samples)
          onEvent?.({ event: "bad-line", log, text: formatLogBytes(bytes, from, to, sampleBytes) });
      },
    });
    try {
      for await (const chunk of readLogBytes(log === "-" && input !== undefined ? input() : log)) {
        signal?.throwIfAborted();
        reader.push(chunk);
        onEvent?.({ event: "progress", log, lines });
      }
    } catch (error) {
      // A packed log that was cut short is what a rotation leaves when the disk is full: the rest of the set counts.
      const code = String((error as { code?: unknown }).code);
      if (!code.startsWith("Z_")) throw wrapSystemError(error, `read ${log}`, { log });
      failed++;
      onEvent?.({ event: "failed", log, message: `${log} is damaged: ${(error as Error).message}` });
    }
    reader.end();
  }
  counter.close();
  return { ...writeTrafficReport(counter, history), logs: logs.length, failed, lines, badLines };
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
