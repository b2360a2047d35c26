import { drawFacts } from "./page-facts.ts";
import { planSiteSizes } from "./site-sizes.ts";
import type { Web } from "./web.ts";
import { drawLinks } from "./web-links.ts";
import { checkWebShape, defaultWebShape, type WebShape } from "./web-shape.ts";

/**
 * Generates a web: the same for the same shape and the same numbers. The pages of a site follow each other, its home
 * page first. 3.5 million pages with 28 million links take seconds and about 0.2 GB.
 *
 * @param shape - what differs from {@link defaultWebShape}
 * @param random - numbers from 0 up to, not including, 1
 * @throws RangeError if there is no such web
 */
export function generateWeb(shape: Partial<WebShape>, random: () => number): Web {
  const whole: WebShape = { ...defaultWebShape, ...shape };
  checkWebShape(whole);
  const { pages, sites, siteCap } = whole;
  const sizes = planSiteSizes(pages, sites, siteCap);
  // A site's number is to say nothing of its size: orders may break ties by it.
  for (let last = sites - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1));
    const size = sizes[last] as number;
    sizes[last] = sizes[at] as number;
    sizes[at] = size;
  }
  const begins = new Uint32Array(sites + 1);
  const siteOf = new Uint32Array(pages);
  for (let site = 0; site < sites; site++) {
    const begin = begins[site] as number;
    const end = begin + (sizes[site] as number);
    begins[site + 1] = end;
    siteOf.fill(site, begin, end);
  }
  const graph = drawLinks(whole, { begins, siteOf }, random);
  return { pages, sites, graph, siteOf, homes: begins.slice(0, sites), ...drawFacts(whole, { pages, sites }, random) };
}
