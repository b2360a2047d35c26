import { type Graph, offsetsFrom } from "../../src/graph/graph.ts";
import type { WebShape } from "./web-shape.ts";
import { WeightedChoice } from "./weighted-choice.ts";

/** Pages of sites: those of a site follow each other, its home page first. */
export interface SitePages {
  /** First page of each site, and behind the last the number of pages. */
  readonly begins: Uint32Array;
  readonly siteOf: Uint32Array;
}

/** Pages below page `place` of a site where each has `branching`: below it are `branching * place + 1` and those behind. */
function countBelow(place: number, branching: number, size: number): number {
  return Math.max(0, Math.min(size - 1 - branching * place, branching));
}

/** How many pages are below a page, of each site. */
function drawBranching(sites: number, [fewest, most]: WebShape["branching"], random: () => number): Uint32Array {
  return new Uint32Array(sites).map(() => Math.max(1, Math.round(fewest * (most / fewest) ** random())));
}

/**
 * Draws the links of a web. In a site pages form a tree under the home page, so that all are reached from there; what
 * they link to besides is drawn as the shape says. A link may stand twice. O(links)
 *
 * @param random - numbers from 0 up to, not including, 1
 */
export function drawLinks(shape: WebShape, { begins, siteOf }: SitePages, random: () => number): Graph {
  const { linksPerPage, outwardShare, homeShare, popularityExponent, depthSkew } = shape;
  const sites = begins.length - 1;
  const sizeOf = (site: number): number => (begins[site + 1] as number) - (begins[site] as number);
  const branching = drawBranching(sites, shape.branching, random);
  const popularity = new WeightedChoice(new Float64Array(sites).map((_, site) => sizeOf(site) ** popularityExponent));
  const geometric = Math.log(linksPerPage / (1 + linksPerPage));
  const degrees = new Uint32Array(siteOf.length);
  for (let page = 0; page < siteOf.length; page++) {
    const site = siteOf[page] as number;
    const below = countBelow(page - (begins[site] as number), branching[site] as number, sizeOf(site));
    degrees[page] = below + (linksPerPage === 0 ? 0 : Math.floor(Math.log(1 - random()) / geometric));
  }
  const offsets = offsetsFrom(degrees);
  const targets = new Uint32Array(offsets[siteOf.length] as number);
  for (let page = 0; page < siteOf.length; page++) {
    const site = siteOf[page] as number;
    const begin = begins[site] as number;
    const size = sizeOf(site);
    const branches = branching[site] as number;
    const below = countBelow(page - begin, branches, size);
    const first = begin + branches * (page - begin) + 1;
    const from = offsets[page] as number;
    for (let at = 0; at < below; at++) targets[from + at] = first + at;
    const end = offsets[page + 1] as number;
    for (let at = from + below; at < end; at++) {
      const to = random() < outwardShare ? popularity.choose(random) : site;
      const home = begins[to] as number;
      const others = sizeOf(to) - 1;
      const isHome = random() < homeShare || others === 0;
      targets[at] = isHome ? home : home + 1 + Math.floor(others * random() ** depthSkew);
    }
  }
  return { nodes: siteOf.length, offsets, targets };
}
