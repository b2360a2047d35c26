import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { RecordSort } from "../fs/index.ts";
import { hasNames } from "./graph-folder.ts";
import { readAllNames } from "./node-rows.ts";
import { findOutput } from "./output-file.ts";
import { inBlocks, writeTextPieces } from "./text-file.ts";

/** Nodes in the order in which they are to be crawled, and what is told of each, by node. */
export interface WorkList {
  readonly work: Uint32Array;
  readonly isNew: Uint8Array;
  readonly priorities: Float64Array;
}

/**
 * Writes a list of work with the names of its nodes: a line of the columns' names, then a line a node. Memory: 4 bytes a node of the graph,
 * and a sort; names wait on disk, beside the file, or of a pipe in the system's temporary folder.
 *
 * @param folder - of the graph
 * @throws TidemarkError `disk-full`, `no-permission`, `not-found`
 */
export async function writeWork(file: string, folder: string, list: WorkList, signal?: AbortSignal): Promise<void> {
  const { path, isStream } = findOutput(file);
  using names = new RecordSort(isStream ? tmpdir() : dirname(path));
  if (list.work.length > 0 && hasNames(folder)) {
    const placeOf = new Uint32Array(list.isNew.length);
    for (const [at, node] of list.work.entries()) placeOf[node] = at + 1;
    for await (const { node, name } of readAllNames(folder, signal)) {
      const place = placeOf[node] ?? 0;
      if (place === 0) continue;
      names.text.putUint(place - 1, 4);
      names.text.putBytes(Buffer.from(name));
      names.add(4);
    }
  }
  await writeTextPieces(file, inBlocks(formatWork(list, names, signal)));
}

function* formatWork(
  { work, isNew, priorities }: WorkList,
  names: RecordSort,
  signal: AbortSignal | undefined,
): Generator<Uint8Array, void, void> {
  yield Buffer.from("node\tname\tkind\tpriority\n");
  const named = names.drain();
  let next = named.next().value;
  for (const [at, node] of work.entries()) {
    if (at % 4096 === 0) signal?.throwIfAborted();
    let name = "";
    if (next?.bytes.readUInt32BE(next.start) === at) {
      name = next.bytes.toString("utf8", next.keyEnd, next.end);
      next = named.next().value;
    }
    yield Buffer.from(`${node}\t${name}\t${isNew[node] === 1 ? "new" : "old"}\t${priorities[node]}\n`);
  }
}
