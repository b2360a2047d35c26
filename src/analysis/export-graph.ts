import { TidemarkError } from "../core/index.ts";
import { ByteText } from "../fs/index.ts";
import { hasNames, LinksFile, namesFileOf } from "./graph-folder.ts";
import { readTextFile, writeTextPieces } from "./text-file.ts";

/** Where the lists of a graph go. */
export interface ExportOptions {
  /** Folder of the graph. */
  readonly folder: string;
  /** File for the links, replaced as a whole; gzip'd if its name ends with `.gz`. */
  readonly links?: string;
  /** File for the names of nodes. */
  readonly names?: string;
  readonly signal?: AbortSignal;
}

const flushBytes = 256 * 1024;

/**
 * Writes a graph as lists: `from TAB to` a line, sorted by both numbers, and `node TAB name`. So Common Crawl publishes graphs, and
 * so WebGraph's `ArcListASCIIGraph` reads them. Memory does not grow with the graph.
 *
 * @throws TidemarkError `not-found`, `state-corrupt`, `no-permission`, `disk-full`; `bad-option` if names are asked for and there are none
 */
export async function exportGraph({ folder, links, names, signal }: ExportOptions): Promise<{
  readonly nodes: number;
  readonly links: number;
}> {
  using file = new LinksFile(folder);
  if (names !== undefined && !hasNames(folder))
    throw new TidemarkError("bad-option", `The nodes of the graph in ${folder} have no names.`, {
      hint: "Leave --names out.",
    });
  if (links !== undefined) await writeTextPieces(links, formatLinks(file, signal));
  if (names !== undefined) await writeTextPieces(names, readTextFile(namesFileOf(folder), signal));
  return { nodes: file.nodes, links: file.links };
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
