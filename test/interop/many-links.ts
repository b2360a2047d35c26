import type { PageLinks } from "../../src/formats/html/page-links.ts";
import { LinkReader } from "../../src/formats/html/page-links.ts";

/** What a page of very many links cost. */
export interface ManyLinks {
  readonly found: PageLinks;
  readonly bytes: number;
  readonly cpuSeconds: number;
  /** The most by which the process grew. */
  readonly grownBytes: number;
}

const linksPerPiece = 800;

/** Reads a page of so many links, all of them different and none of them closed, as it is made. */
export function runManyLinks(count: number): ManyLinks {
  const encoder = new TextEncoder();
  const reader = new LinkReader("https://a.example/", "text/html; charset=utf-8");
  const startBytes = process.memoryUsage().rss;
  const before = process.cpuUsage();
  let bytes = 0;
  let grownBytes = 0;
  for (let link = 0, pieces = 0; link < count; pieces++) {
    let text = "";
    for (let end = link + linksPerPiece; link < end; link++)
      text += `<li><a class=item href="/list/${link}.html?from=a&amp;b">`;
    const piece = encoder.encode(text);
    bytes += piece.length;
    reader.write(piece);
    if (pieces % 100 === 0) grownBytes = Math.max(grownBytes, process.memoryUsage().rss - startBytes);
  }
  const found = reader.end();
  const { user, system } = process.cpuUsage(before);
  grownBytes = Math.max(grownBytes, process.memoryUsage().rss - startBytes);
  return { found, bytes, cpuSeconds: (user + system) / 1e6, grownBytes };
}
