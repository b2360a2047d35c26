import { readdirSync } from "node:fs";
import { join } from "node:path";
import { requireCached } from "./programs.ts";

/** The program spark-sql that `setup.sh` installed with PyPI's pyspark. */
export function findSparkProgram(): string {
  const lib = join(requireCached("spark-1"), "lib");
  const python = readdirSync(lib).find((name) => name.startsWith("python")) ?? "";
  return join(lib, python, "site-packages", "pyspark", "bin", "spark-sql");
}
