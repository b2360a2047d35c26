import { createRandom } from "../../../src/core/index.ts";
import type { WorkPage, WorkResult } from "../../../src/formats/work-unit/index.ts";
import type { SimulatedWeb } from "./simulated-web.ts";

export const lies = ["invent", "few", "drop", "collude", "sleeper"] as const;
/**
 * How volunteers lie: `invent` half as many links again, `few` one more of ten; `drop` half of a page's links; `collude`: all liars
 * invent the same; `sleeper`: as `invent` in one unit of three, after 30 honest ones.
 */
export type Lie = (typeof lies)[number];

const honestUnits = 30;

/** A volunteer, honest or not. */
export class SimulatedVolunteer {
  readonly name: string;
  readonly #lie: Lie | undefined;
  readonly #seed: number;
  #units = 0;

  constructor(name: string, lie: Lie | undefined, seed: number) {
    this.name = name;
    this.#lie = lie;
    this.#seed = seed;
  }

  get isLiar(): boolean {
    return this.#lie !== undefined;
  }

  /** What it says of a unit, by what is there. */
  tell(web: SimulatedWeb, origin: string, result: WorkResult): WorkResult {
    const unit = this.#units++;
    if (this.#lie === undefined) return result;
    if (this.#lie === "sleeper" && (unit < honestUnits || unit % 3 !== 0)) return result;
    return { ...result, pages: result.pages.map((page) => this.#spoil(web, origin, page)) };
  }

  #spoil(web: SimulatedWeb, origin: string, page: WorkPage): WorkPage {
    const random = createRandom(this.#seed, this.#lie === "collude" ? "all" : this.name, origin, page.path);
    if (this.#lie === "drop") return { ...page, links: page.links.filter((_, at) => at % 2 === 0) };
    const count = Math.ceil(page.links.length * (this.#lie === "few" ? 0.1 : 0.5));
    const invented = Array.from({ length: count }, (_, at) => {
      const number = Math.floor(random() * 1e6);
      // One of two leads to a site of the liar's own.
      return at % 2 === 0
        ? `https://false${number}.example/`
        : `${web.originOf(number % web.options.sites)}/false-${number}`;
    });
    return { ...page, links: [...new Set([...page.links, ...invented])] };
  }
}
