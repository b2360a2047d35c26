import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type ExportEvent, type Problem, TidemarkError, type WithholdRule } from "../../core/index.ts";
import { maxPublishedPath } from "../walk/scanned-file.ts";
import type { ListedPage, ListedPageSource } from "./listed-page.ts";
import { PageSort } from "./page-sort.ts";

export interface ListedPagesOptions {
  /** The site's origin, without a slash at the end. */
  readonly origin: string;
  /** Folder for what does not fit in memory; about as much as the list unpacked is needed, and freed at the end. */
  readonly spillFolder: string;
  /** Rule of the composition for an encoded path: what we wrote ourselves, what robots.txt disallows. */
  readonly judgePath: (path: string) => WithholdRule | undefined;
  /** Whether a list may name no page; default false: what wrote it may have failed, and all its pages would go. */
  readonly allowEmpty?: boolean;
  /** Memory of a sorted run; default 32 MiB. */
  readonly runBytes?: number;
  readonly onEvent: (event: ExportEvent) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Takes what is read from a list. */
export interface ListedIntake {
  add(page: ListedPage): void;
  /** Says that what was published of a page stays as it was: its line is not understood. */
  keep(path: string): void;
  /** @param place - what precedes the message: the list and the line */
  problem(place: string, problem: Problem): void;
  /** Says that pages may be missing that are there: nothing is to be deleted because of this list. */
  missing(): void;
  /** To be awaited now and then. @throws TidemarkError `aborted` */
  pause(): Promise<void>;
}

/** Paths of lines that are not understood; with more of them, nothing is deleted because of the list. */
const maxKept = 10_000;

/** Problems that are told in full; of others the number is. */
const maxToldProblems = 20;

/** Pages of a list: read to the end when first asked, then given in path order. */
export class ListedPages implements ListedPageSource {
  readonly #name: string;
  readonly #options: ListedPagesOptions;
  readonly #read: (intake: ListedIntake) => Promise<void>;
  readonly #sort: PageSort;
  #batches: Generator<ListedPage[]> | undefined;
  #problems = 0;
  #isEnded = false;
  #isComplete = true;
  readonly #kept: Set<string> = new Set();

  /** @param read - reads the whole list into the intake, once */
  constructor(name: string, options: ListedPagesOptions, read: (intake: ListedIntake) => Promise<void>) {
    this.#name = name;
    this.#options = options;
    this.#read = read;
    this.#sort = new PageSort(options.spillFolder, options.runBytes);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get kept(): ReadonlySet<string> {
    return this.#kept;
  }

  /** @throws TidemarkError `not-found`, `no-permission`, `bad-option` if nothing in it is a page, `disk-full`, `aborted`, `io` */
  async next(): Promise<readonly ListedPage[] | undefined> {
    this.#batches ??= await this.#begin();
    await this.#pause();
    while (!this.#isEnded) {
      const batch = this.#batches.next();
      if (batch.done === true) {
        this.#isEnded = true;
        this.#tellDuplicates();
        return undefined;
      }
      const pages = batch.value.filter(({ path }) => !this.#kept.has(path) && this.#mayLeave(path));
      if (pages.length > 0) return pages;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#batches?.return(undefined);
    this.#isEnded = true;
    this.#sort[Symbol.dispose]();
  }

  async #begin(): Promise<Generator<ListedPage[]>> {
    await this.#read({
      add: (page) => {
        this.#kept.delete(page.path);
        this.#sort.add(page);
      },
      keep: (path) => {
        if (this.#kept.size < maxKept) this.#kept.add(path);
        else this.#isComplete = false;
      },
      problem: (place, { code, message }) => {
        this.#problems += 1;
        if (this.#problems <= maxToldProblems) this.#tell(code, message, place);
      },
      missing: () => {
        this.#isComplete = false;
      },
      pause: () => this.#pause(),
    });
    const untold = this.#problems - maxToldProblems;
    if (untold > 0) this.#tell("more-problems", `${untold} more problems like these`, this.#name);
    // A list of which nothing is understood is the wrong file, and not a site that lost all its pages.
    if (this.#sort.count === 0 && (this.#problems > 0 || this.#options.allowEmpty !== true))
      throw new TidemarkError("bad-option", `Nothing in ${this.#name} is a page of ${this.#options.origin}.`, {
        hint: "Check that it is the right list and that --base-url is the right site; nothing was changed.",
        details: { list: this.#name, problems: this.#problems },
      });
    return this.#sort.drain();
  }

  #mayLeave(path: string): boolean {
    const rule = this.#options.judgePath(path) ?? (path.length > maxPublishedPath ? "name-too-long" : undefined);
    if (rule !== undefined) this.#options.onEvent({ event: "withheld", path, rule });
    return rule === undefined;
  }

  #tell(code: string, message: string, path: string): void {
    this.#options.onEvent({ event: "item-error", code, message, path });
  }

  #tellDuplicates(): void {
    const { duplicates } = this.#sort;
    if (duplicates === 0) return;
    const message = `${duplicates} lines of ${this.#name} were replaced by a later line for the same page`;
    this.#options.onEvent({ event: "warning", code: "listed-twice", message });
  }

  async #pause(): Promise<void> {
    await yieldToEventLoop();
    if (this.#options.signal?.aborted === true)
      throw new TidemarkError("aborted", "Stopped before anything was published.");
  }
}
