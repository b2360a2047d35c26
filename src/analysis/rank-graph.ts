import { omitUndefined, TidemarkError } from "../core/index.ts";
import {
  computeHarmonic,
  estimateHarmonic,
  type Graph,
  inDegrees,
  isOfSite,
  linkChanges,
  listWork,
  type NodeFacts,
  outDegrees,
  readNodeNames,
  type Work,
  type WorkOptions,
} from "../graph/index.ts";
import { firstPlaces } from "./first-nodes.ts";
import { hasNames, namesFileOf, readGraph } from "./graph-folder.ts";
import { formatRows, readNames } from "./node-rows.ts";
import { computeRanksOnThreads, type ThreadedRankOptions } from "./rank-threads.ts";
import { refuseLine } from "./refuse-line.ts";
import { readTextFile, writeTextPieces } from "./text-file.ts";

/** How harmonic centrality is computed. */
export const harmonicWays = ["exact", "estimate"] as const;

/** What is to be found of a graph's nodes. */
export interface RankOptions extends Omit<ThreadedRankOptions, "teleport"> {
  /** Folder of the graph. */
  readonly folder: string;
  /** Ranks as seen from these sites: hosts, such as `example.org`, with those below them. @default from all nodes */
  readonly sites?: readonly string[];
  /** @default no harmonic centrality */
  readonly harmonic?: (typeof harmonicWays)[number];
  /** File for a table of all nodes; gzip'd if its name ends with `.gz`. */
  readonly into?: string;
  /** How many nodes to tell. @default 10 */
  readonly top?: number;
  /** What to crawl next. */
  readonly work?: WorkListOptions;
}

/** Of what, and where to, the list of work is made. */
export interface WorkListOptions extends Omit<WorkOptions, "nowSeconds"> {
  readonly file: string;
  /** File of visits: a node, the second of its last visit and, if there was one, of the visit before. @default no node was visited */
  readonly visits?: string;
  /** Folder of the graph as the visits before found it. @default the links of all nodes changed alike */
  readonly previous?: string;
  readonly nowSeconds: number;
}

/** A node among the first. */
export interface RankedNode {
  readonly node: number;
  readonly name?: string;
  readonly inDegree: number;
  readonly outDegree: number;
  readonly pageRank: number;
  readonly harmonic?: number;
}

/** What came of it. */
export interface RankSummary {
  readonly nodes: number;
  readonly links: number;
  readonly rounds: number;
  /** By how much the last two rounds differ, summed over all nodes. */
  readonly residual: number;
  readonly rankMs: number;
  /** The first nodes by PageRank. */
  readonly top: readonly RankedNode[];
  /** Length of the list of work, and how many of it are new. */
  readonly work?: { readonly nodes: number; readonly newNodes: number };
}

/**
 * Computes PageRank, degrees and harmonic centrality of a graph's nodes and, by them, what to crawl next.
 *
 * @throws TidemarkError `not-found`, `state-corrupt`, `no-permission`, `disk-full`, `aborted`; `bad-option` for a wrong list of visits,
 *   or sites that no node belongs to
 */
export async function rankGraph(options: RankOptions): Promise<RankSummary> {
  const { folder, sites, harmonic, into, top = 10, work, signal } = options;
  const graph = readGraph(folder);
  const teleport = sites === undefined ? undefined : await findSites(folder, graph.nodes, sites);
  const begun = performance.now();
  const { ranks, rounds, residual } = await computeRanksOnThreads(graph, {
    ...options,
    ...omitUndefined({ teleport }),
  });
  const rankMs = Math.round(performance.now() - begun);
  signal?.throwIfAborted();
  const incoming = inDegrees(graph);
  const outgoing = outDegrees(graph);
  const centrality = harmonic && (harmonic === "exact" ? computeHarmonic : estimateHarmonic)(graph);
  if (into !== undefined) {
    const columns = {
      in_degree: incoming,
      out_degree: outgoing,
      pagerank: ranks,
      ...(centrality && { harmonic: centrality }),
    };
    await writeTextPieces(into, formatRows(folder, graph.nodes, columns, signal));
  }
  const first = firstPlaces(ranks, top);
  const listed = work && (await chooseWork(graph, incoming, outgoing, work, signal));
  const names = await readNames(folder, new Set([...first, ...(listed ?? []).map(({ node }) => node)]), signal);
  if (work && listed) await writeTextPieces(work.file, formatWork(listed, names));
  return {
    nodes: graph.nodes,
    links: graph.targets.length,
    rounds,
    residual,
    rankMs,
    top: first.map((node) => ({
      node,
      ...omitUndefined({ name: names.get(node), harmonic: centrality?.[node] }),
      inDegree: incoming[node] as number,
      outDegree: outgoing[node] as number,
      pageRank: ranks[node] as number,
    })),
    ...(listed && { work: { nodes: listed.length, newNodes: listed.filter(({ kind }) => kind === "new").length } }),
  };
}

/** Shares to go to: as much for each node of the sites. */
async function findSites(folder: string, nodes: number, sites: readonly string[]): Promise<Float64Array> {
  if (!hasNames(folder))
    throw new TidemarkError("bad-option", `The nodes of the graph in ${folder} have no names, so there are no sites.`, {
      hint: "Leave --site out, or import the graph with --names.",
    });
  const shares = new Float64Array(nodes);
  let found = 0;
  for await (const { node, name } of readNodeNames(readTextFile(namesFileOf(folder)))) {
    if (node >= nodes || !sites.some((site) => isOfSite(name, site))) continue;
    shares[node] = 1;
    found++;
  }
  if (found === 0)
    throw new TidemarkError("bad-option", `No node belongs to ${sites.join(", ")}.`, {
      hint: "Name hosts of the graph, such as --site example.org.",
    });
  return shares.map((share) => share / found);
}

async function chooseWork(
  graph: Graph,
  incoming: Uint32Array,
  outgoing: Uint32Array,
  options: WorkListOptions,
  signal: AbortSignal | undefined,
): Promise<Work[]> {
  const { visits, previous } = options;
  const visitedAt = new Float64Array(graph.nodes).fill(Number.NaN);
  const isTwice = new Uint8Array(graph.nodes);
  if (visits !== undefined) {
    const lines = readNodeNames(readTextFile(visits, signal), {
      maxNodes: graph.nodes,
      onProblem: (one) => refuseLine(visits, one),
    });
    for await (const { line, node, name, count } of lines) {
      if (!/^\d{1,12}$/.test(name)) refuseLine(visits, { line, code: "not-numbers" });
      visitedAt[node] = Number(name);
      isTwice[node] = Number(count !== undefined);
    }
  }
  const found = previous === undefined ? undefined : linkChanges(readGraph(previous), graph);
  const changes = visitedAt.map((_, node) => (isTwice[node] === 1 && found ? (found[node] as number) : Number.NaN));
  const facts: NodeFacts = { inDegrees: incoming, outDegrees: outgoing, visitedAt, changes };
  return listWork(facts, options);
}

function* formatWork(work: readonly Work[], names: ReadonlyMap<number, string>): Generator<Uint8Array, void, void> {
  const line = ({ node, kind, priority }: Work): string => `${node}\t${names.get(node) ?? ""}\t${kind}\t${priority}\n`;
  yield Buffer.from(`node\tname\tkind\tpriority\n${work.map(line).join("")}`);
}
