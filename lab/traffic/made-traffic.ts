import { createRandom } from "../../src/core/index.ts";
import { WeightedChoice } from "../webs/weighted-choice.ts";

/** Who sends a request, in truth. */
export type TrafficClass =
  | "people"
  | "cached"
  | "conditional"
  | "wasteful"
  | "unlisted"
  | "hidden"
  | "rendering"
  | "impostor";

/** A generated access log. */
export interface MadeTrafficOptions {
  readonly seed: number;
  /** Lines, about. */
  readonly lines: number;
  /** Pages of the site; each is changed by a Poisson process. */
  readonly pages: number;
  readonly days: number;
  /** Share of crawlers in the lines, about. Default 0.57, as on sites with much to crawl. */
  readonly shareOfCrawlers?: number;
}

/** One address with one agent, and what it did. */
export interface MadeClient {
  readonly kind: TrafficClass;
  readonly address: string;
  readonly agent: string;
  requests: number;
  /** Requests of pages that had not changed since the last of the same crawler; always 0 for people. */
  needless: number;
}

interface Actor {
  readonly kind: TrafficClass;
  readonly agent: string;
  /** Addresses of the actor, each a client. */
  readonly clients: readonly MadeClient[];
  /** Share of all lines. */
  readonly share: number;
  readonly isConditional: boolean;
  readonly asksForRobots: boolean;
  /** What the actor has of each page: its version, 0 if nothing. */
  readonly versions: Uint32Array;
  nextPage: number;
}

const start = Date.UTC(2026, 8, 1) / 1000;
const slotSeconds = 60;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const assetsOfPage = 8;
/** Lines of regular readers, and how many pages each reads in the time. */
const shareOfCached = 0.01;
const pagesOfCached = 90;

const browsers = [
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
] as const;
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

