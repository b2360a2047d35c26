import { createRandom } from "../../../src/core/random.ts";

/** Pages of a host. */
const hostSize = 40;

/**
 * Gives links of a web: pages of one host have neighbouring numbers, as in reversed-host order; three of four links stay in their host, the
 * others lead to hosts by a power law. Out-degrees have a long tail, one page in twenty has no links.
 *
 * @param links - about how many
 */
export function makeLinks(nodes: number, links: number, take: (from: number, to: number) => void): void {
  const random = createRandom(20);
  const mean = links / nodes;
  for (let from = 0; from < nodes; from++) {
    if (random() < 0.05) continue;
    // A Pareto distribution with exponent 2.5: its mean is 5/3 of its least value.
    const degree = Math.min(nodes, Math.round((mean / 0.95) * 0.6 * (1 - random()) ** -0.4));
    const host = from - (from % hostSize);
    for (let at = 0; at < degree; at++) {
      const to = random() < 0.75 ? host + Math.floor(hostSize * random()) : Math.floor(nodes * random() ** 3);
      if (to < nodes) take(from, to);
    }
  }
}
