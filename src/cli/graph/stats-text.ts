import type { DegreeStats, GraphStats } from "../../analysis/index.ts";
import { bowTieParts } from "../../graph/index.ts";
import { formatCount, formatNoun } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

const formatShare = (part: number, whole: number): string => `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;

function formatDegrees(name: string, { mean, max, fit }: DegreeStats): string {
  const law =
    fit === undefined
      ? "no power law"
      : `power law with exponent ${fit.exponent.toFixed(2)} from ${formatCount(fit.range[0])} to ${formatCount(fit.range[1])} ` +
        `(${formatNoun(fit.nodes, "node")}, distance ${fit.distance.toFixed(3)})`;
  return `${name}  mean ${mean.toFixed(2)}, highest ${formatCount(max)}; ${law}\n`;
}

/** What a graph is like, for people. */
export function formatStats(stats: GraphStats): string {
  const { nodes, links, dangling, inDegree, outDegree, components, bowTie, hosts, mostLinked } = stats;
  const parts = bowTieParts.map((part) => `${part} ${formatShare(bowTie[part], nodes)}`).join(", ");
  const hostTable = hosts && [
    ["host", "nodes", "from others", "to others"],
    ...hosts.first.map((one) => [one.host, ...[one.nodes, one.incoming, one.outgoing].map(formatCount)]),
  ];
  const linked = [
    ["in", "most linked"],
    // Last, because a URL may be long.
    ...mostLinked.map(({ node, name, inDegree: degree }) => [formatCount(degree), name ?? `node ${node}`]),
  ];
  return [
    `${formatNoun(nodes, "node")}, ${formatNoun(links, "link")}; ${formatShare(dangling, nodes)} of nodes have no links\n`,
    formatDegrees("in-degree ", inDegree),
    formatDegrees("out-degree", outDegree),
    `${formatNoun(components.count, "strong component")}, the largest of ${formatNoun(components.largest[0] ?? 0, "node")}\n`,
    `bow tie: ${parts}\n`,
    ...(hosts && hostTable
      ? [
          `${formatNoun(hosts.count, "host")}, ${formatNoun(hosts.pairs, "pair")} of them with links; `,
          `${formatShare(hosts.inside, links)} of links stay in their host\n\n`,
          formatTable(hostTable, "lrrr"),
        ]
      : []),
    "\n",
    formatTable(linked, "rl"),
  ].join("");
}
