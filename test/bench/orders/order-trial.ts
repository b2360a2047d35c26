import type { OrderRule, SiteTurn, TurnOptions } from "../../../src/frontier/index.ts";
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
export const turnOptions: TurnOptions = { connections: 256, pagesPerTurn: 1, restMs: 15_000 };
const answerMs = 500;

/** Ranks that a crawl of a web computes as it goes, and the time that they take. */
export class TrialRanks {
  readonly #web: MadeWeb;
  readonly #isRetrieved: Uint8Array;
  ranks: Float32Array;
  cpuSeconds = 0;

  constructor(web: MadeWeb) {
    this.#web = web;
    this.#isRetrieved = new Uint8Array(web.pages);
    this.ranks = new Float32Array(web.pages).fill(1 / web.pages);
  }

  retrieved(page: number): void {
    this.#isRetrieved[page] = 1;
  }

  compute(isAll = false): Float32Array {
    const from = process.cpuUsage().user;
    this.ranks = this.#web.rank((page) => isAll || this.#isRetrieved[page] === 1);
    this.cpuSeconds += (process.cpuUsage().user - from) / 1e6;
    return this.ranks;
  }
}

function seeded(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The rule of an order by its name, for a web whose ranks are computed at each tenth of it. */
export function makeRule(kind: OrderRule["kind"], web: MadeWeb, ranks: TrialRanks): OrderRule {
  if (kind === "batch" || kind === "partial")
    return { kind, pages: Math.ceil(web.pages / 10), ranks: () => ranks.compute() };
  if (kind === "optimal") return { kind, ranks: ranks.compute(true) };
  return kind === "random" ? { kind, random: seeded() } : { kind };
}

/** Takes turns until there are none, in virtual time. @param note - told of each turn as it ends */
export function takeTurns(
  order: Order,
  web: MadeWeb,
  ranks: TrialRanks | undefined,
  note: (turn: SiteTurn) => void,
): void {
  const open: { readonly turn: SiteTurn; readonly endsAt: number }[] = [];
  let first = 0;
  for (let now = 0; ; ) {
    const turn = order.next(now);
    if (turn !== undefined) {
      open.push({ turn, endsAt: now + answerMs });
      continue;
    }
    const endsAt = open[first]?.endsAt ?? Number.POSITIVE_INFINITY;
    now = Math.max(now, Math.min(endsAt, order.readyAt(now)));
    if (now === Number.POSITIVE_INFINITY) return;
    for (let ended = open[first]; ended !== undefined && ended.endsAt <= now; ended = open[++first]) {
      note(ended.turn);
      if (ranks !== undefined) {
        for (const page of ended.turn.pages) {
          ranks.retrieved(page);
          const rank = ranks.ranks[page] as number;
          web.tellLinks(page, (target, share) => order.raise(target, rank * share));
        }
      }
      order.done(ended.turn.site, now);
    }
    open.splice(0, first);
    first = 0;
  }
}
