import type { Account } from "./account.ts";
import { ClientIndex } from "./client-index.ts";
import type { Crawler } from "./crawler.ts";
import { DayRows, noRows } from "./day-rows.ts";
import type { LogRequest } from "./log-request.ts";

/** A crawler that hides has asked for this many pages, */
const leastPages = 100;
/** loads this share of files that a browser loads with a page, at most, */
const mostAssetShare = 0.02;
/** and goes to so many different pages that this many of 64 bits are set. */
const leastBits = 40;

/** A client of a crawler, with what it did. */
export interface Client {
  readonly crawler: Crawler;
  readonly address: string;
  readonly account: Account;
}

/**
 * Clients, which are addresses with a User-Agent, by their numbers: at most so many, with at most so many days of theirs. If one
 * more comes, one that did not come for long is forgotten, by generations: a
 * generation ends when half as many clients as there is room for came in it, and who came in this one or the last stays.
 */
export class ClientTable {
  readonly #most: number;
  readonly #rows: DayRows;
  readonly #onLeave: (client: Client) => void;
  readonly #index: ClientIndex;
  /** The list of its days in {@link DayRows}; no list if nobody has the number. */
  readonly #days: Int32Array;
  /** The generation in which each came last. */
  readonly #generations: Float64Array;
  readonly #pages: Uint32Array;
  readonly #assets: Uint32Array;
  readonly #lowBits: Int32Array;
  readonly #highBits: Int32Array;
  readonly #crawlers: (Crawler | undefined)[] = [];
  readonly #addresses: string[] = [];
  readonly #free: number[] = [];
  #generation = 2;
  #inGeneration = 0;
  #hand = 0;
  #forgotten = 0;

  /**
   * @param mostDays - of all clients; more than one of them can have
   * @param onLeave - told each client of a crawler that is forgotten
   */
  constructor(most: number, mostDays: number, onLeave: (client: Client) => void) {
    this.#most = most;
    this.#rows = new DayRows(mostDays);
    this.#onLeave = onLeave;
    this.#index = new ClientIndex(most);
    this.#days = new Int32Array(most).fill(noRows);
    this.#generations = new Float64Array(most);
    this.#pages = new Uint32Array(most);
    this.#assets = new Uint32Array(most);
    this.#lowBits = new Int32Array(most);
    this.#highBits = new Int32Array(most);
  }

  /** Clients now. */
  get size(): number {
    return this.#index.size;
  }

  /** How many clients were forgotten to make room. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** @returns undefined if the client is not known, or not any more */
  find(key: number): number | undefined {
    const client = this.#index.find(key);
    if (client !== undefined && this.#generations[client] !== this.#generation) this.#come(client);
    return client;
  }

  /** Takes in a client, which must {@link count} a request next. */
  open(key: number): number {
    if (this.#index.size >= this.#most) this.#forget();
    const client = this.#free.pop() ?? this.#crawlers.length;
    this.#index.set(key, client);
    this.#come(client);
    this.#pages[client] = 0;
    this.#assets[client] = 0;
    this.#lowBits[client] = 0;
    this.#highBits[client] = 0;
    this.#crawlers[client] = undefined;
    this.#addresses[client] = "";
    return client;
  }

  /** Whose client this is; undefined as long as it may be a person's. */
  crawlerOf(client: number): Crawler | undefined {
    return this.#crawlers[client];
  }

  /** Says whose client it is. */
  assign(client: number, crawler: Crawler, address: string): void {
    this.#crawlers[client] = crawler;
    this.#addresses[client] = address;
  }

  /** @param isNeedless - whether the answer was nothing new */
  count(client: number, request: LogRequest, isNeedless: boolean, isBreach: boolean): void {
    let row = this.#rows.find(this.#days[client] as number, request.day);
    if (row === noRows) {
      while (!this.#rows.hasRoom) this.#forget(client);
      row = this.#rows.push(this.#days[client] as number, request.day);
      this.#days[client] = row;
    }
    this.#rows.add(row, request, isNeedless, isBreach);
  }

  /** Notes how it behaves. @returns whether it may be time to look at {@link behavesAsCrawler} */
  note(client: number, request: LogRequest): boolean {
    if (request.isAsset) increment(this.#assets, client);
    if (!request.isPage || request.isOfRobots) return false;
    const bit = request.targetHash & 63;
    const bits = bit < 32 ? this.#lowBits : this.#highBits;
    bits[client] = (bits[client] as number) | (1 << (bit & 31));
    increment(this.#pages, client);
    return (this.#pages[client] as number) >= leastPages;
  }

  /** Whether it goes through the pages of a site and loads nothing of what belongs to them. */
  behavesAsCrawler(client: number): boolean {
    const pages = this.#pages[client] as number;
    return (
      pages >= leastPages &&
      (this.#assets[client] as number) <= mostAssetShare * pages &&
      countBits(this.#lowBits[client] as number) + countBits(this.#highBits[client] as number) >= leastBits
    );
  }

  /** Clients of crawlers, also by what they did since they were taken for one's. */
  *ofCrawlers(): Generator<Client, void, void> {
    for (let client = 0; client < this.#crawlers.length; client++) {
      const one = this.#read(client);
      if (one !== undefined) yield one;
    }
  }

  /** Lets all go. */
  clear(): void {
    for (let client = 0; client < this.#crawlers.length; client++)
      if (this.#days[client] !== noRows) this.#leave(client);
  }

  #come(client: number): void {
    this.#generations[client] = this.#generation;
    if (++this.#inGeneration >= this.#most / 2) this.#turn();
  }

  #turn(): void {
    this.#generation++;
    this.#inGeneration = 0;
  }

  /** @param kept - a client that stays */
  #forget(kept?: number): void {
    for (let seen = 1; ; seen++) {
      // With many days each, there may be nobody who did not come for long.
      if (seen > this.#crawlers.length) {
        this.#turn();
        seen = 1;
      }
      const client = this.#hand;
      this.#hand = client + 1 < this.#crawlers.length ? client + 1 : 0;
      if (client === kept || this.#days[client] === noRows) continue;
      if ((this.#generations[client] as number) >= this.#generation - 1) continue;
      this.#forgotten++;
      this.#leave(client);
      return;
    }
  }

  #leave(client: number): void {
    const one = this.#read(client);
    this.#rows.free(this.#days[client] as number);
    this.#days[client] = noRows;
    this.#crawlers[client] = undefined;
    this.#addresses[client] = "";
    this.#index.delete(client);
    this.#free.push(client);
    if (one !== undefined) this.#onLeave(one);
  }

  #read(client: number): Client | undefined {
    const crawler = this.#crawlers[client];
    if (crawler === undefined || (crawler.basis === "behaviour" && !this.behavesAsCrawler(client))) return undefined;
    const account = this.#rows.accountOf(this.#days[client] as number);
    return { crawler, address: this.#addresses[client] as string, account };
  }
}

function increment(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] as number) + 1;
}

function countBits(word: number): number {
  let left = word >>> 0;
  let count = 0;
  for (; left !== 0; left &= left - 1) count++;
  return count;
}
