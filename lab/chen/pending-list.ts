/** A web on which each link leads to any node with the same probability. */
export interface UniformLinks {
  /** N: nodes of the web. */
  readonly nodes: number;
  /** S: links of a node. */
  readonly links: number;
  /** Nodes that are known before the first is crawled. @default 1 */
  readonly seeds?: number;
}

/**
 * How many nodes are known and not crawled yet after so many are crawled: Chen's equation 5.3 in closed form. A link leads to a node that is not known with the
 * probability of their share of all nodes, so that this share is multiplied by 1 - S / N with each crawled node.
 *
 * @param crawled - n; a real number is allowed
 * @see K. Chen, An Open Solution to Discover the Graph Structure of World Wide Web, section 5.2
 */
export function pendingNodes({ nodes, links, seeds = 1 }: UniformLinks, crawled: number): number {
  return nodes - (nodes - seeds) * Math.exp(crawled * Math.log1p(-links / nodes)) - crawled;
}

/** The longest list of pending nodes, and how many nodes are crawled then. */
export interface PendingPeak {
  readonly crawled: number;
  readonly pending: number;
}

/** @returns where {@link pendingNodes} is largest, in whole nodes */
export function peakOf(web: UniformLinks): PendingPeak {
  const { nodes, links, seeds = 1 } = web;
  const decay = -Math.log1p(-links / nodes);
  const crawled = Math.max(0, Math.round(Math.log((nodes - seeds) * decay) / decay));
  return { crawled, pending: Math.round(pendingNodes(web, crawled)) };
}
