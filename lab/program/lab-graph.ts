import { stat } from "node:fs/promises";
import { readTextFile } from "../../src/analysis/text-file.ts";
import { TidemarkError, wrapSystemError } from "../../src/core/error.ts";
import { parseUrl } from "../../src/core/parse-url.ts";
import type { Problem } from "../../src/core/result.ts";
import { type LineProblem, type NodeGroups, readArcs, readVertices } from "../../src/graph/graph-reader.ts";
import type { LinkedPages } from "../webs/read-web.ts";
import { readCrawlGraph } from "./crawl-graph.ts";

/** Building a graph takes 16 bytes a node. */
const maxNodes = 2 ** 26;

/** The site of a page by the node's name: a URL's host, and of a host that is written backwards the domain, `com.example`. */
export function siteOfName(name: string): string {
  return name.includes("://") ? (parseUrl(name)?.host ?? name) : name.split(".").slice(0, 2).join(".");
}

/** The first line that was passed over, and the first of those whose number is too large. */
class FirstFaults {
  #first: LineProblem | undefined;
  #large: LineProblem | undefined;

  readonly add = (problem: LineProblem): void => {
    this.#first ??= problem;
    if (problem.code === "number-too-large") this.#large ??= problem;
  };

  /** @throws TidemarkError `bad-option` where most lines were passed over, or a node that is there: the graph is another then */
  check(file: string, what: "links" | "names", badLines: number, goodLines: number): void {
    const fault = this.#large ?? this.#first;
    if (fault === undefined || (this.#large === undefined && badLines <= goodLines)) return;
    const { line } = fault;
    const most = `${badLines} of ${badLines + goodLines} lines are no ${what}, the first of them line ${line}.`;
    const large = `line ${line} has a node from ${maxNodes} on, which are not read.`;
    throw new TidemarkError("bad-option", `${file}: ${this.#large === undefined ? most : large}`, {
      hint: "See `npm run lab -- list orders` for what is read.",
      details: { file, line, badLines },
    });
  }
}

function refuse(file: string, { message }: Problem): TidemarkError {
  return new TidemarkError("bad-option", `${file}: ${message}`);
}

async function readNames(file: string): Promise<NodeGroups> {
  const faults = new FirstFaults();
  const read = await readVertices(readTextFile(file), { groupOf: siteOfName, maxNodes, onProblem: faults.add });
  if (!read.ok) throw refuse(file, read.error);
  const { nodes, unnamed, badLines } = read.value;
  faults.check(file, "names", badLines, nodes - unnamed);
  return read.value;
}

/**
 * Reads the graph that an experiment is to crawl.
 *
 * @param place - arcs as Common Crawl or WebGraph write them, gzip'd if the name ends with `.gz`; or the folder of a crawler's mirrors
 * @param names - names of the nodes, as Common Crawl writes them; without, each node is a site
 * @throws TidemarkError `not-found`, `no-permission`; `bad-option` for what is no graph
 */
export async function readLinkedPages(place: string, names: string): Promise<LinkedPages> {
  const facts = await stat(place).catch((error: unknown) => {
    throw wrapSystemError(error, `read the graph ${place}`, { file: place });
  });
  if (facts.isDirectory() && names !== "")
    throw new TidemarkError("bad-option", `--param names=${names} is not for the folder of a crawl, ${place}.`, {
      hint: "Leave names out: the crawl knows the URLs of its pages.",
    });
  if (facts.isDirectory()) {
    const crawl = await readCrawlGraph(place);
    if (crawl.graph.nodes > 0) return crawl;
    throw new TidemarkError("bad-option", `The crawl in ${place} holds no page.`, {
      hint: "Crawl a site into it first, or name another folder.",
    });
  }
  const groups = names === "" ? undefined : await readNames(names);
  const faults = new FirstFaults();
  const nodes = groups?.nodes ?? 0;
  const read = await readArcs(readTextFile(place), { nodes, maxNodes, onProblem: faults.add });
  if (!read.ok) throw refuse(place, read.error);
  const { graph, links, badLines } = read.value;
  faults.check(place, "links", badLines, links);
  if (links === 0) throw new TidemarkError("bad-option", `${place} has no line of two numbers.`);
  const siteOf = new Uint32Array(graph.nodes);
  // Nodes beyond those that were named are sites of their own.
  let next = groups?.groups ?? 0;
  for (let node = 0; node < graph.nodes; node++) siteOf[node] = groups?.groupOf[node] ?? next++;
  return { graph, siteOf };
}
