/**
 * Strongly connected components of more than one node (Tarjan, Depth-First Search and Linear Graph Algorithms, 1972).
 *
 * @param graph - nodes and where their edges lead; what is no node itself is passed over
 */
export function findCircles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const indexes = new Map<string, number>();
  const lows = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    lows.set(node, index);
    open.push(node);
    let low = index;
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!indexes.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, indexes.get(next) ?? low);
    }
    lows.set(node, low);
    if (low === index) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return circles;
}
