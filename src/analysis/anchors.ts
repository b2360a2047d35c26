import { existsSync } from "node:fs";
import { TidemarkError } from "../core/index.ts";
import { RecordSort } from "../fs/index.ts";
import { anchorsFileOf } from "./graph-folder.ts";
import type { ParquetRows } from "./parquet.ts";
import { readTextFile } from "./text-file.ts";

export function hasAnchors(folder: string): boolean {
  return existsSync(anchorsFileOf(folder));
}

const nodeBytes = 4;

/** Sorts texts of links by the node that they lead to, in bounded memory. */
export class AnchorSort implements Disposable {
  readonly #texts: RecordSort;
  #count = 0;

  /** @param folder - where runs are spilled to */
  constructor(folder: string) {
    this.#texts = new RecordSort(folder);
  }

  /** Different texts that {@link lines} gave. */
  get count(): number {
    return this.#count;
  }

  /** @param text - UTF-8, without control characters */
  add(target: number, source: number, text: Buffer): void {
    this.#texts.text.putUint(target, nodeBytes);
    this.#texts.text.putUint(source, nodeBytes);
    this.#texts.text.putBytes(text);
    this.#texts.add(2 * nodeBytes + text.length);
  }

  /** All as lines, each once; may be called once. */
  *lines(): Generator<Uint8Array, void, void> {
    let last: Buffer | undefined;
    for (const { bytes, start, keyEnd } of this.#texts.drain()) {
      const key = bytes.subarray(start, keyEnd);
      if (last?.equals(key)) continue;
      last = Buffer.from(key);
      this.#count++;
      const [target, source] = [last.readUInt32BE(0), last.readUInt32BE(nodeBytes)];
      yield Buffer.from(`${target}\t${source}\t${last.toString("utf8", 2 * nodeBytes)}\n`);
    }
  }

  [Symbol.dispose](): void {
    this.#texts[Symbol.dispose]();
  }
}

const rowsInGroup = 65_536;
/** In UTF-16 code units. A text has at most 200. */
const maxLine = 8192;

/**
 * The texts of links of a graph's folder, as rows of `target`, `source` and `text`.
 *
 * @param nodes - of the graph
 * @throws TidemarkError `state-corrupt`, with file and line; `bad-option` if the file is no gzip file
 */
export async function* groupAnchors(
  folder: string,
  nodes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ParquetRows, void, void> {
  const file = anchorsFileOf(folder);
  const [targets, sources] = [new Int32Array(rowsInGroup), new Int32Array(rowsInGroup)];
  let texts: string[] = [];
  let number = 0;
  for await (const line of linesOf(readTextFile(file, signal))) {
    number++;
    const [, target, source, text] = /^(\d{1,10})\t(\d{1,10})\t([^\t]+)$/.exec(line) ?? [];
    if (text === undefined || Number(target) >= nodes || Number(source) >= nodes)
      throw new TidemarkError("state-corrupt", `${file}: line ${number} is no line of texts.`, {
        hint: "Import the graph again from its crawl.",
        details: { file, line: number },
      });
    targets[texts.length] = Number(target);
    sources[texts.length] = Number(source);
    if (texts.push(text) < rowsInGroup) continue;
    yield [targets, sources, texts];
    texts = [];
  }
  if (texts.length > 0) yield [targets.slice(0, texts.length), sources.slice(0, texts.length), texts];
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
    // What is no line need not be read to its end.
    if (rest.length > maxLine) break;
  }
  if (rest !== "") yield rest;
}
