import { computePageRank, GraphBuilder } from "../../graph/index.ts";
import { readLinks } from "../../storage/index.ts";

/** The pages to request next, and what they were chosen from. */
export interface PlannedBatch {
  /** The highest rank first. */
  readonly urls: readonly string[];
  /** Pages that are known, and those of them that were requested. */
  readonly known: number;
  readonly requested: number;
  readonly links: number;
}

const tolerance = 1e-6;
const maxRounds = 60;
/** Of a table's places, so many may be used. */
const load = 0.6;

/** 53 bits of a text, other ones for each seed. */
function hashText(text: string, seed: number): number {
  let upper = 0xdeadbeef ^ seed;
  let lower = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    upper = Math.imul(upper ^ code, 2_654_435_761);
    lower = Math.imul(lower ^ code, 1_597_334_677);
  }
  upper = Math.imul(upper ^ (upper >>> 16), 2_246_822_507) ^ Math.imul(lower ^ (lower >>> 13), 3_266_489_909);
  lower = Math.imul(lower ^ (lower >>> 16), 2_246_822_507) ^ Math.imul(upper ^ (upper >>> 13), 3_266_489_909);
  return 2 ** 32 * (2_097_151 & lower) + (upper >>> 0) + 1;
}

/** Numbers of URLs, in 20 bytes each: two URLs have the same one with a chance of one in 2^53 for each pair. */
class UrlNumbers {
  readonly #seed: number;
  #keys = new Float64Array(2 ** 16);
  #numbers = new Uint32Array(2 ** 16);
  #size = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a URL, a new one if it has none yet. */
  of(url: string): number {
    const key = hashText(url, this.#seed);
    const place = this.#placeOf(key);
    if (this.#keys[place] === key) return this.#numbers[place] as number;
    if (this.#size >= this.#keys.length * load) {
      this.#widen();
      return this.#put(this.#placeOf(key), key);
    }
    return this.#put(place, key);
  }

  #put(place: number, key: number): number {
    this.#keys[place] = key;
    this.#numbers[place] = this.#size;
    return this.#size++;
  }

  #placeOf(key: number): number {
    const mask = this.#keys.length - 1;
    let place = (key >>> 0) & mask;
    for (let there = this.#keys[place]; there !== key && there !== 0; there = this.#keys[place])
      place = (place + 1) & mask;
    return place;
  }

  #widen(): void {
    const [keys, numbers] = [this.#keys, this.#numbers];
    this.#keys = new Float64Array(keys.length * 2);
    this.#numbers = new Uint32Array(keys.length * 2);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key === 0) continue;
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#numbers[place] = numbers[at] as number;
    }
  }
}

/**
 * Chooses the pages of the highest rank that are known and were not requested, by the PageRank of the kept links: *Batch* of Castillo
 * et al. Memory: about 40 bytes a known URL and 24 a link. O(links), twice through the files.
 *
 * @param folder - of kept links, see docs/format.md
 * @param count - most pages
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004, section 5
 */
export function planBatch(folder: string, count: number, seed: number): PlannedBatch {
  const numbers = new UrlNumbers(seed);
  const graph = new GraphBuilder();
  const requested: number[] = [];
  for (const { url, links } of readLinks(folder)) {
    const from = numbers.of(url);
    requested.push(from);
    for (const link of links) graph.addLink(from, numbers.of(link));
    // A page that nothing leads to is one, too.
    graph.addNode(from);
  }
  const isRequested = new Uint8Array(numbers.size);
  for (const number of requested) isRequested[number] = 1;
  const { ranks } = computePageRank(graph.build(), { tolerance, maxRounds });
  const least = leastOfHighest(
    ranks.filter((_, number) => isRequested[number] === 0),
    count,
  );
  const found = new Map<number, string>();
  const offer = (url: string): void => {
    const number = numbers.of(url);
    if (isRequested[number] === 1 || (ranks[number] as number) < least || found.has(number)) return;
    found.set(number, url);
  };
  for (const { links } of readLinks(folder)) for (const link of links) offer(link);
  const chosen = [...found].sort(([a], [b]) => (ranks[b] as number) - (ranks[a] as number)).slice(0, count);
  return {
    urls: chosen.map(([, url]) => url),
    known: numbers.size,
    requested: new Set(requested).size,
    links: graph.links,
  };
}

/** The least of the highest values; sorts them. */
function leastOfHighest(values: Float64Array, count: number): number {
  values.sort();
  return values[Math.max(0, values.length - count)] ?? 0;
}
