import { hashText } from "./url-numbers.ts";
import type { Found } from "./web-scope.ts";

/** URLs whose ways are kept, in six bytes each; of those that share a place the first one has it. */
const places = 2 ** 22;
const most = 2 ** 16 - 1;

/** The shortest ways that led to pages so far, in a table of fixed size: 24 MiB. */
export class KnownWays {
  /** Of the URL of each place, from 1. */
  readonly #marks = new Uint16Array(places);
  readonly #inSite = new Uint16Array(places);
  readonly #hops = new Uint16Array(places);
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Notes a way to a page. */
  note(url: string, { inSite, hops }: Found): void {
    const [place, mark] = this.#placeOf(url);
    const known = this.#marks[place] as number;
    if (known !== 0 && known !== mark) return;
    this.#marks[place] = mark;
    this.#inSite[place] = known === 0 ? Math.min(most, inSite) : Math.min(inSite, this.#inSite[place] as number);
    this.#hops[place] = known === 0 ? Math.min(most, hops) : Math.min(hops, this.#hops[place] as number);
  }

  /**
   * Notes a further way to a page.
   *
   * @returns it, with the fewest links within the site and the fewest hops of all ways; undefined if the earlier ones are not known
   */
  shorten(url: string, found: Found): Found | undefined {
    const [place, mark] = this.#placeOf(url);
    if (this.#marks[place] !== mark) return undefined;
    this.note(url, found);
    return { ...found, inSite: this.#inSite[place] as number, hops: this.#hops[place] as number };
  }

  #placeOf(url: string): readonly [place: number, mark: number] {
    const hash = hashText(url, this.#seed);
    return [hash % places, (Math.floor(hash / 2 ** 32) % most) + 1];
  }
}
