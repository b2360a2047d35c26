import { omitUndefined } from "../core/index.ts";
import {
  type BowTie,
  countDegrees,
  countGroupLinks,
  type DegreeCount,
  findBowTie,
  findStrongComponents,
  fitPowerLaw,
  type Graph,
  hostOfName,
  inDegrees,
  outDegrees,
  type PowerLaw,
  readVertices,
} from "../graph/index.ts";
import { firstPlaces } from "./first-nodes.ts";
import { hasNames, namesFileOf, readGraph } from "./graph-folder.ts";
import { readNames } from "./node-rows.ts";
import { pause } from "./pause.ts";
import { readTextFile } from "./text-file.ts";

/** Degrees of nodes, of one direction. */
export interface DegreeStats {
  readonly mean: number;
  readonly max: number;
  /** Nodes by degree, rising. */
  readonly distribution: readonly DegreeCount[];
  /** Undefined if too few nodes have links. */
  readonly fit: PowerLaw | undefined;
}

/** A host among those that others link to most. */
export interface HostStats {
  readonly host: string;
  readonly nodes: number;
  /** Links that come from other hosts, and that lead to them. */
  readonly incoming: number;
  readonly outgoing: number;
}

/** What a graph is like. */
export interface GraphStats {
  readonly nodes: number;
  readonly links: number;
  /** Nodes without links. */
  readonly dangling: number;
  readonly inDegree: DegreeStats;
  readonly outDegree: DegreeStats;
  /** Strongly connected components, and the sizes of the largest, falling. */
  readonly components: { readonly count: number; readonly largest: readonly number[] };
  readonly bowTie: BowTie;
  /** Undefined if nodes have no names, or there are more hosts than memory should hold. */
  readonly hosts:
    | {
        readonly count: number;
        /** Pairs of hosts between which there are links. */
        readonly pairs: number;
        /** Links between nodes of one host. */
        readonly inside: number;
        readonly first: readonly HostStats[];
      }
    | undefined;
  readonly mostLinked: readonly { readonly node: number; readonly name?: string; readonly inDegree: number }[];
}

/**
 * Describes a graph: degrees, components, bow tie, hosts. In memory it takes twice what the graph's file has, and 30 bytes a node.
 *
 * @param top - how many hosts, components and nodes are told of each
 * @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `aborted`
 */
export async function describeGraph(folder: string, top: number, signal?: AbortSignal): Promise<GraphStats> {
  const graph = await readGraph(folder, signal);
  const incoming = inDegrees(graph);
  const inDegree = describeDegrees(incoming, graph);
  await pause(signal);
  const outDegree = describeDegrees(outDegrees(graph), graph);
  await pause(signal);
  const components = findStrongComponents(graph);
  await pause(signal);
  const bowTie = findBowTie(graph, components);
  await pause(signal);
  const mostLinked = firstPlaces(incoming, top);
  const names = await readNames(folder, new Set(mostLinked), signal);
  return {
    nodes: graph.nodes,
    links: graph.targets.length,
    dangling: outDegree.distribution[0]?.degree === 0 ? outDegree.distribution[0].nodes : 0,
    inDegree,
    outDegree,
    components: {
      count: components.sizes.length,
      largest: firstPlaces(components.sizes, top).map((place) => components.sizes[place] as number),
    },
    bowTie,
    hosts: await describeHosts(graph, folder, top, signal),
    mostLinked: mostLinked.map((node) => ({
      node,
      ...omitUndefined({ name: names.get(node) }),
      inDegree: incoming[node] as number,
    })),
  };
}

function describeDegrees(degrees: Uint32Array, { nodes, targets }: Graph): DegreeStats {
  const distribution = countDegrees(degrees);
  return {
    mean: nodes === 0 ? 0 : targets.length / nodes,
    max: distribution.at(-1)?.degree ?? 0,
    distribution,
    fit: fitPowerLaw(distribution.filter(({ degree }) => degree > 0)),
  };
}

async function describeHosts(
  graph: Graph,
  folder: string,
  top: number,
  signal: AbortSignal | undefined,
): Promise<GraphStats["hosts"]> {
  if (!hasNames(folder)) return undefined;
  const names = (): AsyncIterable<Uint8Array> => readTextFile(namesFileOf(folder), signal);
  const read = await readVertices(names(), { groupOf: hostOfName, maxNodes: graph.nodes });
  if (!read.ok) return undefined;
  // Nodes behind the last that has a name are hosts of their own.
  const groupOf = new Uint32Array(graph.nodes).map(
    (_, node) => read.value.groupOf[node] ?? read.value.groups + node - read.value.nodes,
  );
  const groups = read.value.groups + graph.nodes - read.value.nodes;
  const { inside, pairs, sizes, incoming, outgoing } = countGroupLinks(graph, groupOf, groups);
  const first = firstPlaces(incoming, top);
  const members = new Map(first.map((group) => [group, groupOf.indexOf(group)]));
  const found = await readNames(folder, new Set(members.values()), signal);
  return {
    count: groups,
    pairs,
    inside,
    first: first.map((group) => {
      const name = found.get(members.get(group) ?? -1);
      return {
        host: name === undefined ? `node ${members.get(group)}` : hostOfName(name),
        nodes: sizes[group] as number,
        incoming: incoming[group] as number,
        outgoing: outgoing[group] as number,
      };
    }),
  };
}
