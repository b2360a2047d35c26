import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { CrawlWebOptions } from "../../../src/crawler/web/web-options.ts";
import { log } from "../benchmark.ts";
import type { CrawlerLine } from "./crawler-process.ts";
import type { ServerOptions, ServerReport } from "./server-process.ts";

/** A server of the made Web, in a process of its own. */
export interface Server extends AsyncDisposable {
  readonly port: number;
  readonly nameServer: string;
  readonly report: () => Promise<ServerReport>;
}

const programOf = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));

/** Starts it. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = spawn(process.execPath, [programOf("server-process"), JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? "{}";
  const { port, nameServer } = JSON.parse(await next()) as Pick<Server, "port" | "nameServer">;
  return {
    port,
    nameServer,
    report: async () => {
      child.stdin.write("\n");
      return JSON.parse(await next()) as ServerReport;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

/** What a run of the crawler took, and the last that it said. */
export interface Run {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
  readonly last: CrawlerLine | undefined;
  readonly isEnded: boolean;
}

/**
 * Runs the crawler to its end, or kills it.
 *
 * @param isEnough - asked about each line that it says, whether it is killed now
 */
export async function runCrawler(
  options: CrawlWebOptions,
  isEnough: (line: CrawlerLine) => boolean | Promise<boolean>,
): Promise<Run> {
  const child: ChildProcess = spawn(process.execPath, [programOf("crawler-process"), JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let last: CrawlerLine | undefined;
  let rssBytes = 0;
  let toldAt = performance.now();
  if (child.stdout === null) throw new TypeError("the crawler has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as CrawlerLine;
    rssBytes = Math.max(rssBytes, last.rssBytes);
    if ((await isEnough(last)) && !last.isEnd) child.kill("SIGKILL");
    if (performance.now() - toldAt < 10_000) continue;
    toldAt = performance.now();
    log(
      `${last.done} pages done of ${last.sites} sites, ${last.waiting} waiting, ${Math.round(last.rssBytes / 2 ** 20)} MiB, ${Math.round(last.cpuSeconds)} s of CPU`,
    );
  }
  const [code, signal] = (await ended) as [number | null, string | null];
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`the crawler ended with ${code ?? signal}`);
  return { cpuSeconds: last?.cpuSeconds ?? 0, rssBytes, last, isEnded: last?.isEnd === true };
}
