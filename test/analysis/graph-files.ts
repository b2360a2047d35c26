import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { importGraph } from "../../src/analysis/import-graph.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { linksOf } from "../graph/slow-graph.ts";

/** A file's text; unpacked, if its name ends with `.gz`. */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

/** Writes a text, gzip'd if the name ends with `.gz`. @returns the file */
export function writeText(folder: string, name: string, text: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, name.endsWith(".gz") ? gzipSync(text) : text);
  return file;
}

/** The links of a graph as lines. */
export function formatLinks(graph: Graph): string {
  return linksOf(graph)
    .map(([from, to]) => `${from}\t${to}\n`)
    .join("");
}

/** Imports lists that are given as texts. @returns the graph's folder */
export async function importText(folder: string, links: string, names?: string): Promise<string> {
  const into = join(folder, "graph");
  const options = { into, links: writeText(folder, "links.txt", links) };
  await importGraph(names === undefined ? options : { ...options, names: writeText(folder, "names.txt", names) });
  return into;
}
