import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../../interop/random.ts";

const linksAPage = 30;
const childrenAPage = 5;
const pagesAFolder = 100;
const bytesAPage = 5 * 1024;

const words = "sea wind harbour letter winter garden river stone copper market evening bridge window island road".split(
  " ",
);

/** The path of a page, as it is linked; the first is `/`. */
export function linkedPath(number: number): string {
  return number === 0 ? "/" : `/part-${Math.floor(number / pagesAFolder)}/page-${number}.html`;
}

// Each page links to its children in a tree, so that each is found, and else to any.
function linksOf(number: number, pages: number, below: (limit: number) => number): number[] {
  const links = [0];
  for (let child = 1; child <= childrenAPage; child++) {
    if (number * childrenAPage + child < pages) links.push(number * childrenAPage + child);
  }
  while (links.length < linksAPage) links.push(below(pages));
  return links;
}

/** Writes a site of pages of 5 KiB with 30 links each, all of which are found from `/` by links alone. */
export function writeLinkedSite(docroot: string, pages: number): void {
  const { below } = createRandom(5);
  for (let number = 0; number < pages; number++) {
    const folder = join(docroot, `part-${Math.floor(number / pagesAFolder)}`);
    if (number % pagesAFolder === 0) mkdirSync(folder, { recursive: true });
    const items = linksOf(number, pages, below).map(
      (to) => `<li class="entry"><a href="${linkedPath(to)}">Page ${to}</a></li>`,
    );
    let text = "";
    const head = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Page ${number}</title></head>\n<body>\n<h1>Page ${number}</h1>\n`;
    const list = `<ul>\n${items.join("\n")}\n</ul>\n`;
    while (head.length + list.length + text.length < bytesAPage)
      text += `<p>${Array.from({ length: 40 }, () => words[below(words.length)]).join(" ")}.</p>\n`;
    const file = number === 0 ? join(docroot, "index.html") : join(docroot, linkedPath(number));
    writeFileSync(file, `${head}${list}${text}</body></html>\n`);
  }
}
