import { SparkEngine } from "../../src/analysis/engine/spark-engine.ts";
import { describeEngine } from "../analysis/engine/engine-contract.ts";
import { skipWithoutCached } from "./programs.ts";
import { findSparkProgram, hastenSpark, sparkMaster } from "./spark-program.ts";

const skip = skipWithoutCached("spark-1");

hastenSpark();
describeEngine(
  "Spark",
  () => new SparkEngine({ program: findSparkProgram(), master: sparkMaster, partitions: 2 }),
  skip,
);
