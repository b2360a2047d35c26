import { spawn } from "node:child_process";
import { createReadStream, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import type { SqlEngine, SqlInput, SqlScript } from "./graph-sql.ts";
import { pathLiteral } from "./literal.ts";

/** How Spark is started. */
export interface SparkOptions {
  /** The program `spark-sql`, of Spark 4: a path, or a name that is looked for. @default spark-sql */
  readonly program?: string;
  /** The cluster, as Spark's own `--master` has it, such as `spark://host:7077`, `yarn` or `local[4]`. */
  readonly master: string;
  /** Into how many parts joins and sums are cut. */
  readonly partitions: number;
}

const keptErrorCharacters = 8000;

/** Spark SQL, as a process of its own: a script in, files of rows out. On a cluster the folder must be one that all machines share. */
export class SparkEngine implements SqlEngine {
  readonly #options: SparkOptions;

  constructor(options: SparkOptions) {
    this.#options = options;
  }

  async *run(
    { inputs, statements, output }: SqlScript,
    folder: string,
    signal?: AbortSignal,
  ): AsyncGenerator<ReadonlyArray<number | null>, void, void> {
    const rows = join(folder, "rows");
    const script = join(folder, "run.sql");
    const save = `INSERT OVERWRITE DIRECTORY ${pathLiteral(rows)} USING csv OPTIONS (sep '\t') SELECT * FROM ${output}`;
    const all = [...inputs.map(bindInput), ...statements, save];
    writeFileSync(script, all.map((statement) => `${statement};\n`).join(""));
    mkdirSync(join(folder, "local"));
    await this.#start(folder, script, signal);
    const parts = readdirSync(rows).filter((name) => name.startsWith("part-"));
    for (const part of parts)
      for await (const line of createInterface({ input: createReadStream(join(rows, part)) }))
        yield line.split("\t").map((value) => (value === "" ? null : Number(value)));
  }

  async #start(folder: string, script: string, signal: AbortSignal | undefined): Promise<void> {
    const { program = "spark-sql", master, partitions } = this.#options;
    const settings = {
      "spark.sql.catalogImplementation": "in-memory",
      "spark.sql.warehouse.dir": join(folder, "warehouse"),
      "spark.sql.legacy.createHiveTableByDefault": "false",
      "spark.sql.shuffle.partitions": String(partitions),
      "spark.local.dir": join(folder, "local"),
      "spark.ui.enabled": "false",
    };
    const conf = Object.entries(settings).flatMap(([name, value]) => ["--conf", `${name}=${value}`]);
    // The process works in another folder.
    const file = program.includes("/") ? resolve(program) : program;
    const child = spawn(file, ["-S", "-f", script, "--master", master, ...conf], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      ...(signal && { signal }),
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-keptErrorCharacters);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT")
        throw new TidemarkError("not-found", `There is no program ${program}.`, {
          hint: "Install Spark 4, for example with `pip install pyspark`, and name its spark-sql with --spark-sql.",
          cause: error,
        });
      throw wrapSystemError(error, `run ${program}`);
    });
    if (code !== 0)
      throw new TidemarkError("io", `Spark ended with code ${code}: ${findCause(said)}`, { details: { said } });
  }
}

/** The line that says why, of many. */
function findCause(said: string): string {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => /exception|error/i.test(line)) ?? lines.at(-1) ?? "it said nothing")
    .trim()
    .slice(0, 1000);
}

function bindInput(input: SqlInput): string {
  if ("count" in input)
    return `CREATE TEMPORARY VIEW ${input.name} AS SELECT id AS ${input.column} FROM range(${input.count})`;
  const columns = input.columns.map((column) => `${column} BIGINT`).join(", ");
  return (
    `CREATE TEMPORARY VIEW ${input.name} (${columns}) USING csv ` +
    `OPTIONS (path ${pathLiteral(input.file)}, sep '\t', header 'false', mode 'FAILFAST')`
  );
}
