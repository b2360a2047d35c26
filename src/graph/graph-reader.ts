import { grow, ok, problem, type Result } from "../core/index.ts";
import type { Graph } from "./graph.ts";
import { GraphBuilder, maxLinks, maxNodes } from "./graph-builder.ts";

const [lf, tab, cr, space, hash, zero, nine] = [10, 9, 13, 32, 35, 48, 57];

/** A line of a graph's file that says nothing, and was passed over. */
export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly code: "not-numbers" | "number-too-large" | "no-name" | "not-text" | "line-too-long" | "given-twice";
}

/** How often one reading reports a line for a reason; those beyond are only counted. */
const maxReportedLines = 100;

/** Counts the lines that say nothing and reports the first of each reason. */
class LineProblems {
  readonly #report: ((problem: LineProblem) => void) | undefined;
  readonly #counts = new Map<LineProblem["code"], number>();
  count = 0;

  constructor(report: ((problem: LineProblem) => void) | undefined) {
    this.#report = report;
  }

  add(line: number, code: LineProblem["code"]): void {
    this.count++;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= maxReportedLines) this.#report?.({ line, code });
  }
}

/** Within which bounds lines are read. */
export interface ReadingOptions {
  /** Lines with a node from this number on are passed over. @default 2 ** 26; building a graph takes 16 bytes for each */
  readonly maxNodes?: number;
  /** Called for each line that is passed over, at most a hundred times for each reason. */
  readonly onProblem?: (problem: LineProblem) => void;
}

/** Within which bounds a graph is read. */
export interface ArcReadingOptions extends ReadingOptions {
  /** The least number of nodes, if it is known from elsewhere. @default 0 */
  readonly nodes?: number;
  /** Beyond so many links nothing is read. @default 2 ** 28, for which a builder takes 4 GB */
  readonly maxLinks?: number;
}

export interface ReadGraph {
  readonly graph: Graph;
  /** Lines that gave a link; a link that was given twice stands once in the graph. */
  readonly links: number;
  /** Lines that were passed over because they say nothing. */
  readonly badLines: number;
}

