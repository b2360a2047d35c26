import { createRandom } from "../../../src/core/random.ts";
import type { OrderRule } from "../../../src/crawler/engine/order/order-rule.ts";
import type { SiteTurn, TurnOptions } from "../../../src/crawler/engine/order/site-turns.ts";
import type { MadeWeb } from "./made-web.ts";

/** What an order, or what is held beside it, can do. */
export interface Order {
  readonly add: (page: number, site: number, depth: number) => void;
  readonly raise: (page: number, by: number) => void;
  readonly next: (now: number) => SiteTurn | undefined;
  readonly done: (site: number, now: number) => void;
  readonly readyAt: (now: number) => number;
}

/** As Castillo et al. have them, for one of their larger crawls. */
export const turnOptions: TurnOptions & { readonly restMs: number } = {
  connections: 256,
  pagesPerTurn: 1,
  restMs: 15_000,
};
const answerMs = 500;

/** Ranks that a crawl of a web computes as it goes, and the time that they take. */
export class TrialRanks {
  readonly #web: MadeWeb;
  readonly #isRetrieved: Uint8Array;
  ranks: Float32Array;
  /** Spent on ranks. */
  cpuSeconds = 0;
  /** Spent on telling an order what its pages lead to. */
  raiseCpuSeconds = 0;

  constructor(web: MadeWeb) {
    this.#web = web;
    this.#isRetrieved = new Uint8Array(web.pages);
    this.ranks = new Float32Array(web.pages).fill(1 / web.pages);
  }

  /** Tells an order what pages that were retrieved lead to. */
  tell(order: Order, turns: readonly SiteTurn[]): void {
    const from = process.cpuUsage().user;
    for (const { pages } of turns) {
      for (const page of pages) {
        this.#isRetrieved[page] = 1;
        const rank = this.ranks[page] as number;
        this.#web.tellLinks(page, (target, share) => order.raise(target, rank * share));
      }
    }
    this.raiseCpuSeconds += (process.cpuUsage().user - from) / 1e6;
  }

  compute(isAll = false): Float32Array {
    const from = process.cpuUsage().user;
    this.ranks = this.#web.rank((page) => isAll || this.#isRetrieved[page] === 1);
    this.cpuSeconds += (process.cpuUsage().user - from) / 1e6;
    return this.ranks;
  }
}

/** The rule of an order by its name, for a web whose ranks are computed at each tenth of it. */
export function makeRule(kind: OrderRule["kind"], web: MadeWeb, ranks: TrialRanks): OrderRule {
  if (kind === "batch" || kind === "partial")
    return { kind, pages: Math.ceil(web.pages / 10), ranks: () => ranks.compute() };
  if (kind === "optimal") return { kind, ranks: ranks.compute(true) };
  return kind === "random" ? { kind, random: createRandom(1, "order") } : { kind };
}

/** Takes turns until there are none, in virtual time. @param note - told of each turn as it ends */
export function takeTurns(order: Order, ranks: TrialRanks | undefined, note: (turn: SiteTurn) => void): void {
  const open: { readonly turn: SiteTurn; readonly endsAt: number }[] = [];
  for (let now = 0; ; ) {
    const turn = order.next(now);
    if (turn !== undefined) {
      open.push({ turn, endsAt: now + answerMs });
      continue;
    }
    now = Math.max(now, Math.min(open[0]?.endsAt ?? Number.POSITIVE_INFINITY, order.readyAt(now)));
    if (now === Number.POSITIVE_INFINITY) return;
    const running = open.findIndex(({ endsAt }) => endsAt > now);
    const ended = open.splice(0, running === -1 ? open.length : running).map((one) => one.turn);
    for (const each of ended) note(each);
    ranks?.tell(order, ended);
    for (const { site } of ended) order.done(site, now);
  }
}
