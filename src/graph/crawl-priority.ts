/**
 * How much a node's links changed between two visits: one less the share of links that both visits found, of those that either found. 1
 * where neither found any.
 *
 * @param previous - where they led, ascending; so with those of the latest visit
 * @see K. Chen, "An Open Solution to Discover the Graph Structure of World Wide Web", section 4.3.3, Equation 4.2
 */
export function changeOfLinks(previous: Uint32Array, latest: Uint32Array): number {
  let [at, old, both] = [0, 0, 0];
  while (at < latest.length && old < previous.length) {
    const difference = (latest[at] as number) - (previous[old] as number);
    if (difference === 0) both++;
    if (difference <= 0) at++;
    if (difference >= 0) old++;
  }
  const either = latest.length + previous.length - both;
  return either === 0 ? 1 : 1 - both / either;
}

/** What is known of nodes when their priorities are computed. */
export interface NodeFacts {
  readonly inDegrees: Uint32Array;
  readonly outDegrees: Uint32Array;
  /** Time of each node's last visit in seconds since 1970; NaN if there was none. */
  readonly visitedAt: Float64Array;
  /** Change of each node between its last two visits, 0 to 1; NaN if there were not two. */
  readonly changes: Float64Array;
}

/** How the list is made. */
export interface WorkOptions {
  /** Length of the list. */
  readonly count: number;
  /** Share of it for nodes that were never visited. @default 0.9 */
  readonly newShare?: number;
}

const usualNewShare = 0.9;

/**
 * The priority of each node. Of a new one it is its in-degree I; of an old one C T (I + O): the change of its links, its age as a share
 * of the time of a whole crawl, in- and out-degree. A node that was visited once has no change yet: it counts as the mean of those that
 * have, or 1 if there are none.
 *
 * @param nowSeconds - now, in seconds since 1970
 * @param crawlSeconds - how long a crawl of everything takes
 * @see K. Chen, section 4.3.3, Equations 4.1, 4.3 and 4.4
 */
export function crawlPriorities(facts: NodeFacts, nowSeconds: number, crawlSeconds: number): Float64Array {
  const { inDegrees, outDegrees, visitedAt, changes } = facts;
  let [sum, known] = [0, 0];
  for (let node = 0; node < visitedAt.length; node++) {
    const change = changes[node] as number;
    if (Number.isNaN(visitedAt[node]) || Number.isNaN(change)) continue;
    sum += change;
    known++;
  }
  const mean = known === 0 ? 1 : sum / known;
  return visitedAt.map((visited, node) => {
    const inDegree = inDegrees[node] as number;
    if (Number.isNaN(visited)) return inDegree;
    const change = changes[node] as number;
    const age = Math.max(0, nowSeconds - visited) / crawlSeconds;
    return (Number.isNaN(change) ? mean : change) * age * (inDegree + (outDegrees[node] as number));
  });
}

/**
 * What to crawl next: new nodes and old ones, each kind by falling priority, then by number. Both are spread evenly over the list; where one
 * kind ends, the other goes on. O(nodes log count); 8 bytes a node of the list, and 12 more while it is sorted.
 *
 * @param isNew - 1 for nodes that were never visited
 * @returns nodes, in their order
 * @see K. Chen, section 5.1: 90 percent of the work is new nodes, 10 percent old ones
 */
export function listWork(priorities: Float64Array, isNew: Uint8Array, options: WorkOptions): Uint32Array {
  const { count, newShare = usualNewShare } = options;
  const fresh = takeFirst(priorities, isNew, 1, count);
  const old = takeFirst(priorities, isNew, 0, count);
  const work = new Uint32Array(Math.min(count, fresh.length + old.length));
  let [nextNew, nextOld] = [0, 0];
  for (let at = 0; at < work.length; at++) {
    const isNewDue = nextNew < newShare * (at + 1) - 1e-9;
    const takesNew = nextNew < fresh.length && (isNewDue || nextOld === old.length);
    work[at] = (takesNew ? fresh[nextNew++] : old[nextOld++]) as number;
  }
  return work;
}

/** The first nodes of a kind by falling priority, then by number; at most so many. */
function takeFirst(priorities: Float64Array, isNew: Uint8Array, kind: 0 | 1, count: number): Uint32Array {
  const compare = (a: number, b: number): number => (priorities[b] as number) - (priorities[a] as number) || a - b;
  let all = 0;
  for (let node = 0; node < isNew.length; node++) if (isNew[node] === kind) all++;
  // A heap with the last of the first on top.
  const first = new Uint32Array(Math.min(count, all));
  const sink = (node: number, from: number): void => {
    let at = from;
    for (let child = 2 * at + 1; child < first.length; child = 2 * at + 1) {
      if (child + 1 < first.length && compare(first[child + 1] as number, first[child] as number) > 0) child++;
      if (compare(node, first[child] as number) >= 0) break;
      first[at] = first[child] as number;
      at = child;
    }
    first[at] = node;
  };
  let filled = 0;
  for (let node = 0; node < isNew.length && first.length > 0; node++) {
    if (isNew[node] !== kind) continue;
    if (filled < first.length) {
      first[filled++] = node;
      if (filled < first.length) continue;
      for (let at = (filled >> 1) - 1; at >= 0; at--) sink(first[at] as number, at);
    } else if (compare(node, first[0] as number) < 0) sink(node, 0);
  }
  return first.sort(compare);
}
