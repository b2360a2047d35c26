import { parseArgs } from "node:util";
import { CrawlOrder, type OrderRule } from "../../../src/frontier/index.ts";
import { PageJournal } from "../../../src/store/index.ts";
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
const cpuSeconds = (): number => process.cpuUsage().user / 1e6;
const web = new MadeWeb(Number(values.urls), Number(values.sites));
const ranks = new TrialRanks(web);
const baseMiB = process.memoryUsage().rss / 1024 / 1024;
const order = new CrawlOrder(makeRule(kind, web, ranks), turnOptions);
const usesRanks = kind === "batch" || kind === "partial" ? ranks : undefined;
const flushEvery = Math.min(20_000, Math.ceil(web.pages / 50));

/** Lets the compiler see all of it before it is timed. */
function warmUp(): void {
  const small = new MadeWeb(30_000, 300);
  const smallRanks = new TrialRanks(small);
  const first = new CrawlOrder(makeRule(kind, small, smallRanks), turnOptions);
  small.tellPages((page, site, depth) => first.add(page, site, depth));
  takeTurns(first, small, usesRanks === undefined ? undefined : smallRanks, () => undefined);
}

function measure(): void {
  warmUp();
  const begunAt = cpuSeconds();
  web.tellPages((page, site, depth) => order.add(page, site, depth));
  const addedAt = cpuSeconds();
  const ranksBefore = ranks.cpuSeconds;
  let given = 0;
  let checksum = 0;
  takeTurns(order, web, usesRanks, ({ pages }) => {
    for (const page of pages) {
      given++;
      checksum += page;
    }
  });
  const isWhole = given === web.pages && checksum === (web.pages * (web.pages - 1)) / 2;
  const rankSeconds = ranks.cpuSeconds - ranksBefore;
  say({
    addsPerSecond: web.pages / (addedAt - begunAt),
    nextsPerSecond: given / (cpuSeconds() - addedAt - rankSeconds),
    rankSeconds: ranks.cpuSeconds,
    baseMiB,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    isWhole,
  });
}

function crawlWithJournal(file: string): void {
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
  takeTurns(order, web, usesRanks, ({ pages }) => {
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
