import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached } from "./programs.ts";

/** The program spark-sql that `setup.sh` installed with PyPI's pyspark. */
export function findSparkProgram(): string {
  const lib = join(requireCached("spark-1"), "lib");
  const python = readdirSync(lib).find((name) => name.startsWith("python")) ?? "";
  return join(lib, python, "site-packages", "pyspark", "bin", "spark-sql");
}

/** Two executors, processes of their own, of one processor and 1 GiB each. */
export const sparkMaster = "local-cluster[2,1,1024]";

/** For a few hundred rows the compilers of Java and of Spark cost more than they save: they are left out until the end of the file. */
export function hastenSpark(): void {
  const conf = makeTempFolder("spark-conf");
  const java = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";
  writeFileSync(
    join(conf.path, "spark-defaults.conf"),
    [
      `spark.driver.extraJavaOptions ${java}`,
      `spark.executor.extraJavaOptions ${java}`,
      "spark.sql.codegen.wholeStage false",
      "spark.sql.codegen.factoryMode NO_CODEGEN\n",
    ].join("\n"),
  );
  process.env.SPARK_CONF_DIR = conf.path;
  after(() => conf[Symbol.dispose]());
}
