import type { ExportEvent } from "../../core/index.ts";
import { type PageHead, readPageHead } from "../../formats/html/index.ts";

/** How a page's own URL, `rel=canonical`, differs from the one under which it is published. */
export type NameDifference =
  /** `/docs/` for `/docs/index.html`. */
  | { readonly kind: "index"; readonly name: string }
  /** `/about` for `/about.html`. */
  | { readonly kind: "clean" }
  /** `/docs/index.html` for `/docs/`, or `/about.html` for `/about`. */
  | { readonly kind: "full"; readonly option: "index" | "clean-urls" }
  /** `/project/about.html` for `/about.html`: the server shows the folder below a prefix. */
  | { readonly kind: "prefix"; readonly prefix: string }
  /** The same path on another origin. */
  | { readonly kind: "origin"; readonly origin: string };

/** A difference that more pages have than not. */
export interface NameFinding {
  readonly difference: NameDifference;
  /** Pages with this difference, and pages that could have it and name themselves as they are published. */
  readonly differing: number;
  readonly agreeing: number;
  /** A published path, and the URL that this page calls its own. */
  readonly example: { readonly path: string; readonly canonical: string };
}

/** Code of the warning of {@link warnOfNames}. */
export const otherUrlsCode = "other-urls";

const indexName = /^index\.(?:html?|shtml|xhtml)$/;

/**
 * Compares the canonical URL of a page with the one under which it is published.
 *
 * @param path - under which it is published
 * @param site - origin with `/`
 * @returns `same`; undefined if it is another page's URL
 */
export function compareNames(
  path: string,
  canonical: string,
  site: string,
): readonly NameDifference[] | "same" | undefined {
  const { origin, pathname, search } = new URL(canonical);
  if (search !== "") return undefined;
  const own = comparePaths(path, pathname);
  const isHere = `${origin}/` === site;
  if (own === undefined) return undefined;
  if (isHere) return own === "same" ? "same" : [own];
  // On another origin, a path below a prefix is any page's.
  if (own !== "same" && own.kind === "prefix") return undefined;
  return [{ kind: "origin", origin: `${origin}/` }, ...(own === "same" ? [] : [own])];
}

function comparePaths(path: string, canonical: string): NameDifference | "same" | undefined {
  if (canonical === path) return "same";
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (indexName.test(name) && canonical === path.slice(0, -name.length)) return { kind: "index", name };
  if (canonical === path.replace(/\.html?$/, "")) return { kind: "clean" };
  if (path.endsWith("/") && canonical.startsWith(path) && indexName.test(canonical.slice(path.length)))
    return { kind: "full", option: "index" };
  if (canonical === `${path}.html` || canonical === `${path}.htm`) return { kind: "full", option: "clean-urls" };
  const short = indexName.test(name) ? path.slice(0, -name.length) : undefined;
  for (const form of [path, short, path.replace(/\.html?$/, "")]) {
    // The home page's folder is the end of any.
    if (form === undefined || form === "/" || !canonical.endsWith(form)) continue;
    return { kind: "prefix", prefix: `${canonical.slice(0, -form.length)}/` };
  }
  return undefined;
}

/** What sampled pages call themselves, beside what they are published as. */
export class CanonicalNames {
  readonly #site: string;
  readonly #found = new Map<string, { difference: NameDifference; count: number; example: NameFinding["example"] }>();
  /** Pages by what difference they could have and have not. */
  readonly #agreeing = { index: 0, clean: 0, folder: 0, all: 0 };
  #pages = 0;

  /** @param site - origin with `/` */
  constructor(site: string) {
    this.#site = site;
  }

  /** Takes the beginning of a page. */
  add(path: string, head: Uint8Array): PageHead {
    const facts = readPageHead(head, new URL(path, this.#site).href);
    const { canonical } = facts;
    const compared = canonical === undefined ? undefined : compareNames(path, canonical, this.#site);
    if (canonical === undefined || compared === undefined) return facts;
    this.#pages += 1;
    if (compared === "same") {
      this.#agreeing.all += 1;
      if (indexName.test(path.slice(path.lastIndexOf("/") + 1))) this.#agreeing.index += 1;
      else if (/\.html?$/.test(path)) this.#agreeing.clean += 1;
      else this.#agreeing.folder += 1;
      return facts;
    }
    for (const difference of compared) {
      const key = JSON.stringify(difference);
      const found = this.#found.get(key);
      if (found !== undefined) found.count += 1;
      else if (this.#found.size < 256) this.#found.set(key, { difference, count: 1, example: { path, canonical } });
    }
    return facts;
  }

  /** Whether pages of this form call themselves by the names of their files. */
  agreesWith(kind: "index" | "clean"): boolean {
    return this.#agreeing[kind] > 0 && !this.findings.some(({ difference }) => difference.kind === kind);
  }

  /** Differences that hold for more pages than not, the most frequent first. */
  get findings(): readonly NameFinding[] {
    const findings: NameFinding[] = [];
    for (const { difference, count, example } of this.#found.values()) {
      const agreeing = this.#agreeingWith(difference, count);
      const isOfAll = difference.kind === "prefix" || difference.kind === "origin";
      if (count > agreeing && (!isOfAll || count >= 2))
        findings.push({ difference, differing: count, agreeing, example });
    }
    return findings.sort((a, b) => b.differing - a.differing);
  }

  #agreeingWith({ kind }: NameDifference, count: number): number {
    if (kind === "index" || kind === "clean") return this.#agreeing[kind];
    if (kind === "full") return this.#agreeing.folder;
    // A prefix or an origin is that of all pages.
    return this.#pages - count;
  }
}

/** The options that publish pages as they call themselves. */
export function adviseOnNames({ difference }: NameFinding): string {
  switch (difference.kind) {
    case "index":
      return `--index ${difference.name}`;
    case "clean":
      return "--clean-urls";
    case "full":
      return `no --${difference.option}`;
    case "prefix":
      return `--map ${difference.prefix}=FOLDER with this folder, and the folder that the server shows at / as document root`;
    case "origin":
      return `--base-url ${difference.origin}`;
  }
}

/** The warning of an export whose URLs are others than those by which its pages call themselves. */
export function warnOfNames(findings: readonly NameFinding[]): ExportEvent | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  const { differing, agreeing, example } = first;
  const counts = `${differing} of ${differing + agreeing} sampled pages`;
  const advice = findings.map(adviseOnNames).join(", ");
  return {
    event: "warning",
    code: otherUrlsCode,
    message: `${counts} give another URL as their own (rel=canonical) than the one under which they are published: ${example.canonical} and not ${example.path}. Crawlers will know them by a URL that nobody links to. To publish them under their own: ${advice}.`,
    path: example.path,
  };
}
