import { parseArgs } from "node:util";
import { CrawlOrder } from "../../../src/crawler/engine/order/crawl-order.ts";
import type { OrderRule } from "../../../src/crawler/engine/order/order-rule.ts";
import { PageJournal } from "../../../src/storage/queue/page-journal.ts";
import { MadeWeb } from "./made-web.ts";
import { makeRule, TrialRanks, takeTurns, turnOptions } from "./order-trial.ts";

// One order in a process of its own, so that its largest resident set is its own, and so that it can be killed:
// `orders.ts` reads what it prints.

const { values } = parseArgs({
  options: {
    order: { type: "string", default: "depth" },
    urls: { type: "string", default: "100000" },
    sites: { type: "string", default: "1000" },
    journal: { type: "string" },
    resume: { type: "boolean", default: false },
  },
});
const kind = values.order as OrderRule["kind"];
const say = (facts: object): boolean => process.stdout.write(`${JSON.stringify(facts)}\n`);
const usesRanks = kind === "batch" || kind === "partial";
const cpuSeconds = (): number => process.cpuUsage().user / 1e6;
const web = new MadeWeb(Number(values.urls), Number(values.sites));
const baseMiB = process.memoryUsage().rss / 1024 / 1024;
const flushEvery = Math.min(20_000, Math.ceil(web.pages / 50));
/** Small webs are crawled so often that the clock has something to measure. */
const leastPages = 2_000_000;

interface Cost {
  readonly addSeconds: number;
  readonly nextSeconds: number;
  readonly raiseSeconds: number;
  readonly rankSeconds: number;
}

/** Puts all pages of a web into an order and takes all out. */
function crawl(web: MadeWeb): Cost {
  const ranks = new TrialRanks(web);
  const order = new CrawlOrder(makeRule(kind, web, ranks), turnOptions);
  const ranksBefore = ranks.cpuSeconds;
  const begunAt = cpuSeconds();
  web.tellPages((page, site, depth) => order.add(page, site, depth));
  const addedAt = cpuSeconds();
  let given = 0;
  let checksum = 0;
  takeTurns(order, usesRanks ? ranks : undefined, ({ pages }) => {
    for (const page of pages) {
      given++;
      checksum += page;
    }
  });
  const besides = ranks.cpuSeconds - ranksBefore + ranks.raiseCpuSeconds;
  const nextSeconds = cpuSeconds() - addedAt - besides;
  if (given !== web.pages || checksum !== (web.pages * (web.pages - 1)) / 2)
    throw new Error(`${kind} lost pages, or gave some twice`);
  const { cpuSeconds: rankSeconds, raiseCpuSeconds: raiseSeconds } = ranks;
  return { addSeconds: addedAt - begunAt, nextSeconds, raiseSeconds, rankSeconds };
}

function measure(): void {
  // Lets the compiler see all of it before it is timed.
  for (let time = 0; time < 3; time++) crawl(new MadeWeb(30_000, 300));
  const costs = Array.from({ length: Math.ceil(leastPages / web.pages) }, () => crawl(web));
  const rate = (seconds: (cost: Cost) => number): number =>
    (web.pages * costs.length) / costs.reduce((sum, cost) => sum + seconds(cost), 0);
  say({
    addsPerSecond: rate(({ addSeconds }) => addSeconds),
    nextsPerSecond: rate(({ nextSeconds }) => nextSeconds),
    raisesPerSecond: usesRanks ? rate(({ raiseSeconds }) => raiseSeconds) : undefined,
    rankSeconds: web.pages / rate(({ rankSeconds }) => rankSeconds),
    baseMiB,
    peakMiB: process.resourceUsage().maxRSS / 1024,
  });
}

function crawlWithJournal(file: string): void {
  const ranks = new TrialRanks(web);
  const order = new CrawlOrder(makeRule(kind, web, ranks), turnOptions);
  const journal = new PageJournal(file);
  if (values.resume) {
    const begunMs = performance.now();
    let waiting = 0;
    for (const { page, site, depth } of journal.waiting()) {
      order.add(page, site, depth);
      waiting++;
    }
    const first = order.next(0);
    say({ waiting, restartMs: performance.now() - begunMs, first: first?.site });
    for (const page of first?.pages ?? []) journal.finish({ page });
    if (first !== undefined) order.done(first.site, 0);
  } else {
    web.tellPages((page, site, depth) => {
      order.add(page, site, depth);
      journal.keep({ page, site, depth });
    });
    journal.flush();
  }
  let finished = 0;
  say({ finished });
  takeTurns(order, usesRanks ? ranks : undefined, ({ pages }) => {
    for (const page of pages) journal.finish({ page });
    finished += pages.length;
    if (finished % flushEvery !== 0) return;
    journal.flush();
    say({ finished });
  });
  journal.close();
  say({ left: [...new PageJournal(file).waiting()].length });
}

if (values.journal === undefined) measure();
else crawlWithJournal(values.journal);
