import type { EpochMs } from "../../core/index.ts";
import type { WorkPage, WorkResult } from "../../formats/work-unit/index.ts";
import { shufflePaths } from "./accepted-results.ts";
import type { Verdict } from "./judgement.ts";
import type { StoredUnit } from "./volunteer-store.ts";

const pagesAUnit = 10;

/** Pages of the project's own, whose answers it knows. */
export class KnownAnswers {
  readonly #pages = new Map<string, Map<string, WorkPage>>();
  readonly #busyUntil = new Map<string, EpochMs>();

  /** Takes what the project's own visit to a site saw. */
  learn(origin: string, { pages }: WorkResult): void {
    const known = pages.filter(({ answer }) => answer === 200);
    if (known.length > 0) this.#pages.set(origin, new Map(known.map((page) => [page.path, page])));
  }

  /** A site that nobody asks, with its pages; undefined if there is none. @param order - from 0 to 1 */
  choose(now: EpochMs, order: number): { readonly origin: string; readonly paths: readonly string[] } | undefined {
    const free = [...this.#pages.keys()].filter((origin) => (this.#busyUntil.get(origin) ?? 0) <= now);
    const origin = free[Math.floor(order * free.length)];
    return origin === undefined ? undefined : { origin, paths: [...(this.#pages.get(origin)?.keys() ?? [])] };
  }

  /** A unit of some pages of such a site, which is busy until the unit ends; undefined if there is none. */
  chooseUnit(now: EpochMs, ends: EpochMs, random: () => number): Omit<StoredUnit, "id"> | undefined {
    const site = this.choose(now, random());
    if (site === undefined) return undefined;
    const { origin, paths } = site;
    const chosen = shufflePaths(paths, random).slice(0, pagesAUnit);
    const pages = chosen.map((path) => ({ path, note: "" }));
    this.keepBusy(origin, ends);
    return { origin, pages, stage: "out", isKnown: true, notBefore: now, ends };
  }

  /** Nobody asks a site before. */
  keepBusy(origin: string, until: EpochMs): void {
    this.#busyUntil.set(origin, until);
  }

  /** Holds a result against what was learned, and against a visit that was made since: where pages were edited meanwhile, it is no lie. */
  judgeAgain(origin: string, result: WorkResult, visit: WorkResult): Verdict {
    const before = this.judge(origin, visit);
    if (before !== "wrong") return before === "right" ? this.judge(origin, result) : "unclear";
    for (const page of visit.pages) if (page.answer === 200) this.#pages.get(origin)?.set(page.path, page);
    return this.judge(origin, result) === "right" ? "right" : "unclear";
  }

  /** Holds a result against these pages: bytes and links have to be as they are. A result that answers none of them is `unclear`. */
  judge(origin: string, { pages }: WorkResult): Verdict {
    const known = this.#pages.get(origin);
    const answered = pages.filter(({ path, answer }) => answer === 200 && known?.has(path));
    if (answered.length === 0) return "unclear";
    const isRight = answered.every(({ path, body, links }) => {
      const page = known?.get(path);
      return body?.digest === page?.body?.digest && links.join("\n") === page?.links.join("\n");
    });
    return isRight ? "right" : "wrong";
  }
}
