import type { CrawlEvent } from "../../core/index.ts";
import type { FollowedVisit, SiteDecision } from "../../crawler/index.ts";
import { isFailedVisit } from "../../crawler/index.ts";
import type { Output } from "../terminal/output.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatNoun } from "../terminal/quantity.ts";

/** What somebody decided of a site, as a part of a sentence. */
export function formatDecided({ isPaused, priority }: Pick<SiteDecision, "isPaused" | "priority">): string {
  const parts = [
    ...(isPaused === undefined ? [] : [isPaused ? "paused" : "resumed"]),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
  ];
  return parts.join(", ");
}

/** Shows to people how many sites are followed. */
export class FollowPrinter {
  readonly #progress: ProgressLine;
  #visits = 0;
  #failed = 0;
  #requests = 0;
  #changed = 0;
  #bytes = 0;
  #last: FollowedVisit | undefined;

  constructor(err: Output, quiet: boolean) {
    this.#progress = new ProgressLine(err, quiet);
  }

  /** Takes an event. @param silent - leave out warnings and failures, because they are printed as JSON */
  show(event: CrawlEvent, silent: boolean): void {
    if (silent) return;
    if (event.event === "warning") this.#progress.say(`warning: ${event.site}: ${event.message}`);
    else if (event.event === "item-error") this.#progress.say(`failed: ${event.site}${event.path}: ${event.message}`);
  }

  /** Takes a visit that has ended. */
  note(visit: FollowedVisit): void {
    const { summary } = visit;
    this.#last = visit;
    this.#visits++;
    if (summary === undefined || isFailedVisit(summary)) this.#failed++;
    this.#requests += summary?.requests ?? 0;
    this.#changed += (summary?.created ?? 0) + (summary?.updated ?? 0) + (summary?.deleted ?? 0);
    this.#bytes += (summary?.pageBytes ?? 0) + (summary?.metadataBytes ?? 0) + (summary?.packageBytes ?? 0);
    this.#progress.show(() => this.#line());
  }

  say(line: string): void {
    this.#progress.say(line);
  }

  /** Takes the progress line away. */
  end(): void {
    this.#progress.clear();
  }

  /** What all visits came to. */
  sum(): string {
    const failed = this.#failed === 0 ? "" : ` (${formatCount(this.#failed)} failed)`;
    return (
      `${formatNoun(this.#visits, "visit")}${failed}, ${formatNoun(this.#requests, "request")}, ` +
      `${formatNoun(this.#changed, "change")}, ${formatBytes(this.#bytes)}`
    );
  }

  #line(): string {
    const { sites = 0, open = 0, due = 0 } = this.#last ?? {};
    return `${formatNoun(sites, "site")}, ${formatCount(open)} open, ${formatCount(due)} due: ${this.sum()}`;
  }
}
