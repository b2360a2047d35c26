import type { CrawledPage } from "../experiment/ports.ts";

/** Least number of links from any of some pages to each page that was crawled, by the links that the crawler kept; -1 if there is no way. */
export function findDepths(crawled: readonly CrawledPage[], from: Uint32Array, pages: number): Int32Array {
  const linksOf = new Map(crawled.map(({ page, links }) => [page, links]));
  const depths = new Int32Array(pages).fill(-1);
  let level = [...from];
  for (const page of level) depths[page] = 0;
  for (let depth = 1; level.length > 0; depth++) {
    const below: number[] = [];
    for (const page of level) {
      for (const link of linksOf.get(page) ?? []) {
        if (depths[link] !== -1) continue;
        depths[link] = depth;
        below.push(link);
      }
    }
    level = below;
  }
  return depths;
}

/** Pearson's correlation of two rows of numbers; undefined where one of them has no spread. */
export function correlate(one: readonly number[], other: readonly number[]): number | undefined {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [oneMean, otherMean] = [mean(one), mean(other)];
  let [both, oneSquares, otherSquares] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const [a, b] = [value - oneMean, (other[at] as number) - otherMean];
    both += a * b;
    oneSquares += a * a;
    otherSquares += b * b;
  }
  const spread = Math.sqrt(oneSquares * otherSquares);
  return spread > 0 ? both / spread : undefined;
}
