import { TidemarkError } from "../core/index.ts";
import { ByteText } from "../fs/index.ts";
import type { NodeName } from "../graph/index.ts";
import { groupAnchors, hasAnchors } from "./anchors.ts";
import { anchorsFileOf, hasNames, LinksFile, namesFileOf } from "./graph-folder.ts";
import { readAllNames } from "./node-rows.ts";
import { checkOutputs } from "./output-file.ts";
import { formatParquet, type ParquetRows } from "./parquet.ts";
import { readTextFile, writeTextPieces } from "./text-file.ts";

/** Where the lists of a graph go. */
export interface ExportOptions {
  /** Folder of the graph. */
  readonly folder: string;
  /** File for the links, replaced as a whole, or a pipe; gzip'd if its name ends with `.gz`, a table in Parquet if with `.parquet`. */
  readonly links?: string;
  /** File for the names of nodes. */
  readonly names?: string;
  /** File for the texts of links. */
  readonly anchors?: string;
  readonly signal?: AbortSignal;
}

const flushBytes = 256 * 1024;

/**
 * Writes a graph as lists: `from TAB to` a line, sorted by both numbers, `node TAB name`, and `to TAB from TAB text`. So Common Crawl publishes graphs, and
 * so WebGraph's `ArcListASCIIGraph` reads them. In Parquet the columns are `source` and `target`, `id` and
 * `name`, and `target`, `source` and `text`. Memory does not grow with the graph.
 *
 * @throws TidemarkError `not-found`, `state-corrupt`, `no-permission`, `disk-full`; `bad-option` if names or texts are asked for and there are none, or
 *   for a file that is the graph's own, is given twice, or is neither a file nor a pipe
 */
export async function exportGraph({ folder, links, names, anchors, signal }: ExportOptions): Promise<{
  readonly nodes: number;
  readonly links: number;
}> {
  checkOutputs([links, names, anchors], [folder]);
  using file = new LinksFile(folder);
  if (names !== undefined && !hasNames(folder))
    throw new TidemarkError("bad-option", `The nodes of the graph in ${folder} have no names.`, {
      hint: "Leave --names out.",
    });
  if (anchors !== undefined && !hasAnchors(folder))
    throw new TidemarkError("bad-option", `The links of the graph in ${folder} have no texts.`, {
      hint: "A graph has them if it is imported from a crawl with --link-texts. Leave --anchors out.",
    });
  if (links !== undefined)
    await writeTextPieces(
      links,
      isParquet(links) ? formatParquet(linkColumns, groupLinks(file, signal)) : formatLinks(file, signal),
    );
  if (names !== undefined) {
    const rows = isParquet(names) && formatParquet(nameColumns, groupNames(readAllNames(folder, signal)));
    await writeTextPieces(names, rows || readTextFile(namesFileOf(folder), signal));
  }
  if (anchors !== undefined) {
    const rows = isParquet(anchors) && formatParquet(anchorColumns, groupAnchors(folder, file.nodes, signal));
    await writeTextPieces(anchors, rows || readTextFile(anchorsFileOf(folder), signal));
  }
  return { nodes: file.nodes, links: file.links };
}

const isParquet = (file: string): boolean => /\.parquet$/i.test(file);
const linkColumns = [
  { name: "source", kind: "number" },
  { name: "target", kind: "number" },
] as const;
const nameColumns = [
  { name: "id", kind: "number" },
  { name: "name", kind: "text" },
] as const;
const anchorColumns = [
  { name: "target", kind: "number" },
  { name: "source", kind: "number" },
  { name: "text", kind: "text" },
] as const;
const namesInGroup = 65_536;

function* groupLinks(file: LinksFile, signal: AbortSignal | undefined): Generator<ParquetRows, void, void> {
  for (const { first, rows } of file.blocks()) {
    signal?.throwIfAborted();
    if (rows.targets.length === 0) continue;
    const sources = new Int32Array(rows.targets.length);
    for (let row = 0; row < rows.count; row++) sources.fill(first + row, rows.starts[row], rows.ends[row]);
    yield [sources, Int32Array.from(rows.targets)];
  }
}

async function* groupNames(all: AsyncIterable<NodeName>): AsyncGenerator<ParquetRows, void, void> {
  const ids = new Int32Array(namesInGroup);
  let names: string[] = [];
  for await (const { node, name } of all) {
    ids[names.length] = node;
    if (names.push(name) < namesInGroup) continue;
    yield [ids, names];
    names = [];
  }
  if (names.length > 0) yield [ids.slice(0, names.length), names];
}

function* formatLinks(file: LinksFile, signal: AbortSignal | undefined): Generator<Uint8Array, void, void> {
  const text = new ByteText(2 * flushBytes);
  for (const { node, targets } of file.rows()) {
    for (const target of targets) {
      text.putNumber(node);
      text.put("\t");
      text.putNumber(target);
      text.put("\n");
      if (text.length < flushBytes) continue;
      signal?.throwIfAborted();
      yield text.bytes.subarray(0, text.length);
      text.clear();
    }
  }
  yield text.bytes.subarray(0, text.length);
}
