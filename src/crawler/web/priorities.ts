import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { hashText, UrlNumbers } from "./url-numbers.ts";
import type { WebOrder } from "./web-options.ts";
import type { Found } from "./web-scope.ts";

/** The priority of what comes after all others. */
export const lastPriority = 255;

/** Temporary ranks that are kept, in 4 bytes each; URLs that share one are taken for one. */
const temporaryRanks = 2 ** 22;
/** Damping factor of PageRank. */
const damping = 0.85;
/** Steps of priority for a rank that is twice as high: of temporary ranks few, for a page is queued again with each. */
const temporarySteps = 2;
const givenSteps = 8;

/** Far above any, and finite with 32 bits. */
const mostRank = 1e30;
/** Of a page whose rank is next to none: it is polled all the same. */
const leastWeight = 0.01;

/** Ranks by URL. */
export class GivenRanks {
  readonly #numbers = new UrlNumbers(0);
  #ranks = new Float32Array(1024);
  #highest = 0;
  #sum = 0;
  #count = 0;

  set(url: string, rank: number): void {
    const number = this.#numbers.of(url);
    if (number >= this.#ranks.length) {
      const longer = new Float32Array(this.#ranks.length * 2);
      longer.set(this.#ranks);
      this.#ranks = longer;
    }
    this.#ranks[number] = rank;
    this.#highest = Math.max(this.#highest, this.#ranks[number] as number);
    this.#sum += rank;
    this.#count++;
  }

  /** How much a page matters beside others: its rank by their mean, but at least 0.01; 1 if it has none. */
  weightOf(url: string): number {
    const number = this.#numbers.find(url);
    if (number === undefined || this.#sum === 0) return 1;
    return Math.max(leastWeight, ((this.#ranks[number] as number) * this.#count) / this.#sum);
  }

  /** The rank of a URL as a share of the highest; 0 if it has none. */
  shareOf(url: string): number {
    const number = this.#numbers.find(url);
    return number === undefined ? 0 : (this.#ranks[number] as number) / this.#highest;
  }
}

/** In steps of the logarithm; what has no rank comes last. */
function priorityOfRank(rank: number, highest: number, steps: number): number {
  if (!(rank > 0)) return lastPriority;
  return Math.min(lastPriority - 1, Math.max(0, Math.round(steps * Math.log2(highest / rank))));
}

/**
 * What decides which URL of the queue comes first, 0 to 255, by the orders of Castillo et al.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 5
 */
export class Priorities {
  readonly #order: WebOrder;
  readonly #random: () => number;
  readonly #given: GivenRanks | undefined;
  /** With `partial`: sums of what pages gave to those that they link to. */
  readonly #sums: Float32Array;
  readonly #seed: number;

  constructor(order: WebOrder, random: () => number, given: GivenRanks | undefined) {
    this.#order = order;
    this.#random = random;
    this.#given = given;
    this.#sums = new Float32Array(order === "partial" ? temporaryRanks : 0);
    this.#seed = Math.floor(random() * 2 ** 31);
  }

  of(url: string, { depth }: Found): number {
    if (this.#order === "random") return Math.floor(this.#random() * (lastPriority + 1));
    if (this.#order === "optimal") return priorityOfRank(this.#given?.shareOf(url) ?? 0, 1, givenSteps);
    if (this.#order === "partial") return this.#temporary(this.#sums[this.#placeOf(url)] as number);
    // Those of no batch come last, in the order in which they were found.
    return this.#order === "batch" ? lastPriority : Math.min(lastPriority, depth);
  }

  /**
   * With `partial`: adds what a page gives to those that it links to.
   *
   * @param from - the page; undefined if there is none
   * @returns those that come earlier now
   */
  raise(links: readonly string[], from: string | undefined): string[] {
    if (this.#sums.length === 0 || from === undefined) return [];
    const own = this.#sums[this.#placeOf(from)] as number;
    const share = (1 - damping + damping * own) / Math.max(1, links.length);
    const raised: string[] = [];
    for (const link of links) {
      const place = this.#placeOf(link);
      const before = this.#sums[place] as number;
      this.#sums[place] = before + share;
      if (before > 0 && this.#temporary(before) > this.#temporary(before + share)) raised.push(link);
    }
    return raised;
  }

  #temporary(sum: number): number {
    // A sum of 1 is in the middle.
    return priorityOfRank(sum, 2 ** (lastPriority / 2 / temporarySteps), temporarySteps);
  }

  #placeOf(url: string): number {
    return hashText(url, this.#seed) % temporaryRanks;
  }
}

/**
 * Reads a table of ranks: TAB-separated, gzip'd if its name ends with `.gz`, with names of columns in its first line, of which `name` has
 * URLs and `pagerank` ranks.
 *
 * @throws TidemarkError `bad-option` if it is none; `not-found`, `no-permission`
 */
export async function readRanks(file: string): Promise<GivenRanks> {
  const ranks = new GivenRanks();
  let columns: readonly [number, number] | undefined;
  try {
    const bytes = createReadStream(file);
    const input = /\.gz$/i.test(file) ? bytes.pipe(createGunzip()) : bytes;
    bytes.once("error", (error) => input.destroy(error));
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const fields = line.split("\t");
      if (columns === undefined) {
        columns = [fields.indexOf("name"), fields.indexOf("pagerank")];
        if (columns.includes(-1)) throw notRanks(file, "the first line names no columns `name` and `pagerank`");
        continue;
      }
      const [name, rank] = [fields[columns[0]], Number(fields[columns[1]])];
      if (name === undefined || !(rank >= 0 && rank <= mostRank))
        throw notRanks(file, `no name and rank: ${line.slice(0, 100)}`);
      ranks.set(name, rank);
    }
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith("Z_"))
      throw notRanks(file, "it is no gzip file, or a damaged one");
    throw wrapSystemError(error, `read the ranks ${file}`, { file });
  }
  if (columns === undefined) throw notRanks(file, "it is empty");
  return ranks;
}

function notRanks(file: string, why: string): TidemarkError {
  return new TidemarkError("bad-option", `${file} is no table of ranks: ${why}.`, {
    hint: "Make it with tidemark graph rank GRAPH --into FILE, of a graph whose nodes have URLs as names.",
    details: { file },
  });
}
