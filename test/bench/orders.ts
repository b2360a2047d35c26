import { isDeepStrictEqual } from "node:util";
import { CrawlOrder } from "../../src/crawler/engine/order/crawl-order.ts";
import { type OrderRule, orderNames } from "../../src/crawler/engine/order/order-rule.ts";
import type { SiteTurn } from "../../src/crawler/engine/order/site-turns.ts";
import { NaiveOrder } from "../crawler/engine/order/naive-order.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";
import { killAndRestart, type Restart, runOrder, tryQueue } from "./orders/killed-process.ts";
import { MadeWeb } from "./orders/made-web.ts";
import { makeRule, TrialRanks, takeTurns, turnOptions } from "./orders/order-trial.ts";

interface Cost {
  readonly addsPerSecond: number;
  readonly nextsPerSecond: number;
  /** Pages whose links the order was told of; undefined for an order that has no use for them. */
  readonly raisesPerSecond?: number;
  readonly rankSeconds: number;
  readonly baseMiB: number;
  readonly peakMiB: number;
}

interface Row extends Cost {
  readonly order: string;
  readonly urls: number;
  readonly sites: number;
  readonly restart: Restart | undefined;
}

const naivePages = 1500;
const naiveSites = 40;

/** Both give the same turns, or the times of neither mean anything. @returns the naive one's operations a second */
function agree(kind: OrderRule["kind"]): { readonly addsPerSecond: number; readonly nextsPerSecond: number } {
  const turns: SiteTurn[][] = [];
  let rates = { addsPerSecond: 0, nextsPerSecond: 0 };
  for (const Kind of [CrawlOrder, NaiveOrder]) {
    const web = new MadeWeb(naivePages, naiveSites);
    const ranks = new TrialRanks(web);
    const order = new Kind(makeRule(kind, web, ranks), { ...turnOptions, connections: 8, pagesPerTurn: 3 });
    const seen: SiteTurn[] = [];
    const begunAt = performance.now();
    web.tellPages((page, site, depth) => order.add(page, site, depth));
    const addedAt = performance.now();
    takeTurns(order, ranks, (turn) => seen.push(turn));
    const endedAt = performance.now();
    turns.push(seen);
    rates = {
      addsPerSecond: (naivePages * 1000) / (addedAt - begunAt),
      nextsPerSecond: (naivePages * 1000) / (endedAt - addedAt),
    };
  }
  if (!isDeepStrictEqual(turns[0], turns[1])) throw new Error(`${kind} does not agree with the naive order`);
  return rates;
}

async function runRow(order: OrderRule["kind"], urls: number, sites: number, isKilled: boolean): Promise<Row> {
  const args = ["--order", order, "--urls", `${urls}`, "--sites", `${sites}`];
  const cost = JSON.parse((await runOrder(args)).at(-1) ?? "") as Cost;
  using temp = makeTempFolder();
  const restart = isKilled ? await killAndRestart(args, temp.path, urls) : undefined;
  process.stderr.write(`${order}, ${urls}: ${cost.nextsPerSecond.toFixed(0)} next/s\n`);
  return { ...cost, order, urls, sites, restart };
}

const thousands = (value: number): string => (value / 1000).toFixed(0);

function format(rows: readonly Row[], naive: ReadonlyMap<string, ReturnType<typeof agree>>): string {
  const lines = [
    "| order | URLs | sites | 1000 add/CPU s | 1000 next/CPU s | 1000 raised/CPU s | peak MiB | before, MiB | restart, s | ranks, CPU s |",
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
  ];
  for (const [order, { addsPerSecond, nextsPerSecond }] of naive) {
    const rates = [(addsPerSecond / 1000).toFixed(1), (nextsPerSecond / 1000).toFixed(1)];
    lines.push(`| naive ${order} | ${naivePages} | ${naiveSites} | ${rates.join(" | ")} | | | | | |`);
  }
  for (const row of rows) {
    const cells = [
      ...[row.order, row.urls, row.sites, thousands(row.addsPerSecond), thousands(row.nextsPerSecond)],
      ...[row.raisesPerSecond === undefined ? "" : thousands(row.raisesPerSecond)],
      ...[row.peakMiB.toFixed(0), row.baseMiB.toFixed(0)],
      ...[row.restart === undefined ? "" : (row.restart.restartMs / 1000).toFixed(2), row.rankSeconds.toFixed(1)],
    ];
    lines.push(`| ${cells.join(" | ")} |`);
  }
  return `${lines.join("\n")}\n`;
}

/**
 * The orders of Castillo et al.: all URLs are put in, then all are taken out, one a turn, 256 connections, 15 s of rest in virtual time.
 * Each order is first held beside the naive one. Then it runs with a journal, is killed without warning, and goes on.
 */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- orders [--urls 100000,1000000,10000000] [--sites 100000] [--same-sites] [--only WORD] [--no-kill]
npm run bench -- orders --disk 10000000 [--sites 100000] [--memory 256]
--sites: for the most URLs; fewer URLs have fewer sites in proportion, or with --same-sites as many.
--disk: the queue of URLs on disk instead, within so many MiB for URLs.
`,
  options: {
    ...{ urls: "100000,1000000,10000000", sites: 100_000, only: "", "same-sites": false, "no-kill": false },
    ...{ disk: "", memory: 256 },
  },
  run: async (values) => {
    if (values.disk !== "") {
      for (const urls of values.disk.split(","))
        process.stdout.write(`${await tryQueue(Number(urls), values.sites, values.memory)}\n`);
      return;
    }
    const sizes = values.urls.split(",").map(Number);
    const most = Math.max(...sizes);
    const rows: Row[] = [];
    const naive = new Map<string, ReturnType<typeof agree>>();
    for (const order of orderNames.filter((name) => name.includes(values.only))) {
      naive.set(order, agree(order));
      for (const urls of sizes) {
        const share = values["same-sites"] ? 1 : urls / most;
        const sites = Math.max(1, Math.round(values.sites * share));
        rows.push(await runRow(order, urls, sites, !values["no-kill"]));
      }
    }
    process.stdout.write(
      `One page a turn, 256 connections, 15 s of rest in virtual time; batches and ranks anew at each tenth; 2,000,000 URLs or more in all. Node ${process.version}\n\n` +
        `${format(rows, naive)}\n"before" is the web and its ranks; "restart" is from a journal of all pages after kill -9, to the first turn;
"raised": pages whose four links each the order was told of, between two turns.\n`,
    );
  },
});
