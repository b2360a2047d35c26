import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readLinks } from "../../src/formats/html/page-links.ts";
import { repositoryFolder } from "../repository-folder.ts";

/** Pages of every kind of link, and what stands in them; `fixtures/README.md` says more. */
export const linkFolder: string = join(repositoryFolder(), "fixtures", "conformance", "links");

/** A link that stands in one of the pages. */
export interface ExpectedLink {
  readonly page: string;
  /** Path and query. */
  readonly url: string;
  readonly kind: string;
}

export function readExpectedLinks(): ExpectedLink[] {
  const lines = readFileSync(join(linkFolder, "expected.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as ExpectedLink);
}

const origin = "http://links.example";

/** What we find in the pages. */
export function findOwnLinks(expected: readonly ExpectedLink[]): ExpectedLink[] {
  return [...new Set(expected.map(({ page }) => page))].flatMap((page) => {
    const { links } = readLinks(readFileSync(join(linkFolder, page)), "text/html", `${origin}/${page}`);
    return links.map(({ url, kind }) => ({ page, url: url.replace(origin, ""), kind }));
  });
}
