import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { readCrawlGraph } from "./crawl-graph.ts";
import { readArcs, readVertices } from "./graph/index.ts";
import type { LinkedPages } from "./lab/index.ts";
import { type Problem, parseUrl, TidemarkError, wrapSystemError } from "./model/index.ts";

const pieceBytes = 256 * 1024;

/** The bytes of a file; unpacked, if it is gzip'd. */
async function* readBytes(file: string): AsyncGenerator<Uint8Array, void, void> {
  const source = createReadStream(file, { highWaterMark: pieceBytes });
  let unpacked: AsyncIterable<Uint8Array> = source;
  if (/\.gz$/i.test(file)) {
    const gunzip = createGunzip({ chunkSize: pieceBytes });
    source.on("error", (error) => gunzip.destroy(error));
    unpacked = source.pipe(gunzip);
  }
  try {
    yield* unpacked;
  } catch (error) {
    const isPacking = String((error as { code?: unknown }).code).startsWith("Z_");
    if (isPacking) throw new TidemarkError("bad-option", `${file} is no gzip file.`, { cause: error });
    throw wrapSystemError(error, `read ${file}`, { file });
  } finally {
    source.destroy();
  }
}

/** The site of a page by the node's name: a URL's host, and of a host that is written backwards the domain, `com.example`. */
export function siteOfName(name: string): string {
  return name.includes("://") ? (parseUrl(name)?.host ?? name) : name.split(".").slice(0, 2).join(".");
}

function refuse(file: string, { message }: Problem): TidemarkError {
  return new TidemarkError("bad-option", `${file}: ${message}`);
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
  if (facts.isDirectory()) return await readCrawlGraph(place);
  const groups = names === "" ? undefined : await readVertices(readBytes(names), { groupOf: siteOfName });
  if (groups?.ok === false) throw refuse(names, groups.error);
  const read = await readArcs(readBytes(place), { nodes: groups?.value.nodes ?? 0 });
  if (!read.ok) throw refuse(place, read.error);
  const { graph, links } = read.value;
  if (links === 0) throw new TidemarkError("bad-option", `${place} has no line of two numbers.`);
  const siteOf = new Uint32Array(graph.nodes);
  // Nodes beyond those that were named are sites of their own.
  let next = groups?.value.groups ?? 0;
  for (let node = 0; node < graph.nodes; node++) siteOf[node] = groups?.value.groupOf[node] ?? next++;
  return { graph, siteOf };
}
