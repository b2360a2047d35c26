/** The size at a share of a power law from 1 on, of which a crawler takes no more than the cap. */
function sizeAt(share: number, exponent: number, cap: number): number {
  return Math.min(cap, Math.floor((1 - share) ** (-1 / (exponent - 1))));
}

function sumAt(sites: number, exponent: number, cap: number): number {
  let sum = 0;
  for (let site = 0; site < sites; site++) sum += sizeAt((site + 0.5) / sites, exponent, cap);
  return sum;
}

/**
 * The exponent of the power law of which so many sites have so many pages: the share of sites with s pages falls as
 * `s ** -exponent`, and what a site has beyond the cap is not there. Above 1: the more pages a site, the nearer to 1.
 */
export function findSiteExponent(pages: number, sites: number, cap: number): number {
  let [low, high] = [1, 100];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (sumAt(sites, middle, cap) > pages) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Sizes of sites after a power law, cut at a cap, the smallest first, whose sum is the number of pages: the exponent is
 * the one that gives it. O(sites) fifty times
 *
 * @param pages - from `sites` to `sites * cap`
 */
export function planSiteSizes(pages: number, sites: number, cap: number): Uint32Array {
  const exponent = findSiteExponent(pages, sites, cap);
  const sizes = new Uint32Array(sites);
  let sum = 0;
  for (let site = 0; site < sites; site++) {
    const size = sizeAt((site + 0.5) / sites, exponent, cap);
    sizes[site] = size;
    sum += size;
  }
  // What whole sizes leave over goes to the largest that can take it: there it is least of what is there.
  for (let site = sites - 1; sum !== pages; site = site === 0 ? sites - 1 : site - 1) {
    const size = sizes[site] as number;
    const room = pages > sum ? Math.min(cap - size, Math.ceil(size / 100), pages - sum) : 0;
    const rest = pages < sum ? Math.min(size - 1, Math.ceil(size / 100), sum - pages) : 0;
    sizes[site] = size + room - rest;
    sum += room - rest;
  }
  return sizes;
}
