import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { SparkEngine } from "../../src/analysis/engine/spark-engine.ts";
import { describeEngine } from "../analysis/engine/engine-contract.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { skipWithoutCached } from "./programs.ts";
import { findSparkProgram } from "./spark-program.ts";

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

describeEngine("Spark", () => new SparkEngine({ program: findSparkProgram(), master, partitions: 2 }), skip);
