import { omitUndefined, parseUrl, TidemarkError } from "../core/index.ts";
import {
  changeOfLinks,
  computeHarmonic,
  crawlPriorities,
  estimateHarmonic,
  inDegrees,
  isOfSite,
  listWork,
  maxEstimatedNodes,
  outDegrees,
  pageRankDefaults,
  type WorkOptions,
} from "../graph/index.ts";
import { DuckDbEngine } from "./engine/duckdb-engine.ts";
import { SparkEngine } from "./engine/spark-engine.ts";
import { computeByEngine, type NodeColumns } from "./engine-columns.ts";
import { firstPlaces } from "./first-nodes.ts";
import { hasNames, LinksFile } from "./graph-folder.ts";
import { formatRows, readAllNames, readNames } from "./node-rows.ts";
import { checkOutputs } from "./output-file.ts";
import { pause } from "./pause.ts";
import { computeRanksOnThreads, type ThreadedRankOptions } from "./rank-threads.ts";
import { writeTextPieces } from "./text-file.ts";
import { type NodeVisits, readVisits } from "./visits.ts";
import { writeWork } from "./work-list.ts";

const usualCrawlSeconds = 180 * 86_400;
/** An engine does not know the residual; it is below 0.85^50 * 2, or 6e-4, after as many rounds. */
const engineRounds = 50;
const linksOfPartition = 2_000_000;

/** How harmonic centrality is computed. */
export const harmonicWays = ["exact", "estimate"] as const;

/** What computes the relational part: degrees, PageRank and priorities. */
export type EngineChoice =
  | { readonly name: "duckdb"; readonly scratch?: string }
  | {
      readonly name: "spark";
      /** The cluster, as Spark's own option has it. @default local[*] */
      readonly master?: string;
      /** Spark's program. @default spark-sql, which is looked for */
      readonly program?: string;
      /** Folder for the engine's files; of a cluster, one that all machines share. @default that of the system */
      readonly scratch?: string;
    };

