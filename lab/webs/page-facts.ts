import type { Web } from "./web.ts";
import type { WebShape } from "./web-shape.ts";

/** A number of a normal distribution (Box and Muller). */
function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Log-normal numbers of a mean. */
function drawLogNormal(count: number, mean: number, spread: number, random: () => number): Float32Array {
  const numbers = new Float32Array(count);
  const shift = -(spread * spread) / 2;
  for (let at = 0; at < count; at++) numbers[at] = mean * Math.exp(shift + spread * drawNormal(random));
  return numbers;
}

/** Draws what is known of pages and sites beside their links. O(pages) */
export function drawFacts(
  shape: Omit<WebShape, "pages" | "sites">,
  { pages, sites }: Pick<Web, "pages" | "sites">,
  random: () => number,
): Pick<Web, "sizeBytes" | "changesPerDay" | "latencySeconds" | "bytesPerSecond"> {
  const sizeBytes = drawLogNormal(pages, shape.meanSizeBytes, shape.sizeSpread, random);
  for (let page = 0; page < pages; page++) sizeBytes[page] = Math.max(1, Math.round(sizeBytes[page] as number));
  const changesPerDay = new Float32Array(pages);
  for (let page = 0; page < pages; page++) {
    let left = random();
    let rate = 0;
    for (const [share, days] of shape.changeBars) {
      rate = 1 / days;
      left -= share;
      if (left < 0) break;
    }
    changesPerDay[page] = rate;
  }
  return {
    sizeBytes,
    changesPerDay,
    latencySeconds: drawLogNormal(sites, shape.latencySeconds, shape.serverSpread, random),
    bytesPerSecond: drawLogNormal(sites, shape.siteBytesPerSecond, shape.serverSpread, random),
  };
}
