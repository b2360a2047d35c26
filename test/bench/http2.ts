import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createFetcher, type Fetcher } from "../../src/fetch/index.ts";
import { startSecureServer } from "../interop/secure-server.ts";
import { makeTempFolder } from "../interop/temp-folder.ts";

interface Rate {
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

const sizes = [1000, 7000, 100_000] as const;
const warmUp = 300;

async function ask(fetcher: Fetcher, origin: string, path: string, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    const outcome = await fetcher.get({ origin, path, maxBytes: 1e6, timeoutMs: 60_000 });
    if (outcome.kind !== "fetched") throw new Error(JSON.stringify(outcome));
  }
}

async function measure(origin: string, ca: string, path: string, requests: number, http1: boolean): Promise<Rate> {
  await using fetcher = createFetcher({ allowPrivate: true, ca, http1 });
  await ask(fetcher, origin, path, warmUp);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await ask(fetcher, origin, path, requests);
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { perCpuSecond: (requests * 1e6) / (user + system), perSecond: requests / seconds };
}

function medianOf(rates: readonly Rate[], of: keyof Rate): number {
  const sorted = rates.map((rate) => rate[of]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** What `--help` prints. */
export const help: string = `npm run bench -- http2 [--requests N] [--rounds N]
Requests over TLS to a local nginx, one after the other on one connection, in HTTP/1.1 and in HTTP/2.
`;

/** Prints a table as Markdown. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: "string", default: "3000" },
      rounds: { type: "string", default: "5" },
    },
  });
  const requests = Number(values.requests);
  using temp = makeTempFolder("bench-http2");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  for (const size of sizes) writeFileSync(join(docroot, `${size}.html`), "x".repeat(size));
  await using server = await startSecureServer(docroot, 1_000_000);
  const { origin } = new URL(server.url);
  process.stdout.write(
    "| bytes a page | HTTP/1.1 a CPU-second | HTTP/2 a CPU-second | ratio | HTTP/1.1 a second | HTTP/2 a second |\n",
  );
  process.stdout.write("|---|---|---|---|---|---|\n");
  for (const size of sizes) {
    const rates: { readonly http1: Rate[]; readonly http2: Rate[] } = { http1: [], http2: [] };
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [name, list] of Object.entries(rates))
        list.push(await measure(origin, server.ca, `/${size}.html`, requests, name === "http1"));
    const [old, now] = [medianOf(rates.http1, "perCpuSecond"), medianOf(rates.http2, "perCpuSecond")];
    const seconds = [medianOf(rates.http1, "perSecond"), medianOf(rates.http2, "perSecond")];
    const cells = [size, Math.round(old), Math.round(now), (now / old).toFixed(2), ...seconds.map(Math.round)];
    process.stdout.write(`| ${cells.join(" | ")} |\n`);
  }
  process.stdout.write(
    `\n${requests} requests a round, medians of ${values.rounds} rounds in turn, Node ${process.version}\n`,
  );
}