/** What is to be found of a graph's nodes. */
export interface RankOptions extends Omit<ThreadedRankOptions, "teleport"> {
  /**
   * An engine computes `maxRounds` rounds, whatever the tolerance, and neither ranks as seen from sites nor harmonic centrality.
   * @default the graph is read into memory
   */
  readonly engine?: EngineChoice;
  /** Folder of the graph. */
  readonly folder: string;
  /**
   * A graph whose links take more stays on disk, from which each round reads them; not for harmonic centrality.
   *
   * @default all are read into memory
   */
  readonly linksBytes?: number;
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
export interface WorkListOptions extends WorkOptions {
  readonly file: string;
  /** File of visits: a node, the second of its last visit and, if there was one, of the visit before. @default no node was visited */
  readonly visits?: string;
  /** Folder of the graph as the visits before found it. @default the links of all nodes changed alike */
  readonly previous?: string;
  /** Now, in seconds since 1970. */
  readonly nowSeconds: number;
  /** How long a crawl of everything takes. @default 180 days */
  readonly crawlSeconds?: number;
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
  /** By how much the last two rounds differ, summed over all nodes; undefined where an engine computed them. */
  readonly residual: number | undefined;
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
 *   an output that is a file of the graph, is given twice, or is neither a file nor a pipe, sites that no node belongs to, or an estimate of harmonic centrality of too many nodes
 */
export async function rankGraph(options: RankOptions): Promise<RankSummary> {
  const { folder, into, top = 10, work, signal } = options;
  const graphs = work?.previous === undefined ? [folder] : [folder, work.previous];
  checkOutputs([into, work?.file], graphs, work?.visits === undefined ? [] : [work.visits]);
  const { nodes, links } = sizesOf(folder);
  if (options.harmonic === "estimate" && nodes > maxEstimatedNodes)
    throw new TidemarkError("bad-option", `The graph in ${folder} has too many nodes for an estimate: ${nodes}.`, {
      hint: `Leave --harmonic out: it is estimated for at most ${maxEstimatedNodes} nodes.`,
      details: { folder, nodes },
    });
  const visits = await readVisits(work?.visits, nodes, signal);
  const begun = performance.now();
  const found =
    options.engine === undefined
      ? await rankHere(options, visits)
      : await rankByEngine(options, options.engine, visits, nodes, links);
  const { ranks, incoming, outgoing, priorities, harmonic, rounds, residual } = found;
  const rankMs = Math.round(performance.now() - begun);
  if (into !== undefined) {
    const columns = { in_degree: incoming, out_degree: outgoing, pagerank: ranks, ...(harmonic && { harmonic }) };
    await writeTextPieces(into, formatRows(folder, nodes, columns, signal));
  }
  const first = firstPlaces(ranks, top);
  const isNew = new Uint8Array(nodes).map((_, node) => Number(Number.isNaN(visits.latest[node])));
  const listed = work && listWork(priorities, isNew, work);
  if (work && listed) await writeWork(work.file, folder, { work: listed, isNew, priorities }, signal);
  const names = await readNames(folder, new Set(first), signal);
  return {
    ...{ nodes, links, rounds, residual, rankMs },
    top: first.map((node) => ({
      node,
      ...omitUndefined({ name: names.get(node), harmonic: harmonic?.[node] }),
      inDegree: incoming[node] as number,
      outDegree: outgoing[node] as number,
      pageRank: ranks[node] as number,
    })),
    ...(listed && {
      work: { nodes: listed.length, newNodes: listed.reduce((sum, node) => sum + (isNew[node] as number), 0) },
    }),
  };
}

function sizesOf(folder: string): { readonly nodes: number; readonly links: number } {
  using file = new LinksFile(folder);
  return { nodes: file.nodes, links: file.links };
}

/** What was found of each node, and how. */
interface FoundRanks extends NodeColumns {
  readonly harmonic?: Float64Array;
  readonly rounds: number;
  readonly residual: number | undefined;
}

async function rankHere(options: RankOptions, { latest, earlier }: NodeVisits): Promise<FoundRanks> {
  const { folder, linksBytes = Number.POSITIVE_INFINITY, sites, harmonic, work, signal } = options;
  using file = new LinksFile(folder);
  const graph = harmonic === undefined && file.sizeBytes > linksBytes ? undefined : await file.readGraph(signal);
  const { incoming, outgoing } =
    graph === undefined
      ? await countDegrees(file, signal)
      : { incoming: inDegrees(graph), outgoing: outDegrees(graph) };
  const teleport = sites === undefined ? undefined : await findSites(folder, file.nodes, sites, signal);
  const ranks = await computeRanksOnThreads(graph ?? folder, { ...options, ...omitUndefined({ teleport }) });
  const found = work?.previous === undefined ? undefined : await findChanges(work.previous, file, signal);
  const changes = earlier.map((time, node) => (Number.isNaN(time) || !found ? Number.NaN : (found[node] as number)));
  const { nowSeconds, crawlSeconds } = agesOf(work);
  const facts = { inDegrees: incoming, outDegrees: outgoing, visitedAt: latest, changes };
  const compute = harmonic === "exact" ? computeHarmonic : estimateHarmonic;
  const central = harmonic && graph && (await compute(graph, () => pause(signal)));
  return {
    ...ranks,
    incoming,
    outgoing,
    priorities: crawlPriorities(facts, nowSeconds, crawlSeconds),
    ...(central && { harmonic: central }),
  };
}

/** Degrees of a graph that stays on disk, whose file is checked. */
async function countDegrees(
  file: LinksFile,
  signal: AbortSignal | undefined,
): Promise<Pick<NodeColumns, "incoming" | "outgoing">> {
  const incoming = new Uint32Array(file.nodes);
  const outgoing = new Uint32Array(file.nodes);
  for await (const { first, rows } of file.checkedBlocks(signal)) {
    for (let row = 0; row < rows.count; row++)
      outgoing[first + row] = (rows.ends[row] as number) - (rows.starts[row] as number);
    for (let at = 0; at < rows.targets.length; at++) {
      const target = rows.targets[at] as number;
      incoming[target] = (incoming[target] as number) + 1;
    }
  }
  return { incoming, outgoing };
}

/** How the links of each node changed since another graph of the same nodes, by their files. */
async function findChanges(
  previous: string,
  latest: LinksFile,
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  using file = new LinksFile(previous);
  for await (const _ of file.checkedBlocks(signal));
  const before = file.rows();
  const changes = new Float64Array(latest.nodes);
  for (const { first, rows } of latest.blocks()) {
    for (let row = 0; row < rows.count; row++) {
      const targets = rows.targets.subarray(rows.starts[row], rows.ends[row]);
      changes[first + row] = changeOfLinks(before.next().value?.targets ?? new Uint32Array(0), targets);
    }
    await pause(signal);
  }
  return changes;
}

function agesOf(work: WorkListOptions | undefined): { readonly nowSeconds: number; readonly crawlSeconds: number } {
  return { nowSeconds: work?.nowSeconds ?? 0, crawlSeconds: work?.crawlSeconds ?? usualCrawlSeconds };
}

async function rankByEngine(
  { folder, damping = pageRankDefaults.damping, maxRounds: rounds = engineRounds, work, signal }: RankOptions,
  choice: EngineChoice,
  visits: NodeVisits,
  nodes: number,
  links: number,
): Promise<FoundRanks> {
  const partitions = Math.min(2000, Math.max(2, Math.ceil(links / linksOfPartition)));
  const engine =
    choice.name === "duckdb"
      ? new DuckDbEngine()
      : new SparkEngine({ master: "local[*]", partitions, ...omitUndefined({ ...choice }) });
  const columns = await computeByEngine(engine, {
    ...{ folder, nodes, damping, rounds, visits, signal, scratch: choice.scratch, previous: work?.previous },
    ...agesOf(work),
  });
  return { ...columns, rounds, residual: undefined };
}

/** Shares to go to: as much for each node of the sites. */
async function findSites(
  folder: string,
  nodes: number,
  sites: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float64Array> {
  if (!hasNames(folder))
    throw new TidemarkError("bad-option", `The nodes of the graph in ${folder} have no names, so there are no sites.`, {
      hint: "Leave --site out, or import the graph with --names.",
    });
  const shares = new Float64Array(nodes);
  let found = 0;
  const hosts = sites.map((site) => parseUrl(`http://${site}/`)?.hostname ?? site);
  for await (const { node, name } of readAllNames(folder, signal)) {
    if (node >= nodes || !hosts.some((host) => isOfSite(name, host))) continue;
    shares[node] = 1;
    found++;
  }
  if (found === 0)
    throw new TidemarkError("bad-option", `No node belongs to ${sites.join(", ")}.`, {
      hint: "Name hosts of the graph, such as --site example.org.",
    });
  return shares.map((share) => share / found);
}
