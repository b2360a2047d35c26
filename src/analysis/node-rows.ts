import { maxNodes, type NodeName, readNodeNames } from "../graph/index.ts";
import { hasNames, namesFileOf } from "./graph-folder.ts";
import { readTextFile } from "./text-file.ts";

const rowsAtOnce = 4096;

/** All names of a graph's folder, by number of the node. There must be some, see `hasNames`. */
export function readAllNames(folder: string, signal?: AbortSignal): AsyncGenerator<NodeName, void, void> {
  return readNodeNames(readTextFile(namesFileOf(folder), signal), { maxNodes });
}

/** The names of some nodes. Empty if the graph's nodes have none. */
export async function readNames(
  folder: string,
  wanted: ReadonlySet<number>,
  signal?: AbortSignal,
): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  if (wanted.size === 0 || !hasNames(folder)) return names;
  for await (const { node, name } of readAllNames(folder, signal)) {
    if (wanted.has(node)) names.set(node, name);
    if (names.size === wanted.size) break;
  }
  return names;
}

/**
 * A table of all nodes, by number: a line of the columns' names, then a line a node, TAB between. The second column is the name, if the
 * graph's nodes have names.
 */
export async function* formatRows(
  folder: string,
  nodes: number,
  columns: Readonly<Record<string, ArrayLike<number>>>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const isNamed = hasNames(folder);
  const values = Object.values(columns);
  yield Buffer.from(`${["node", ...(isNamed ? ["name"] : []), ...Object.keys(columns)].join("\t")}\n`);
  const names = isNamed ? readAllNames(folder, signal) : undefined;
  let next = await names?.next();
  let lines = "";
  for (let node = 0; node < nodes; node++) {
    let name = "";
    if (next?.done === false && next.value.node === node) {
      name = next.value.name;
      next = await names?.next();
    }
    lines += `${node}${isNamed ? `\t${name}` : ""}`;
    for (const column of values) lines += `\t${column[node]}`;
    lines += "\n";
    if (node % rowsAtOnce < rowsAtOnce - 1) continue;
    signal?.throwIfAborted();
    yield Buffer.from(lines);
    lines = "";
  }
  yield Buffer.from(lines);
}
