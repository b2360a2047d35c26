import { createHash } from "node:crypto";

const linksAPage = 100;

/** Where links begin from which every page is reached. */
export const contentsPath = "/contents/index.html";

/** Pages that link to all others: one to the parts, each part to about a hundred pages. */
export class ContentsPages {
  readonly #parts: Set<string>[];
  #isNew = true;

  /** @param pages - how many there are at first */
  constructor(pages: number) {
    this.#parts = Array.from({ length: Math.ceil(pages / linksAPage) }, () => new Set());
  }

  /**
   * Takes in pages that came or went.
   *
   * @param pages - those that are there
   * @returns path and text of each page of contents that has become another; the first time of all
   */
  *render(comeAndGone: readonly string[], pages: ReadonlyMap<string, unknown>): Generator<[string, string]> {
    const touched = new Set<number>();
    for (const path of comeAndGone) {
      const at = createHash("sha256").update(path, "latin1").digest().readUInt32BE() % this.#parts.length;
      touched.add(at);
      if (pages.has(path)) this.#parts[at]?.add(path);
      else this.#parts[at]?.delete(path);
    }
    for (const at of this.#isNew ? this.#parts.keys() : touched)
      yield [partPath(at), renderLinks(`Part ${at}`, this.#parts[at] ?? [])];
    if (this.#isNew) yield [contentsPath, renderLinks("Contents", [...this.#parts.keys()].map(partPath))];
    this.#isNew = false;
  }
}

const partPath = (at: number): string => `/contents/${at}.html`;

function renderLinks(title: string, paths: Iterable<string>): string {
  const items = [...paths].sort().map((path) => `<li><a href="${path}">${path}</a>\n`);
  return `<!doctype html><title>${title}</title><ul>\n${items.join("")}</ul>\n`;
}
