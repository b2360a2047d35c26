import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { graphScript, type SqlEngine } from "./engine/graph-sql.ts";
import { exportGraph } from "./export-graph.ts";
import { inBlocks, writeTextPieces } from "./text-file.ts";
import type { NodeVisits } from "./visits.ts";

/** What the relational part finds of each node. */
export interface NodeColumns {
  readonly incoming: Uint32Array;
  readonly outgoing: Uint32Array;
  readonly ranks: Float64Array;
  readonly priorities: Float64Array;
}

/** Of which graph, and how. */
export interface EngineOptions {
  readonly folder: string;
  readonly nodes: number;
  readonly damping: number;
  readonly rounds: number;
  readonly visits: NodeVisits;
  readonly previous: string | undefined;
  readonly nowSeconds: number;
  readonly crawlSeconds: number;
  /** Folder in which the engine's files are made, and removed. @default that of the system */
  readonly scratch: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Computes degrees, PageRank and priorities by SQL. The graph is not in memory: it goes to the engine as a list, and 32 bytes a node come back.
 *
 * @throws TidemarkError what the engine throws; `io` if nodes are missing from what it gives
 */
export async function computeByEngine(engine: SqlEngine, options: EngineOptions): Promise<NodeColumns> {
  const { folder, nodes, visits, previous, signal, scratch = tmpdir(), ...rest } = options;
  const temporary = makeFolder(scratch);
  try {
    const files = {
      links: join(temporary, "links.tsv"),
      previous: join(temporary, "previous.tsv"),
      visits: join(temporary, "visits.tsv"),
    };
    await exportGraph({ folder, links: files.links, ...(signal && { signal }) });
    if (previous === undefined) writeFileSync(files.previous, "");
    else await exportGraph({ folder: previous, links: files.previous, ...(signal && { signal }) });
    await writeTextPieces(files.visits, inBlocks(formatVisits(visits, previous !== undefined)));
    const own = join(temporary, "engine");
    mkdirSync(own);
    return await collect(engine.run(graphScript({ nodes, ...files, ...rest }), own, signal), nodes);
  } finally {
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeFolder(scratch: string): string {
  try {
    return mkdtempSync(join(resolve(scratch), "tidemark-graph-"));
  } catch (error) {
    throw wrapSystemError(error, `make a folder in ${scratch}`, { folder: scratch });
  }
}

/** Without a graph of the visits before, nobody knows what changed: then each node counts as visited once. */
function* formatVisits({ latest, earlier }: NodeVisits, hasPrevious: boolean): Generator<Uint8Array, void, void> {
  for (let node = 0; node < latest.length; node++) {
    if (Number.isNaN(latest[node])) continue;
    const before = hasPrevious && !Number.isNaN(earlier[node]) ? earlier[node] : "";
    yield Buffer.from(`${node}\t${latest[node]}\t${before}\n`);
  }
}

async function collect(rows: AsyncIterable<ReadonlyArray<number | null>>, nodes: number): Promise<NodeColumns> {
  const columns: NodeColumns = {
    incoming: new Uint32Array(nodes),
    outgoing: new Uint32Array(nodes),
    ranks: new Float64Array(nodes),
    priorities: new Float64Array(nodes),
  };
  let count = 0;
  for await (const [id, incoming, outgoing, rank, priority] of rows) {
    const node = id ?? -1;
    if (!(node >= 0 && node < nodes)) throw new TidemarkError("io", `The engine gave a node ${node} of ${nodes}.`);
    columns.incoming[node] = incoming ?? 0;
    columns.outgoing[node] = outgoing ?? 0;
    columns.ranks[node] = rank ?? Number.NaN;
    columns.priorities[node] = priority ?? Number.NaN;
    count++;
  }
  if (count !== nodes) throw new TidemarkError("io", `The engine gave ${count} of ${nodes} nodes.`);
  return columns;
}
