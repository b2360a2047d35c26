import { createHash } from "node:crypto";
import type { EpochMs } from "../../../src/core/index.ts";
import { createRandom } from "../../../src/core/index.ts";
import type { FetchedPage, SiteWork, WorkEnd, WorkSource } from "../../../src/fleet/volunteers/work-source.ts";
import {
  formatWorkResult,
  parseWorkUnit,
  type WorkPage,
  type WorkResult,
  type WorkUnit,
} from "../../../src/formats/work-unit/index.ts";

export interface SimulatedWebOptions {
  readonly sites: number;
  readonly pagesPerSite: number;
  readonly linksPerPage: number;
  /** Share of a page's links that differ from one answer to the next, of the most restless pages. */
  readonly mostRestless: number;
  readonly seed: number;
}

const digestOf = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 8).toString("base64url");

/** A web whose pages have links that change from answer to answer, some more than others. */
export class SimulatedWeb {
  readonly options: SimulatedWebOptions;
  #answers = 0;

  constructor(options: SimulatedWebOptions) {
    this.options = options;
  }

  originOf(site: number): string {
    return `https://s${site}.example`;
  }

  get origins(): string[] {
    return Array.from({ length: this.options.sites }, (_, site) => this.originOf(site));
  }

  pathsOf(): string[] {
    return Array.from({ length: this.options.pagesPerSite }, (_, page) => `/${page}`);
  }

  /** What a page links to, at one answer of it. */
  answer(origin: string, path: string): string[] {
    const { seed, linksPerPage, sites, pagesPerSite, mostRestless } = this.options;
    const random = createRandom(seed, origin, path);
    const restless = random() < 0.5 ? 0 : random() * mostRestless;
    const now = createRandom(seed, "answer", this.#answers++);
    const links = new Set<string>();
    const count = Math.max(1, Math.round(linksPerPage * (0.5 + random())));
    for (let link = 0; link < count; link++) {
      const stable = `${this.originOf(Math.floor(random() * sites))}/${Math.floor(random() * pagesPerSite)}`;
      const moving = `${this.originOf(Math.floor(now() * sites))}/${Math.floor(now() * pagesPerSite)}`;
      links.add(now() < restless ? moving : stable);
    }
    return [...links];
  }

  /** Whether a link is one that the web has. */
  isTrue(link: string): boolean {
    return /^https:\/\/s\d+\.example\/\d+$/.test(link);
  }

  /** What an honest volunteer finds. */
  visit({ nonce, origin, paths, crawlDelayMs }: WorkUnit, now: EpochMs): WorkResult {
    const endedAt = Math.floor(now / 1000);
    const startedAt = endedAt - Math.ceil((paths.length * crawlDelayMs) / 1000);
    const pages = paths.map((path): WorkPage => {
      const links = this.answer(origin, path);
      const body = { sizeBytes: 1000, digest: digestOf(links.join()), mediaType: "text/html" };
      return { path, answer: 200, at: endedAt, body, links };
    });
    return { nonce, startedAt, endedAt, isComplete: true, robots: "47DEQpj8HBQ", pages };
  }
}

/** Hands out the pages of a simulated web, each site once at a time, and keeps what came. */
export class SimulatedWork implements WorkSource {
  readonly taken: FetchedPage[] = [];
  readonly #waiting = new Map<string, string[]>();
  readonly #known: Set<string>;
  readonly #open = new Set<string>();
  readonly #restsUntil = new Map<string, EpochMs>();
  readonly #unitPages: number;
  readonly #restMs: number;

  constructor(web: SimulatedWeb, { unitPages, restMs }: { readonly unitPages: number; readonly restMs: number }) {
    for (const origin of web.origins) this.#waiting.set(origin, web.pathsOf());
    this.#known = new Set(web.origins);
    this.#unitPages = unitPages;
    this.#restMs = restMs;
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  get open(): ReadonlySet<string> {
    return this.#open;
  }

  next(now: EpochMs): SiteWork | undefined {
    for (const [origin, paths] of this.#waiting) {
      if (paths.length === 0 || this.#open.has(origin) || (this.#restsUntil.get(origin) ?? 0) > now) continue;
      this.#open.add(origin);
      // In turn: the site comes last now.
      this.#waiting.delete(origin);
      this.#waiting.set(origin, paths);
      return { origin, pages: paths.splice(0, this.#unitPages).map((path) => ({ path, note: "0.0.0" })) };
    }
    return undefined;
  }

  end(origin: string, { now, left }: WorkEnd): void {
    if (!this.#open.delete(origin)) throw new RangeError(`${origin} has no unit`);
    this.#restsUntil.set(origin, now + this.#restMs);
    this.#waiting.get(origin)?.push(...left);
  }

  take(pages: readonly FetchedPage[]): void {
    this.taken.push(...pages);
  }

  again(urls: readonly string[]): void {
    for (const url of urls) {
      const { origin, pathname } = new URL(url);
      this.#waiting.get(origin)?.unshift(pathname);
    }
  }

  knows(origin: string): boolean {
    return this.#known.has(origin);
  }
}

export function readUnit(bytes: Uint8Array): WorkUnit {
  const unit = parseWorkUnit(bytes);
  if (!unit.ok) throw new TypeError(unit.error.message);
  return unit.value;
}

export const bytesOf = (result: WorkResult): Uint8Array => Buffer.from(formatWorkResult(result));
