/** A table that a script reads: whole numbers in TAB-separated columns, or the numbers from 0 up to, not including, `count`. */
export type SqlInput =
  | { readonly name: string; readonly columns: readonly string[]; readonly file: string }
  | { readonly name: string; readonly column: string; readonly count: number };

/** Statements in the SQL that DuckDB and Spark have in common, and what they read and leave. */
export interface SqlScript {
  readonly inputs: readonly SqlInput[];
  readonly statements: readonly string[];
  /** The table with the results. */
  readonly output: string;
}

/** Runs scripts. Nothing but the binding of inputs and of the output is the engine's own. */
export interface SqlEngine {
  /**
   * @param folder - for whatever the engine puts on disk; empty, and removed afterwards by who made it
   * @returns the rows of the output, in any order; null where there is no value
   */
  run(
    script: SqlScript,
    folder: string,
    signal?: AbortSignal,
  ): AsyncGenerator<ReadonlyArray<number | null>, void, void>;
}

/** What the script computes, and of what. */
export interface GraphScriptOptions {
  readonly nodes: number;
  /** Files of columns: links, links as the visits before found them, and visits (node, last, the one before or nothing). */
  readonly links: string;
  readonly previous: string;
  readonly visits: string;
  readonly damping: number;
  readonly rounds: number;
  readonly nowSeconds: number;
  readonly crawlSeconds: number;
}

/** A number as a literal of type DOUBLE in both dialects: with an exponent, for without one it would be a DECIMAL. */
const double = (value: number): string => value.toExponential();

/**
 * Degrees, PageRank and Chen's priorities as SQL. Each round of PageRank is a statement of its own: neither engine loops. It never divides by
 * what may be 0, and names no reserved word. The output has the columns `id`, `in_degree`, `out_degree`, `pagerank` and `priority`.
 */
export function graphScript(options: GraphScriptOptions): SqlScript {
  const { nodes, links, previous, visits, damping, rounds, nowSeconds, crawlSeconds } = options;
  const inputs: SqlInput[] = [
    { name: "input_node", column: "id", count: nodes },
    { name: "input_link", columns: ["source", "target"], file: links },
    { name: "input_former", columns: ["source", "target"], file: previous },
    { name: "input_visit", columns: ["id", "latest", "earlier"], file: visits },
  ];
  const statements = [
    "CREATE TABLE arc AS SELECT DISTINCT source, target FROM input_link",
    "CREATE TABLE former_arc AS SELECT DISTINCT source, target FROM input_former",
    `CREATE TABLE node_degree AS
SELECT n.id AS id, COALESCE(i.arcs, 0) AS in_degree, COALESCE(o.arcs, 0) AS out_degree
FROM input_node n
LEFT JOIN (SELECT target AS id, COUNT(*) AS arcs FROM arc GROUP BY target) i ON i.id = n.id
LEFT JOIN (SELECT source AS id, COUNT(*) AS arcs FROM arc GROUP BY source) o ON o.id = n.id`,
    `CREATE TABLE rank_0 AS SELECT id, out_degree, ${double(nodes === 0 ? 0 : 1 / nodes)} AS pagerank FROM node_degree`,
    ...Array.from({ length: rounds }, (_, round) => rankRound(round, damping, nodes)).flat(),
    `CREATE TABLE arc_change AS
SELECT v.id AS id, CASE WHEN COALESCE(l.arcs, 0) + COALESCE(f.arcs, 0) = 0 THEN 1e0
  ELSE 1e0 - CAST(COALESCE(b.arcs, 0) AS DOUBLE)
    / CAST(NULLIF(COALESCE(l.arcs, 0) + COALESCE(f.arcs, 0) - COALESCE(b.arcs, 0), 0) AS DOUBLE) END AS ratio
FROM input_visit v
LEFT JOIN (SELECT source AS id, COUNT(*) AS arcs FROM arc GROUP BY source) l ON l.id = v.id
LEFT JOIN (SELECT source AS id, COUNT(*) AS arcs FROM former_arc GROUP BY source) f ON f.id = v.id
LEFT JOIN (SELECT a.source AS id, COUNT(*) AS arcs FROM arc a
  JOIN former_arc e ON e.source = a.source AND e.target = a.target GROUP BY a.source) b ON b.id = v.id
WHERE v.earlier IS NOT NULL`,
    `CREATE TABLE node_result AS
SELECT d.id AS id, d.in_degree AS in_degree, d.out_degree AS out_degree, r.pagerank AS pagerank,
  CASE WHEN v.id IS NULL THEN CAST(d.in_degree AS DOUBLE)
    ELSE COALESCE(c.ratio, m.mean_ratio, 1e0)
      * GREATEST(0e0, (${double(nowSeconds)} - CAST(v.latest AS DOUBLE)) / ${double(crawlSeconds)})
      * CAST(d.in_degree + d.out_degree AS DOUBLE) END AS priority
FROM node_degree d
JOIN rank_${rounds} r ON r.id = d.id
LEFT JOIN input_visit v ON v.id = d.id
LEFT JOIN arc_change c ON c.id = d.id
CROSS JOIN (SELECT AVG(ratio) AS mean_ratio FROM arc_change) m`,
  ];
  return { inputs, statements, output: "node_result" };
}

function rankRound(round: number, damping: number, nodes: number): string[] {
  const share = nodes === 0 ? 0 : 1 / nodes;
  return [
    `CREATE TABLE rank_${round + 1} AS
SELECT d.id AS id, d.out_degree AS out_degree,
  ${double((1 - damping) * share)} + ${double(damping * share)} * s.stranded + ${double(damping)} * COALESCE(g.given, 0e0) AS pagerank
FROM node_degree d
CROSS JOIN (SELECT COALESCE(SUM(pagerank), 0e0) AS stranded FROM rank_${round} WHERE out_degree = 0) s
LEFT JOIN (SELECT a.target AS id, SUM(r.pagerank / CAST(NULLIF(r.out_degree, 0) AS DOUBLE)) AS given
  FROM arc a JOIN rank_${round} r ON r.id = a.source GROUP BY a.target) g ON g.id = d.id`,
    `DROP TABLE IF EXISTS rank_${round}`,
  ];
}
