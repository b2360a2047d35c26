import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CrawlerLine } from "./crawler-process.ts";

/** What a tenth of the pages took. */
export interface CrawlPart {
  readonly done: number;
  readonly sites: number;
  readonly waiting: number;
  /** Since the crawl began. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Most memory in this part. */
  readonly rssBytes: number;
  readonly stateBytes: number;
  readonly queueBytes: number;
  readonly linkBytes: number;
}

function sizeOf(folder: string, isCounted: (name: string) => boolean): number {
  return readdirSync(folder).reduce((sum, name) => {
    const size = isCounted(name) ? statSync(join(folder, name), { throwIfNoEntry: false })?.size : 0;
    return sum + (size ?? 0);
  }, 0);
}

/** Notes what a crawl takes at each tenth of its pages. */
export class CrawlParts {
  readonly #into: string;
  readonly #pages: number;
  readonly #parts: CrawlPart[] = [];
  readonly #begunAt = performance.now();
  #rssBytes = 0;

  constructor(into: string, pages: number) {
    this.#into = into;
    this.#pages = pages;
  }

  /** @param cpuBefore - CPU seconds of runs that were killed */
  take({ done, sites, waiting, rssBytes, cpuSeconds, isEnd }: CrawlerLine, cpuBefore: number): void {
    this.#rssBytes = Math.max(this.#rssBytes, rssBytes);
    if (!isEnd && done < ((this.#parts.length + 1) * this.#pages) / 10) return;
    const own = join(this.#into, ".tidemark");
    this.#parts.push({
      ...{ done, sites, waiting, rssBytes: this.#rssBytes },
      seconds: (performance.now() - this.#begunAt) / 1000,
      cpuSeconds: cpuBefore + cpuSeconds,
      stateBytes: sizeOf(own, (name) => name.startsWith("state.db")),
      queueBytes: sizeOf(join(own, "queue"), () => true),
      linkBytes: sizeOf(join(this.#into, "links"), () => true),
    });
    this.#rssBytes = 0;
  }

  /** As a table. */
  format(): string {
    const heads = [
      "pages",
      "sites",
      "waiting",
      "s",
      "CPU s",
      "pages/CPU s",
      "MiB",
      "state MiB",
      "queue MiB",
      "links MiB",
    ];
    const rows = this.#parts.map((part, at) => {
      const before = this.#parts[at - 1] ?? { done: 0, cpuSeconds: 0 };
      const speed = (part.done - before.done) / (part.cpuSeconds - before.cpuSeconds);
      const sizes = [part.rssBytes, part.stateBytes, part.queueBytes, part.linkBytes].map((bytes) => bytes / 2 ** 20);
      return [part.done, part.sites, part.waiting, part.seconds, part.cpuSeconds, speed, ...sizes];
    });
    const lines = [heads, ...rows.map((row) => row.map((value) => value.toFixed(0)))];
    return `${lines.map((line) => line.map((cell) => cell.padStart(11)).join(" ")).join("\n")}\n`;
  }
}
