import { TidemarkError } from "../../src/core/error.ts";
import type { LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import type { LabPorts } from "../experiment/ports.ts";
import { generateWeb } from "../webs/generated-web.ts";
import { webOfGraph } from "../webs/read-web.ts";
import type { Web } from "../webs/web.ts";
import type { WebShape } from "../webs/web-shape.ts";

/** How the paper of crawl orders is cited. */
export const castilloPaper =
  "Castillo, Marin, Rodriguez, Baeza-Yates, Scheduling Algorithms for Web Crawling, LA-WEB 2004";

/** Parameters of the webs that are crawled. */
export const webParameters = {
  pages: { kind: "whole", default: 350_000, quick: 40_000, min: 1000, max: 10_000_000, meaning: "pages of the web" },
  sites: { kind: "whole", default: 5000, quick: 600, min: 10, max: 1_000_000, meaning: "sites of the web" },
  cap: { kind: "whole", default: 25_000, quick: 2500, min: 10, max: 1_000_000, meaning: "pages of a site at most" },
  links: { kind: "number", default: 2, min: 0, max: 100, meaning: "links of a page beside those to pages below it" },
  outward: { kind: "number", default: 0.2, min: 0, max: 1, meaning: "share of these links that lead to other sites" },
  home: { kind: "number", default: 0, min: 0, max: 1, meaning: "share of these links that lead to home pages" },
  popularity: {
    kind: "number",
    default: 1.6,
    min: 0,
    max: 4,
    meaning: "exponent with which links to a site grow with its pages",
  },
} as const;

/** Parameters of how they are crawled. */
export const politenessParameters = {
  rest: {
    kind: "number",
    default: 15,
    min: 0,
    max: 100_000,
    meaning: "w: seconds of rest of a site between connections",
  },
  batches: {
    kind: "whole",
    default: 35,
    min: 1,
    max: 100_000,
    meaning: "times that ranks are computed: K is pages by this, the paper's 100,000 of 3.5 million",
  },
} as const;

/** What {@link drawWeb} needs. */
export interface WebValues {
  readonly pages: number;
  readonly sites: number;
  readonly cap: number;
  readonly links: number;
  readonly outward: number;
  readonly home: number;
  readonly popularity: number;
}

/**
 * Checks that pages go into sites.
 *
 * @throws TidemarkError `bad-option` if they do not
 */
export function checkSites({ pages, sites, cap }: Pick<WebValues, "pages" | "sites" | "cap">): void {
  if (sites <= pages && pages <= sites * cap) return;
  throw new TidemarkError("bad-option", `${pages} pages do not go into ${sites} sites of 1 to ${cap} pages.`, {
    hint: "Choose --param pages, sites and cap so that there are not fewer pages than sites, and not more than sites times cap.",
  });
}

/**
 * The web of an experiment's parameters: the same for all points of one seed.
 *
 * @throws TidemarkError `bad-option` if its pages do not go into its sites
 */
export function drawWeb(values: WebValues, seed: number, more: Partial<WebShape> = {}): Web {
  checkSites(values);
  const shape = {
    pages: values.pages,
    sites: values.sites,
    siteCap: values.cap,
    linksPerPage: values.links,
    outwardShare: values.outward,
    homeShare: values.home,
    popularityExponent: values.popularity,
    ...more,
  };
  return generateWeb(shape, createRandom(seed, "web"));
}

/** Parameters of webs that are read instead of generated; all others of the web are passed over then, but those of servers. */
export const graphParameters = {
  graph: {
    kind: "text",
    isOwnData: true,
    default: "",
    meaning:
      "a file of links to crawl instead (Common Crawl's edges, WebGraph's arcs), or the folder of a crawl of one's own",
  },
  names: {
    kind: "text",
    default: "",
    meaning: "names of its nodes (Common Crawl's vertices): their domains are the sites",
  },
} as const;

/** Less than this share of a web's pages that can be reached is told. */
const littleReach = 0.9;

/** Says so where a crawl that begins at the home pages reaches few pages, by its rows of hundredths. */
export function noteReach(rows: readonly LabRow[]): readonly string[] {
  const reach = rows.reduce((most, { pages }) => Math.max(most, Number(pages)), 0);
  if (reach >= littleReach) return [];
  const share = reach === 0 ? "Less than 1 %" : `Only ${Math.round(100 * reach)} %`;
  return [`${share} of the pages can be reached by links from the home pages; the others are not crawled.`];
}

/**
 * The web that was read, if one was named; else {@link drawWeb}.
 *
 * @throws TidemarkError `bad-option` for names without a graph, and what reading and drawing throw
 */
export async function findWeb(
  values: WebValues & { readonly graph: string; readonly names: string },
  seed: number,
  ports: LabPorts,
  more: Partial<WebShape> = {},
): Promise<Web> {
  if (values.graph === "" && values.names !== "")
    throw new TidemarkError("bad-option", `--param names=${values.names} is without a graph.`, {
      hint: "Add --param graph=FILE, the links between the nodes that are named.",
    });
  if (values.graph === "") return drawWeb(values, seed, more);
  const linked = await ports.readLinkedPages(values.graph, values.names);
  return webOfGraph(linked, more, createRandom(seed, "web"));
}
