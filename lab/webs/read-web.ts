import { type Graph, inDegrees } from "../../src/graph/graph.ts";
import { drawFacts } from "./page-facts.ts";
import type { Web } from "./web.ts";
import { defaultWebShape, type WebShape } from "./web-shape.ts";

/** Pages and their links. */
export interface LinkedPages {
  readonly graph: Graph;
  /** The site of each page, from 0 without gaps. */
  readonly siteOf: Uint32Array;
  /** The home page of a site, by site, where it is known. */
  readonly homes?: ReadonlyMap<number, number>;
}

/**
 * Makes a web of a graph that was read. A site's home page is the one that is known, else that which most links
 * lead to, the first of equals; bytes, rates of change and servers, which no graph tells, are drawn as for a generated web.
 *
 * @param shape - what differs from {@link defaultWebShape}, of what is drawn
 * @param random - numbers from 0 up to, not including, 1
 * @throws RangeError if there is no node or one has no site
 */
export function webOfGraph(
  { graph, siteOf, homes: known }: LinkedPages,
  shape: Partial<WebShape>,
  random: () => number,
): Web {
  const pages = graph.nodes;
  if (pages === 0 || siteOf.length !== pages) throw new RangeError(`${siteOf.length} sites for ${pages} pages`);
  let sites = 0;
  for (const site of siteOf) sites = Math.max(sites, site + 1);
  if (sites > pages) throw new RangeError(`${sites} sites for ${pages} pages`);
  const links = inDegrees(graph);
  const homes = new Uint32Array(sites).fill(pages);
  for (let page = 0; page < pages; page++) {
    const site = siteOf[page] as number;
    const home = homes[site] as number;
    if (home === pages || (links[page] as number) > (links[home] as number)) homes[site] = page;
  }
  for (const [site, page] of known ?? []) homes[site] = page;
  if (homes.includes(pages)) throw new RangeError("a site has no page");
  const facts = drawFacts({ ...defaultWebShape, ...shape }, { pages, sites }, random);
  return { pages, sites, graph, siteOf, homes, ...facts };
}
