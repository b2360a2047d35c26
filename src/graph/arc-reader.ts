import { ok, problem, type Result } from "../core/index.ts";
import type { Graph } from "./graph.ts";
import { GraphBuilder, maxLinks, maxNodes } from "./graph-builder.ts";
import { type LineProblem, LineProblems } from "./line-problem.ts";

/** Within which bounds a graph is read. */
export interface ArcReadingOptions {
  /** How many nodes there are at least, when it is known from elsewhere. @default 0 */
  readonly nodes?: number;
  /** Lines that name a node from here on are passed over. @default 2 ** 26; building takes 16 bytes for each */
  readonly maxNodes?: number;
  /** Beyond so many links nothing is read. @default 2 ** 28, for which a builder takes 4 GB */
  readonly maxLinks?: number;
  /** Told of each line that is passed over, at most a hundred times for each reason. */
  readonly onProblem?: (problem: LineProblem) => void;
}

/** A graph that was read. */
export interface ReadGraph {
  readonly graph: Graph;
  /** Lines that gave a link; a link that was given twice stands once in the graph. */
  readonly links: number;
  /** Lines that were passed over because they say nothing. */
  readonly badLines: number;
}

const [lf, tab, cr, space, hash, zero, nine] = [10, 9, 13, 32, 35, 48, 57];

/** What of a line was read: before, in, between and after its two numbers, or nothing more is to be. */
type Place = "before" | "first" | "between" | "second" | "after" | "passed-over" | "bad" | "too-large";

/** Reads arcs from pieces of text that may end anywhere. */
class ArcParser {
  readonly #take: (from: number, to: number) => void;
  readonly #problems: LineProblems;
  readonly #maxNodes: number;
  #place: Place = "before";
  #from = 0;
  #to = 0;
  #line = 1;

  constructor(take: (from: number, to: number) => void, problems: LineProblems, nodes: number) {
    this.#take = take;
    this.#problems = problems;
    this.#maxNodes = nodes;
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === lf) this.#endLine();
      else if (byte >= zero && byte <= nine) this.#digit(byte - zero);
      else if (byte === tab || byte === space || byte === cr) this.#blank();
      else if (byte === hash && this.#place === "before") this.#place = "passed-over";
      else if (this.#place !== "passed-over") this.#place = "bad";
    }
  }

  end(): void {
    this.#endLine();
  }

  #digit(digit: number): void {
    if (this.#place === "before") {
      this.#place = "first";
      this.#from = 0;
    } else if (this.#place === "between") {
      this.#place = "second";
      this.#to = 0;
    } else if (this.#place === "after") this.#place = "bad";
    if (this.#place === "first") {
      this.#from = 10 * this.#from + digit;
      if (this.#from >= this.#maxNodes) this.#place = "too-large";
    } else if (this.#place === "second") {
      this.#to = 10 * this.#to + digit;
      if (this.#to >= this.#maxNodes) this.#place = "too-large";
    }
  }

  #blank(): void {
    if (this.#place === "first") this.#place = "between";
    else if (this.#place === "second") this.#place = "after";
  }

  #endLine(): void {
    if (this.#place === "second" || this.#place === "after") this.#take(this.#from, this.#to);
    else if (this.#place === "too-large") this.#problems.add(this.#line, "number-too-large");
    else if (this.#place !== "before" && this.#place !== "passed-over") this.#problems.add(this.#line, "not-numbers");
    this.#place = "before";
    this.#line++;
  }
}

/**
 * Reads a graph from text, a link a line: two whole numbers, from and to, with blanks between them. That is the form of
 * Common Crawl's edges (`from TAB to`) and of WebGraph's lists of arcs (`from to`, `#` begins a comment). What says
 * nothing is passed over and counted; no line is kept, however long.
 *
 * @param bytes - the text, unpacked
 * @returns a problem `too-many-links` if there are more than may be
 * @see Common Crawl, "Host- and Domain-Level Web Graphs", text edges
 * @see WebGraph, class `ArcListASCIIGraph`
 */
export async function readArcs(
  bytes: AsyncIterable<Uint8Array>,
  options: ArcReadingOptions = {},
): Promise<Result<ReadGraph>> {
  const linksAtMost = Math.min(options.maxLinks ?? 2 ** 28, maxLinks);
  const builder = new GraphBuilder(options.nodes);
  const problems = new LineProblems(options.onProblem);
  let isFull = false;
  const take = (from: number, to: number): void => {
    if (builder.links >= linksAtMost) isFull = true;
    else builder.addLink(from, to);
  };
  const parser = new ArcParser(take, problems, Math.min(options.maxNodes ?? 2 ** 26, maxNodes));
  for await (const piece of bytes) {
    parser.write(piece);
    if (isFull) break;
  }
  parser.end();
  if (isFull) return problem("too-many-links", `There are more than ${linksAtMost} links.`);
  return ok({ graph: builder.build(), links: builder.links, badLines: problems.count });
}
