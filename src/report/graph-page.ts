import type { DegreeStats, GraphStats } from "../analysis/index.ts";
import type { Figure } from "../core/index.ts";
import { bowTieParts, hurwitzZeta } from "../graph/index.ts";
import { formatNumber } from "./figure-text.ts";
import { formatCount, formatFigure, formatPage, formatShare, formatTable } from "./page-parts.ts";

const binsPerDecade = 10;

/** Nodes by degree, in bins whose bounds grow by a tenth of a decade: how many a degree there are in the bin, at its geometric middle. */
function binDegrees({ distribution }: DegreeStats): { readonly x: number; readonly y: number }[] {
  const bins = new Map<number, { nodes: number; first: number; last: number }>();
  for (const { degree, nodes } of distribution) {
    if (degree === 0) continue;
    const key = Math.floor(Math.log10(degree) * binsPerDecade + 1e-9);
    const bin = bins.get(key);
    if (bin === undefined) bins.set(key, { nodes, first: degree, last: degree });
    else bins.set(key, { nodes: bin.nodes + nodes, first: bin.first, last: degree });
  }
  return [...bins].map(([key, { nodes, first, last }]) => {
    // The degrees that the bin has room for, whether or not there are such nodes.
    const from = Math.ceil(10 ** (key / binsPerDecade) - 1e-9);
    const to = Math.ceil(10 ** ((key + 1) / binsPerDecade) - 1e-9);
    return { x: Math.sqrt(first * last), y: nodes / Math.max(1, to - from) };
  });
}

function degreeFigure(name: string, title: string, stats: DegreeStats): Figure {
  const { fit, distribution } = stats;
  const zero = distribution[0]?.degree === 0 ? distribution[0].nodes : 0;
  const law = (degree: number): number =>
    fit === undefined ? 0 : (fit.nodes * degree ** -fit.exponent) / hurwitzZeta(fit.exponent, fit.range[0]);
  const said =
    fit === undefined
      ? "No power law fits."
      : `The line is the power law with exponent ${fit.exponent.toFixed(2)}, fitted to the ${formatCount(fit.nodes)} nodes with degrees ` +
        `from ${formatCount(fit.range[0])} to ${formatCount(fit.range[1])}; its largest distance from their cumulative distribution is ` +
        `${fit.distance.toFixed(3)}.`;
  return {
    name,
    title,
    caption: `Nodes for each degree, in ten bins a decade; both axes are logarithmic. ${formatCount(zero)} nodes have degree 0 and are not shown. ${said}`,
    x: { label: "degree", kind: "log" },
    y: { label: "nodes for each degree", kind: "log" },
    hasPublished: false,
    marks: [
      { of: "ours", kind: "dots", name: "nodes", points: binDegrees(stats) },
      ...(fit === undefined
        ? []
        : [
            {
              of: "ours" as const,
              kind: "line" as const,
              name: `power law, exponent ${fit.exponent.toFixed(2)}`,
              points: fit.range.map((degree) => ({ x: degree, y: law(degree) })),
            },
          ]),
    ],
  };
}

function bowTieFigure({ bowTie, nodes }: GraphStats): Figure {
  const points = bowTieParts.map((part) => ({ x: part, y: nodes === 0 ? 0 : bowTie[part] / nodes }));
  return {
    name: "bow-tie",
    title: "Bow tie",
    caption:
      "The core is the largest strongly connected component. “In” leads to it, “out” is led to from it, tubes lead from “in” to “out” beside it, " +
      "tendrils hang on these otherwise, and the rest is apart.",
    x: { label: "part", kind: "names" },
    y: { label: "share of nodes", kind: "linear", format: "percent", domain: [0, 1] },
    hasPublished: false,
    marks: [{ of: "ours", kind: "bars", name: "nodes", points }],
  };
}

/** Everything about a graph in one page that needs nothing from elsewhere. @param title - what the graph is called */
export async function formatGraphPage(stats: GraphStats, title: string, version: string): Promise<string> {
  const drawn =
    stats.links === 0
      ? []
      : [
          degreeFigure("in-degree", "In-degree", stats.inDegree),
          degreeFigure("out-degree", "Out-degree", stats.outDegree),
        ];
  const figures = await Promise.all(drawn.map(formatFigure));
  return formatPage(title, version, [
    formatTable("The graph", ["", "#"], factsOf(stats)),
    ...figures,
    `<h2>Bow tie</h2>\n`,
    await formatFigure(bowTieFigure(stats)),
    formatTable(
      "Parts of the bow tie",
      ["Part", "#Nodes", "#Share"],
      bowTieParts.map((part) => [part, formatCount(stats.bowTie[part]), formatShare(stats.bowTie[part], stats.nodes)]),
    ),
    ...formatHosts(stats),
    `<h2>Nodes with the most links to them</h2>\n`,
    formatTable(
      "Nodes with the most links to them",
      ["/Node", "#In-degree"],
      stats.mostLinked.map(({ node, name, inDegree }) => [name ?? `node ${node}`, formatCount(inDegree)]),
    ),
  ]);
}

function factsOf({ nodes, links, dangling, inDegree, outDegree, components }: GraphStats): string[][] {
  return [
    ["Nodes", formatCount(nodes)],
    ["Links", formatCount(links)],
    ["Mean degree", formatNumber(inDegree.mean)],
    ["Highest in-degree", formatCount(inDegree.max)],
    ["Highest out-degree", formatCount(outDegree.max)],
    ["Nodes without links (dangling)", `${formatCount(dangling)}, ${formatShare(dangling, nodes)}`],
    ["Strongly connected components", formatCount(components.count)],
    ["The largest of them", formatCount(components.largest[0] ?? 0)],
  ];
}

function formatHosts({ hosts, links }: GraphStats): string[] {
  if (hosts === undefined) return [];
  const { count, pairs, inside, first } = hosts;
  return [
    `<h2>Hosts</h2>\n<p>${formatCount(count)} hosts; ${formatCount(pairs)} pairs of hosts between which there are links. `,
    `${formatShare(inside, links)} of all links stay in their host. The table has the hosts with the most links from others.</p>\n`,
    formatTable(
      "Hosts",
      ["/Host", "#Nodes", "#From others", "#To others"],
      first.map(({ host, nodes, incoming, outgoing }) => [host, ...[nodes, incoming, outgoing].map(formatCount)]),
    ),
  ];
}
