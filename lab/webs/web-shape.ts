/** What a generated web is like. */
export interface WebShape {
  readonly pages: number;
  /** At most as many as pages, and enough to hold them. */
  readonly sites: number;
  /** No site has more pages. */
  readonly siteCap: number;
  /** Links of a page beside those to the pages below it: a mean, geometrically distributed. */
  readonly linksPerPage: number;
  /** Share of these links that lead to another site. */
  readonly outwardShare: number;
  /** Share of them that lead to a home page, of its own site or of another; the rest lead to the other pages of the site, if it has any. */
  readonly homeShare: number;
  /** A site gets links from others in proportion to its pages to this power: above 1, a page of a large site has more. */
  readonly popularityExponent: number;
  /** Within a site links lead to the page at the share `u ** depthSkew`, u uniform: above 1, to pages near the home page. */
  readonly depthSkew: number;
  /** Pages directly below a page: of each site, drawn evenly in logarithm between the two. */
  readonly branching: readonly [number, number];
  /** Mean bytes of a page; sizes are log-normal. */
  readonly meanSizeBytes: number;
  /** Standard deviation of the logarithm of a page's bytes. */
  readonly sizeSpread: number;
  /** Mean seconds until a site gives its first byte, log-normal over sites. */
  readonly latencySeconds: number;
  /** Mean bytes a second that a site gives, log-normal over sites. */
  readonly siteBytesPerSecond: number;
  /** Standard deviation of the logarithms of both. */
  readonly serverSpread: number;
  /** Share of pages and days between changes, a bar each; shares sum to 1. */
  readonly changeBars: readonly (readonly [share: number, days: number])[];
}

/**
 * A web in the proportions of Castillo et al., who say that home pages have few or no links to them; that large sites have more than in proportion is
 * what makes the largest sites first a good order. Rates of change are those of 720,000 pages in 2000.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, "Scheduling Algorithms for Web Crawling", LA-WEB 2004, sections 4 and 7
 * @see J. Cho, H. Garcia-Molina, "The Evolution of the Web and Implications for an Incremental Crawler", VLDB 2000
 */
export const defaultWebShape: WebShape = {
  pages: 3_500_000,
  sites: 50_000,
  siteCap: 25_000,
  linksPerPage: 2,
  outwardShare: 0.2,
  homeShare: 0,
  popularityExponent: 1.6,
  depthSkew: 1.5,
  branching: [3, 30],
  meanSizeBytes: 24_000,
  sizeSpread: 1.2,
  latencySeconds: 1.5,
  siteBytesPerSecond: 50_000,
  serverSpread: 0.6,
  changeBars: [
    [0.23, 1],
    [0.15, 7],
    [0.16, 30],
    [0.16, 120],
    [0.3, 365],
  ],
};

const atLeast0 = [
  "linksPerPage",
  "popularityExponent",
  "depthSkew",
  "sizeSpread",
  "latencySeconds",
  "serverSpread",
] as const;

/** @throws RangeError if there is no such web */
export function checkWebShape(shape: WebShape): void {
  const { pages, sites, siteCap } = shape;
  for (const name of ["pages", "sites", "siteCap"] as const)
    if (!(Number.isSafeInteger(shape[name]) && shape[name] >= 1)) throw new RangeError(`${name}: ${shape[name]}`);
  if (sites > pages || sites * siteCap < pages)
    throw new RangeError(`${pages} pages do not go into ${sites} sites of 1 to ${siteCap}`);
  for (const name of atLeast0)
    if (!(shape[name] >= 0 && shape[name] < 1e9)) throw new RangeError(`${name}: ${shape[name]}`);
  for (const name of ["outwardShare", "homeShare"] as const)
    if (!(shape[name] >= 0 && shape[name] <= 1)) throw new RangeError(`${name}: ${shape[name]}`);
  for (const name of ["meanSizeBytes", "siteBytesPerSecond"] as const)
    if (!(shape[name] > 0 && shape[name] < 1e12)) throw new RangeError(`${name}: ${shape[name]}`);
  const [fewest, most] = shape.branching;
  if (!(fewest >= 1 && most >= fewest && most < 1e6)) throw new RangeError(`branching: ${fewest} to ${most}`);
  const sum = shape.changeBars.reduce((total, [share]) => total + share, 0);
  if (!(Math.abs(sum - 1) < 1e-9 && shape.changeBars.every(([share, days]) => share >= 0 && days > 0)))
    throw new RangeError(`changeBars: shares sum to ${sum}`);
}
