import { ok, problem, type Result } from "../core/index.ts";
import { maxNodes } from "./graph-builder.ts";
import { type LineProblem, LineProblems } from "./line-problem.ts";

/** How nodes are grouped, and within which bounds they are read. */
export interface VertexReadingOptions {
  /** The group of a node by its name: of a host that is written backwards, say, its domain. @default the name itself */
  readonly groupOf?: (name: string) => string;
  /** Lines that name a node from here on are passed over. @default 2 ** 26 */
  readonly maxNodes?: number;
  /** Beyond so many groups nothing is read: their names are in memory until the end. @default 2 ** 23 */
  readonly maxGroups?: number;
  /** Told of each line that is passed over, at most a hundred times for each reason. */
  readonly onProblem?: (problem: LineProblem) => void;
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

const [lf, tab, cr, zero, nine] = [10, 9, 13, 48, 57];
const longestLine = 8192;
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

/** The number before the first TAB; undefined if there is none. */
function readNumber(line: Uint8Array, end: number): number | undefined {
  if (end < 1 || end > 15) return undefined;
  let number = 0;
  for (let at = 0; at < end; at++) {
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
    if (node >= this.#groups.length) {
      const more = new Uint32Array(Math.max(node + 1, this.#groups.length * 2)).fill(none);
      more.set(this.#groups);
      this.#groups = more;
    }
    this.#groups[node] = group;
    this.nodes = Math.max(this.nodes, node + 1);
  }

  take(): Uint32Array {
    return this.#groups.slice(0, this.nodes);
  }
}

/**
 * Reads the names of a graph's nodes from text, `node TAB name` a line and perhaps more behind another TAB, as Common
 * Crawl writes its vertices, and keeps only which nodes belong together.
 *
 * @param bytes - the text, unpacked
 * @returns a problem `too-many-groups` if there are more than may be
 * @see Common Crawl, "Host- and Domain-Level Web Graphs", text vertices: names of hosts are written backwards
 */
export async function readVertices(
  bytes: AsyncIterable<Uint8Array>,
  options: VertexReadingOptions = {},
): Promise<Result<NodeGroups>> {
  const nodesAtMost = Math.min(options.maxNodes ?? 2 ** 26, maxNodes);
  const groupsAtMost = options.maxGroups ?? 2 ** 23;
  const problems = new LineProblems(options.onProblem);
  const names = new Map<string, number>();
  const list = new GroupList();
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
    const node = readNumber(text, cut);
    if (node === undefined) problems.add(line, "not-numbers");
    else if (node >= nodesAtMost) problems.add(line, "number-too-large");
    else if (list.has(node)) problems.add(line, "given-twice");
    else {
      const next = text.indexOf(tab, cut + 1);
      const name = decoder.decode(text.subarray(cut + 1, next < 0 ? end : next));
      if (name === "") {
        problems.add(line, "no-name");
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
  }
  const groupOf = list.take();
  let groups = names.size;
  for (let node = 0; node < groupOf.length; node++) if (groupOf[node] === none) groupOf[node] = groups++;
  return ok({ nodes: groupOf.length, groups, groupOf, unnamed: groups - names.size, badLines: problems.count });
}
