import { TidemarkError } from "../core/index.ts";
import { RecordSort } from "../fs/index.ts";
import { longestLine, maxLinks, maxNodes, parseArcs, readNodeNames } from "../graph/index.ts";
import { importInto } from "./begun-import.ts";
import { namesFileOf } from "./graph-folder.ts";
import { LinksWriter } from "./links-writer.ts";
import { pause, recordsAtOnce } from "./pause.ts";
import { refuseLine } from "./refuse-line.ts";
import { inBlocks, readTextFile, writeTextPieces } from "./text-file.ts";

/** What a graph is made of. */
export interface ImportOptions {
  /** Folder to make; it must hold no graph. */
  readonly into: string;
  /** A link a line, from and to; gzip'd if its name ends with `.gz`. */
  readonly links: string;
  /** A node and its name a line. Without it nodes have no names. */
  readonly names?: string;
  /** Most nodes: as many offsets of 4 bytes go to disk. @default 2 ** 31 */
  readonly maxNodes?: number;
  readonly signal?: AbortSignal;
}

/** What came of it. */
export interface ImportSummary {
  readonly nodes: number;
  /** Different links. */
  readonly links: number;
  /** Lines of links. */
  readonly lines: number;
  readonly named: number;
}

/**
 * Makes a graph's folder from lists in the text form of Common Crawl's graphs, which is also WebGraph's `ArcListASCIIGraph`. In
 * any order; what stands twice is taken once. Memory is that of two sorts, whatever the graph's size; the rest is on disk.
 *
 * @throws TidemarkError `bad-option` with file and line for what is no such list, and if there is a graph already, or a file that it would replace; `locked` while another
 *   import makes one in the folder; `not-found`, `no-permission`, `disk-full`
 * @see docs/format.md, "Graphs"
 */
export async function importGraph(options: ImportOptions): Promise<ImportSummary> {
  const { into, links, names } = options;
  const inputs = names === undefined ? [links] : [links, names];
  return await importInto(into, inputs, (target) => writeGraph(options, target));
}

async function writeGraph(options: ImportOptions, target: string): Promise<ImportSummary> {
  const { into, links, names, signal } = options;
  const most = Math.min(options.maxNodes ?? maxNodes, maxNodes);
  const named = names === undefined ? undefined : await importNames(names, into, most, signal);
  using sort = new RecordSort(into);
  let lines = 0;
  let nodes = named?.nodes ?? 0;
  const add = (from: number, to: number): void => {
    if (++lines > maxLinks) throw new TidemarkError("bad-option", `${links} has more than ${maxLinks} links.`);
    nodes = Math.max(nodes, from + 1, to + 1);
    sort.text.putUint(from, 4);
    sort.text.putUint(to, 4);
    sort.add(8);
  };
  const end = named?.nodes ?? most;
  await parseArcs(readTextFile(links, signal), add, {
    maxNodes: end,
    onProblem: (one) =>
      refuseLine(
        links,
        one,
        one.code === "number-too-large"
          ? `: ${named ? "of those with a name the last" : "the largest"} is ${end - 1}`
          : "",
      ),
  });
  using written = new LinksWriter(into, nodes);
  let records = 0;
  for (const { bytes, start } of sort.drain()) {
    written.add(bytes.readUInt32BE(start), bytes.readUInt32BE(start + 4));
    if (++records % recordsAtOnce === 0) await pause(signal);
  }
  signal?.throwIfAborted();
  const count = await written.finish(target, signal);
  return { nodes, links: count, lines, named: named?.named ?? 0 };
}

async function importNames(
  file: string,
  into: string,
  most: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly nodes: number; readonly named: number }> {
  using sort = new RecordSort(into);
  let [named, last] = [0, -1];
  const found = readNodeNames(readTextFile(file, signal), {
    maxNodes: most,
    onProblem: (one) => refuseLine(file, one),
  });
  for await (const { line, node, name, count } of found) {
    sort.text.putUint(node, 4);
    sort.text.putUint(line, 6);
    const text = Buffer.from(`${node}\t${name}${count === undefined ? "" : `\t${count}`}\n`);
    // Each byte that is no UTF-8 has become three.
    if (text.length > longestLine + 1) refuseLine(file, { line, code: "line-too-long" });
    sort.text.putBytes(text, 0, text.length);
    sort.add(4);
  }
  function* lines(): Generator<Uint8Array, void, void> {
    for (const { bytes, start, keyEnd, end } of sort.drain()) {
      const node = bytes.readUInt32BE(start);
      if (node === last) refuseLine(file, { line: bytes.readUIntBE(keyEnd, 6), code: "given-twice" });
      last = node;
      named++;
      yield bytes.subarray(keyEnd + 6, end);
    }
  }
  await writeTextPieces(namesFileOf(into), inBlocks(lines()));
  return { nodes: last + 1, named };
}