function nodesAtMost(options: ReadingOptions): number {
  return Math.min(options.maxNodes ?? 2 ** 26, maxNodes);
}

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
      if (byte === lf) this.endLine();
      else if (byte >= zero && byte <= nine) this.#digit(byte - zero);
      else if (byte === tab || byte === space || byte === cr) this.#blank();
      else if (byte === hash && this.#place === "before") this.#place = "passed-over";
      else if (this.#place !== "passed-over") this.#place = "bad";
    }
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

  endLine(): void {
    if (this.#place === "second" || this.#place === "after") this.#take(this.#from, this.#to);
    else if (this.#place === "too-large") this.#problems.add(this.#line, "number-too-large");
    else if (this.#place !== "before" && this.#place !== "passed-over") this.#problems.add(this.#line, "not-numbers");
    this.#place = "before";
    this.#line++;
  }
}

/**
 * Reads links from text as {@link readArcs} does, and gives each to `take`, in the order of the text.
 *
 * @returns how many lines were passed over because they say nothing
 * @throws what `take` and `onProblem` throw
 */
export async function parseArcs(
  bytes: AsyncIterable<Uint8Array>,
  take: (from: number, to: number) => void,
  options: ReadingOptions = {},
): Promise<number> {
  const problems = new LineProblems(options.onProblem);
  const parser = new ArcParser(take, problems, nodesAtMost(options));
  for await (const piece of bytes) parser.write(piece);
  parser.endLine();
  return problems.count;
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
  const parser = new ArcParser(take, problems, nodesAtMost(options));
  for await (const piece of bytes) {
    parser.write(piece);
    if (isFull) break;
  }
  parser.endLine();
  if (isFull) return problem("too-many-links", `There are more than ${linksAtMost} links.`);
  return ok({ graph: builder.build(), links: builder.links, badLines: problems.count });
}

/** How nodes are grouped, and within which bounds they are read. */
export interface VertexReadingOptions extends ReadingOptions {
  /** The group of a node by its name: of a host that is written backwards, say, its domain. @default the name itself */
  readonly groupOf?: (name: string) => string;
  /** Beyond so many groups nothing is read: their names are in memory until the end. @default 2 ** 23 */
  readonly maxGroups?: number;
}

/** What is left of the names of nodes: which belong together. */
export interface NodeGroups {
  /** One more than the largest node. */
  readonly nodes: number;
  readonly groups: number;
  /** The group of each node, numbered in the order in which they came. A node that was not named has one of its own. */
  readonly groupOf: Uint32Array;
  /** Nodes below the largest that were not named. */
  readonly unnamed: number;
  readonly badLines: number;
}

/** Of names, in bytes, without its line feed. */
export const longestLine = 8192;
const none = 2 ** 32 - 1;

/** Cuts pieces of text into lines; one that is too long is given as nothing. */
async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | undefined, void, void> {
  const kept = new Uint8Array(longestLine);
  let length = 0;
  let isTooLong = false;
  for await (const piece of bytes) {
    let begin = 0;
    while (begin < piece.length) {
      const end = piece.indexOf(lf, begin);
      const part = piece.subarray(begin, end < 0 ? piece.length : end);
      if (length + part.length > longestLine) isTooLong = true;
      else if (!isTooLong) {
        kept.set(part, length);
        length += part.length;
      }
      if (end < 0) break;
      yield isTooLong ? undefined : kept.subarray(0, length);
      length = 0;
      isTooLong = false;
      begin = end + 1;
    }
  }
  if (isTooLong) yield undefined;
  else if (length > 0) yield kept.subarray(0, length);
}

/** The number that is a part of a line; undefined if it is none. */
function readNumber(line: Uint8Array, begin: number, end: number): number | undefined {
  if (end - begin < 1 || end - begin > 15) return undefined;
  let number = 0;
  for (let at = begin; at < end; at++) {
    const byte = line[at] as number;
    if (byte < zero || byte > nine) return undefined;
    number = 10 * number + byte - zero;
  }
  return number;
}

/** Group of each node, in an array that grows. */
class GroupList {
  #groups: Uint32Array = new Uint32Array(1024).fill(none);
  nodes = 0;

  has(node: number): boolean {
    return node < this.nodes && this.#groups[node] !== none;
  }

  set(node: number, group: number): void {
    const { length } = this.#groups;
    if (node >= length) this.#groups = grow(this.#groups, node + 1).fill(none, length);
    this.#groups[node] = group;
    this.nodes = Math.max(this.nodes, node + 1);
  }

  take(): Uint32Array {
    return this.#groups.slice(0, this.nodes);
  }
}

/** A line that names a node. */
export interface NodeName {
  /** From 1. */
  readonly line: number;
  readonly node: number;
  /** Without control characters. */
  readonly name: string;
  /** What stands behind the name and another TAB: of a domain, how many hosts it has. Undefined if there is nothing. */
  readonly count: number | undefined;
}

const control = /\p{Cc}/u;

async function* readNames(
  bytes: AsyncIterable<Uint8Array>,
  nodesEnd: number,
  problems: LineProblems,
): AsyncGenerator<NodeName, void, void> {
  const decoder = new TextDecoder();
  let line = 0;
  for await (const text of readLines(bytes)) {
    line++;
    if (text === undefined) {
      problems.add(line, "line-too-long");
      continue;
    }
    const end = text[text.length - 1] === cr ? text.length - 1 : text.length;
    if (end === 0) continue;
    const cut = text.indexOf(tab);
    const node = readNumber(text, 0, cut);
    const next = text.indexOf(tab, cut + 1);
    const count = next < 0 ? undefined : readNumber(text, next + 1, end);
    const name = decoder.decode(text.subarray(cut + 1, next < 0 ? end : next));
    if (node === undefined || (next >= 0 && count === undefined)) problems.add(line, "not-numbers");
    else if (node >= nodesEnd) problems.add(line, "number-too-large");
    else if (name === "") problems.add(line, "no-name");
    else if (control.test(name)) problems.add(line, "not-text");
    else yield { line, node, name, count };
  }
}

/**
 * Reads the names of a graph's nodes from text, a node a line: `node TAB name`, and perhaps a number behind another TAB.
 *
 * @param bytes - the text, unpacked
 * @throws what `onProblem` throws
 * @see Common Crawl, "Host- and Domain-Level Web Graphs", text vertices: names of hosts are written backwards
 */
export function readNodeNames(
  bytes: AsyncIterable<Uint8Array>,
  options: ReadingOptions = {},
): AsyncGenerator<NodeName, void, void> {
  return readNames(bytes, nodesAtMost(options), new LineProblems(options.onProblem));
}

/**
 * Reads names as {@link readNodeNames} does, and keeps only which nodes belong together.
 *
 * @param bytes - the text, unpacked
 * @returns a problem `too-many-groups` if there are more than may be
 */
export async function readVertices(
  bytes: AsyncIterable<Uint8Array>,
  options: VertexReadingOptions = {},
): Promise<Result<NodeGroups>> {
  const groupsAtMost = options.maxGroups ?? 2 ** 23;
  const problems = new LineProblems(options.onProblem);
  const names = new Map<string, number>();
  const list = new GroupList();
  for await (const { line, node, name } of readNames(bytes, nodesAtMost(options), problems)) {
    if (list.has(node)) {
      problems.add(line, "given-twice");
      continue;
    }
    const key = options.groupOf?.(name) ?? name;
    const group = names.get(key) ?? names.size;
    if (group === names.size) {
      if (group >= groupsAtMost) return problem("too-many-groups", `There are more than ${groupsAtMost} groups.`);
      names.set(key, group);
    }
    list.set(node, group);
  }
  const groupOf = list.take();
  let groups = names.size;
  for (let node = 0; node < groupOf.length; node++) if (groupOf[node] === none) groupOf[node] = groups++;
  return ok({ nodes: groupOf.length, groups, groupOf, unnamed: groups - names.size, badLines: problems.count });
}
