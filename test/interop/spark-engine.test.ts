import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { SparkEngine } from "../../src/analysis/engine/spark-engine.ts";
import { describeEngine } from "../analysis/engine/engine-contract.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

const skip = skipWithoutCached("spark-1");

/** Two executors, processes of their own, of one processor and 1 GiB each. */
const master = "local-cluster[2,1,1024]";

// For a few hundred rows the compilers of Java and of Spark cost more than they save.
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

function programOf(): string {
  const lib = join(requireCached("spark-1"), "lib");
  const python = readdirSync(lib).find((name) => name.startsWith("python")) ?? "";
  return join(lib, python, "site-packages", "pyspark", "bin", "spark-sql");
}

describeEngine("Spark", () => new SparkEngine({ program: programOf(), master, partitions: 2 }), skip);
