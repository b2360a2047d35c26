import { lstatSync } from "node:fs";
import type { ExportEvent, WithholdRule } from "../../core/index.ts";
import { decodePathSegment } from "../../formats/url/index.ts";
import type { GlobFilter } from "./glob-filter.ts";
import { judgePathNames } from "./path-rules.ts";

export interface NewlyWithheldOptions {
  readonly globs: GlobFilter;
  /** Where the files of a site lie: encoded prefixes with `/` at their ends, and folders. */
  readonly roots: readonly { readonly prefix: string; readonly folder: string }[];
  /** Whether there are lists of pages that are no files. */
  readonly hasLists: boolean;
}

/**
 * Finds pages that an earlier export published and that a rule of names or types holds back now, as after an upgrade or
 * another `--include`: they go out as deleted, which is not to happen without a word.
 */
export class NewlyWithheld {
  readonly #options: NewlyWithheldOptions;
  readonly #found: Map<WithholdRule, { count: number; readonly example: string }> = new Map();

  constructor(options: NewlyWithheldOptions) {
    this.#options = options;
  }

  /** Takes an event; what counts is a page that is deleted. */
  add(event: ExportEvent): void {
    if (event.event !== "page" || event.change !== "deleted") return;
    const rule = this.#judge(event.path);
    if (rule === undefined) return;
    const found = this.#found.get(rule);
    if (found === undefined) this.#found.set(rule, { count: 1, example: event.path });
    else found.count += 1;
  }

  restart(): void {
    this.#found.clear();
  }

  get warnings(): ExportEvent[] {
    return [...this.#found].map(([rule, { count, example }]) => ({
      event: "warning",
      code: "now-withheld",
      message: `${count === 1 ? "a page that was" : `${count} pages that were`} published, such as ${example}, ${count === 1 ? "is" : "are"} held back now as ${rule} and published as deleted. To publish what is named so, give --include '**' and an --include that names it; see --dry-run.`,
      path: example,
    }));
  }

  #judge(path: string): WithholdRule | undefined {
    const { globs, hasLists } = this.#options;
    const rule = judgePathNames(path, globs, "file");
    if (rule !== undefined && this.#isThere(path)) return rule;
    return hasLists ? judgePathNames(path, globs, "listed") : undefined;
  }

  #isThere(path: string): boolean {
    const nested = this.#options.roots.filter(({ prefix }) => path.startsWith(prefix));
    const root = nested.reduce((best, one) => (one.prefix.length > best.prefix.length ? one : best));
    const name = path.slice(root.prefix.length).split("/").map(decodePathSegment).join("/");
    const place = Buffer.concat([Buffer.from(`${root.folder}/`), Buffer.from(name, "latin1")]);
    try {
      return lstatSync(place).isFile();
    } catch {
      return false;
    }
  }
}
