import { readNodeNames } from "../graph/index.ts";
import { refuseLine } from "./refuse-line.ts";
import { readTextFile } from "./text-file.ts";

/** When nodes were visited, in seconds since 1970; NaN where there was no such visit. */
export interface NodeVisits {
  readonly latest: Float64Array;
  readonly earlier: Float64Array;
}

/**
 * Reads a list of visits: a node, the second of its last visit and, if there was one, of the visit before, TAB between.
 *
 * @param file - undefined: no node was visited
 * @throws TidemarkError `bad-option` with file and line; `not-found`, `no-permission`
 */
export async function readVisits(file: string | undefined, nodes: number, signal?: AbortSignal): Promise<NodeVisits> {
  const latest = new Float64Array(nodes).fill(Number.NaN);
  const earlier = latest.slice();
  if (file === undefined) return { latest, earlier };
  // The lines have the form of names and counts.
  const lines = readNodeNames(readTextFile(file, signal), {
    maxNodes: nodes,
    onProblem: (one) => refuseLine(file, one),
  });
  for await (const { line, node, name, count } of lines) {
    if (!/^\d{1,12}$/.test(name)) refuseLine(file, { line, code: "not-numbers" });
    latest[node] = Number(name);
    earlier[node] = count ?? Number.NaN;
  }
  return { latest, earlier };
}
