import type { OrderRule } from "../../../../src/crawler/engine/order/order-rule.ts";
import type { SiteTurn, TurnOptions } from "../../../../src/crawler/engine/order/site-turns.ts";

interface WaitingPage {
  readonly page: number;
  readonly site: number;
  readonly depth: number;
  readonly number: number;
  key: number;
  isTemporary: boolean;
  isInBatch: boolean;
}

type NaiveOptions = TurnOptions & { readonly restMs: number };

const byKey = (a: WaitingPage, b: WaitingPage): number => a.key - b.key || a.page - b.page;

/** The orders, said as plainly as can be: everything is looked at and sorted at each step. */
export class NaiveOrder {
  readonly #rule: OrderRule;
  readonly #options: NaiveOptions;
  #waiting: WaitingPage[] = [];
  /** When each may have a turn; Infinity while it has one. */
  readonly #siteAt = new Map<number, number>();
  readonly #addressAt = new Map<number, number>();
  readonly #underWay = new Map<number, number>();
  #added = 0;
  #retrieved = 0;

  constructor(rule: OrderRule, options: NaiveOptions) {
    this.#rule = rule;
    this.#options = options;
  }

  get backlog(): number {
    return this.#waiting.length;
  }

  add(page: number, site: number, depth: number): void {
    if (this.#waiting.some((one) => one.page === page)) return;
    const rule = this.#rule;
    const number = this.#added++;
    let key = 0;
    if (rule.kind === "random") key = rule.random();
    if (rule.kind === "optimal") key = -(rule.ranks[page] ?? 0);
    if (rule.kind === "depth" || rule.kind === "length") key = depth * 2 ** 40 + number;
    this.#waiting.push({ page, site, depth, number, key, isTemporary: true, isInBatch: rule.kind !== "batch" });
  }

  raise(page: number, by: number): void {
    const found = this.#waiting.find((one) => one.page === page && one.isTemporary);
    if (found !== undefined && this.#rule.kind === "partial") found.key -= by;
  }

  readyAt(now: number): number {
    this.#beginBatch();
    if (this.#underWay.size >= this.#options.connections) return Number.POSITIVE_INFINITY;
    const times = this.#waiting.filter((one) => one.isInBatch).map((one) => Math.max(now, this.#notBefore(one.site)));
    // Those that rest wake up, whether or not they have pages.
    const rests = [...this.#addressAt.values(), ...this.#siteAt.values()].filter((at) => at > now);
    return times.includes(now) ? now : Math.min(...rests);
  }

  next(now: number): SiteTurn | undefined {
    this.#beginBatch();
    if (this.#underWay.size >= this.#options.connections) return undefined;
    const open = this.#waiting.filter(({ site, isInBatch }) => isInBatch && this.#notBefore(site) <= now);
    const sites = [...new Set(open.map(({ site }) => site))].map((site) => {
      const pages = open.filter((one) => one.site === site).sort(byKey);
      const key = this.#rule.kind === "length" ? -pages.length : (pages[0]?.key ?? 0);
      return { site, address: this.#addressOf(site), pages, key };
    });
    const [best] = sites.sort((a, b) => a.key - b.key || a.address - b.address || a.site - b.site);
    if (best === undefined) return undefined;
    const pages = best.pages.slice(0, this.#options.pagesPerTurn).map(({ page }) => page);
    this.#waiting = this.#waiting.filter(({ page }) => !pages.includes(page));
    this.#underWay.set(best.site, pages.length);
    this.#siteAt.set(best.site, Number.POSITIVE_INFINITY);
    this.#addressAt.set(best.address, Number.POSITIVE_INFINITY);
    return { site: best.site, pages };
  }

  done(site: number, now: number, notBefore: number = now): void {
    const restsUntil = now + this.#options.restMs;
    this.#addressAt.set(this.#addressOf(site), restsUntil);
    this.#siteAt.set(site, Math.max(restsUntil, notBefore));
    this.#retrieved += this.#underWay.get(site) ?? 0;
    this.#underWay.delete(site);
    const rule = this.#rule;
    if (rule.kind !== "partial" || this.#retrieved < rule.pages) return;
    this.#retrieved = 0;
    const ranks = rule.ranks();
    for (const one of this.#waiting) Object.assign(one, { key: -(ranks[one.page] ?? 0), isTemporary: false });
  }

  #beginBatch(): void {
    const rule = this.#rule;
    if (rule.kind !== "batch" || this.#underWay.size > 0 || this.#waiting.some((one) => one.isInBatch)) return;
    if (this.#waiting.length === 0) return;
    const ranks = rule.ranks();
    for (const one of this.#waiting) one.key = -(ranks[one.page] ?? 0);
    const best = this.#waiting.toSorted((a, b) => a.key - b.key || a.number - b.number).slice(0, rule.pages);
    for (const one of best) one.isInBatch = true;
  }

  #addressOf(site: number): number {
    return this.#options.addressOf?.(site) ?? site;
  }

  #notBefore(site: number): number {
    return Math.max(this.#siteAt.get(site) ?? 0, this.#addressAt.get(this.#addressOf(site)) ?? 0);
  }
}