/** Actors beside people: kind, agent, share of the lines, first three bytes of their addresses, how many. */
const crawlers: ReadonlyArray<readonly [TrafficClass, string, number, string, number]> = [
  ["conditional", googlebot, 0.08, "66.249.66", 40],
  ["conditional", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", 0.05, "157.55.39", 30],
  ["conditional", "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", 0.02, "5.255.231", 12],
  [
    "wasteful",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    0.12,
    "52.230.152",
    24,
  ],
  [
    "wasteful",
    "Mozilla/5.0 (Linux; Android 5.0) (compatible; Bytespider; spider-feedback@bytedance.com)",
    0.07,
    "110.249.201",
    64,
  ],
  ["wasteful", "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)", 0.06, "54.36.148", 50],
  ["unlisted", "LocalIndex/0.3 (+https://index.example/)", 0.03, "198.51.100", 4],
  ["unlisted", "Mozilla/5.0 (compatible; CampusCollector/1.0; +https://campus.example/)", 0.02, "203.0.113", 2],
  ["hidden", browsers[1], 0.05, "45.148.10", 12],
  ["hidden", browsers[0], 0.02, "193.32.162", 3],
  // It runs in a browser, and loads a picture with one page in ten.
  ["rendering", browsers[1], 0.02, "45.148.20", 6],
  ["impostor", googlebot, 0.03, "91.240.118", 9],
];

const defaultShare = crawlers.reduce((sum, [, , share]) => sum + share, 0);

/** The addresses that are Google's in a generated log, in the form in which crawlers' operators publish theirs. */
export const madeRanges: { readonly prefixes: ReadonlyArray<{ readonly ipv4Prefix: string }> } = {
  prefixes: [{ ipv4Prefix: "66.249.66.0/24" }],
};

/**
 * A month of a site's access log in the combined format, with its truth: people who load a page's images and styles, crawlers
 * that ask with conditions and that do not, crawlers on no list, crawlers that look like browsers, one that is a browser, readers whose browser keeps all images, and some that call
 * themselves Googlebot. Pages change 4 times a day to once a year; one change in 20 keeps the page's size.
 */
export class MadeTraffic {
  readonly #options: MadeTrafficOptions;
  readonly #random: () => number;
  readonly #versions: Uint32Array;
  readonly #sizes: Uint32Array;
  /** Which page changes next. */
  readonly #changing: WeightedChoice;
  /** Changes of all pages a day. */
  readonly #changes: number;
  readonly #actors: readonly Actor[];
  readonly #people = new Map<string, MadeClient>();
  #out: string[] = [];
  /** Lines of people that are still to come. */
  #linesDue = 0;

  constructor(options: MadeTrafficOptions) {
    const { seed, pages } = options;
    this.#options = options;
    const random = createRandom(seed);
    this.#random = random;
    this.#versions = new Uint32Array(pages).fill(1);
    this.#sizes = Uint32Array.from({ length: pages }, () => Math.round(Math.exp(9 + 1.2 * normal(random))));
    const rates = Float64Array.from({ length: pages }, () => 4 / 1460 ** random());
    this.#changing = new WeightedChoice(rates);
    this.#changes = rates.reduce((sum, rate) => sum + rate, 0);
    this.#actors = crawlers.map(([kind, agent, share, prefix, count]) => ({
      kind,
      agent,
      share,
      clients: Array.from({ length: count }, (_, at) => makeClient(kind, `${prefix}.${at + 1}`, agent)),
      isConditional: kind === "conditional",
      asksForRobots: kind !== "hidden" && kind !== "rendering" && kind !== "impostor",
      versions: new Uint32Array(pages),
      nextPage: Math.floor(random() * pages),
    }));
  }

  /** All clients; what they did is counted while {@link chunks} is read. */
  *clients(): Generator<MadeClient, void, void> {
    for (const { clients } of this.#actors) yield* clients;
    yield* this.#people.values();
  }

  /** The log, in order of time. */
  *chunks(): Generator<Buffer, void, void> {
    const { days, lines, shareOfCrawlers = defaultShare } = this.#options;
    const slots = (days * 86_400) / slotSeconds;
    const perSlot = lines / slots;
    const changes = this.#changes / (86_400 / slotSeconds);
    for (let slot = 0; slot < slots; slot++) {
      for (let left = this.#count(changes); left > 0; left--) this.#change();
      const stamp = formatStamp(start + slot * slotSeconds);
      const hour = Math.floor((slot * slotSeconds) / 3600) % 24;
      const busy = 1 + 0.8 * Math.sin(((hour - 9) * Math.PI) / 12);
      for (let left = this.#count(perSlot * shareOfCached); left > 0; left--) this.#readCached(stamp);
      this.#linesDue += perSlot * (1 - shareOfCrawlers - shareOfCached) * busy;
      while (this.#linesDue > 0) this.#linesDue -= this.#visit(stamp);
      for (const actor of this.#actors) {
        const requests = this.#count((perSlot * actor.share * shareOfCrawlers) / defaultShare);
        this.#crawl(actor, requests, stamp, slot);
      }
      if (this.#out.length > 2000) yield this.#take();
    }
    yield this.#take();
  }

  #take(): Buffer {
    const bytes = Buffer.from(this.#out.join(""), "latin1");
    this.#out = [];
    return bytes;
  }

  /** A whole number with this mean. */
  #count(mean: number): number {
    return Math.floor(mean) + (this.#random() < mean % 1 ? 1 : 0);
  }

  #change(): void {
    const page = this.#changing.choose(this.#random);
    (this.#versions[page] as number)++;
    if (this.#random() >= 0.05)
      this.#sizes[page] = Math.max(200, (this.#sizes[page] as number) + Math.round((this.#random() - 0.5) * 2000));
  }

  /** A person reads some pages; who was here before has images and styles of the site. @returns lines */
  #visit(stamp: string): number {
    const before = this.#out.length;
    const random = this.#random;
    const number = Math.floor(random() ** 1.5 * (this.#options.lines / 30 + 10));
    const address = `${80 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}.${1 + (number % 250)}`;
    const agent = browsers[number % browsers.length] as string;
    const key = `${address} ${agent}`;
    const held = this.#people.get(key);
    const client = held ?? makeClient("people", address, agent);
    if (held === undefined) this.#people.set(key, client);
    const count = 1 + Math.floor(-Math.log(1 - random()) * 2.5);
    for (let left = count; left > 0; left--) {
      const page = Math.floor(random() ** 3 * this.#versions.length);
      this.#write(client, stamp, pathOf(page), 200, this.#sizes[page] as number);
      const assets = held === undefined || random() < 0.3 ? assetsOfPage : Math.floor(random() * 3);
      for (let asset = 0; asset < assets; asset++)
        this.#write(
          client,
          stamp,
          `/static/${asset % 2 === 0 ? `style${asset}.css` : `image${asset}-${page}.png`}`,
          200,
          4000 + 97 * asset,
        );
    }
    return this.#out.length - before;
  }

  /** A regular reader, whose browser keeps all images and styles: only pages are in the log. */
  #readCached(stamp: string): void {
    const readers = Math.max(1, Math.round((this.#options.lines * shareOfCached) / pagesOfCached));
    const number = Math.floor(this.#random() * readers);
    const address = `79.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    const agent = browsers[number % browsers.length] as string;
    const key = `${address} ${agent}`;
    const client = this.#people.get(key) ?? makeClient("cached", address, agent);
    this.#people.set(key, client);
    const page = Math.floor(this.#random() ** 3 * this.#versions.length);
    this.#write(client, stamp, pathOf(page), 200, this.#sizes[page] as number);
  }

  #crawl(actor: Actor, requests: number, stamp: string, slot: number): void {
    const { clients, kind } = actor;
    const pages = this.#versions.length;
    for (let left = requests; left > 0; left--) {
      const client = clients[Math.floor(this.#random() * clients.length)] as MadeClient;
      if (actor.asksForRobots && (slot % 1440 === 0 || this.#random() < 0.002)) {
        this.#write(client, stamp, "/robots.txt", 200, 120);
        continue;
      }
      if (kind === "rendering" && this.#random() < 0.1) {
        this.#write(client, stamp, `/static/image1-${actor.nextPage}.png`, 200, 4000);
        continue;
      }
      const page = actor.nextPage;
      actor.nextPage = (page + 1) % pages;
      const version = this.#versions[page] as number;
      const isSame = actor.versions[page] === version;
      actor.versions[page] = version;
      if (isSame) client.needless++;
      const isNotModified = isSame && actor.isConditional;
      this.#write(
        client,
        stamp,
        pathOf(page),
        isNotModified ? 304 : 200,
        isNotModified ? 0 : (this.#sizes[page] as number),
      );
    }
    if (kind === "impostor") actor.nextPage = Math.floor(this.#random() * pages);
  }

  #write(client: MadeClient, stamp: string, path: string, status: number, bytes: number): void {
    client.requests++;
    this.#out.push(
      `${client.address} - - [${stamp}] "GET ${path} HTTP/1.1" ${status} ${bytes} "-" "${client.agent}"\n`,
    );
  }
}

function makeClient(kind: TrafficClass, address: string, agent: string): MadeClient {
  return { kind, address, agent, requests: 0, needless: 0 };
}

const pathOf = (page: number): string => `/section-${page % 40}/page-${page}.html`;

function formatStamp(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
