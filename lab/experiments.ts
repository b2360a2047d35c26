import { freshnessExperiment } from "./brandman/freshness-experiment.ts";
import { intervalExperiment } from "./brandman/interval-experiment.ts";
import { metadataExperiment } from "./brandman/metadata-experiment.ts";
import { needlessExperiment } from "./brandman/needless-experiment.ts";
import { replayExperiment } from "./brandman/replay-experiment.ts";
import { savingsExperiment } from "./brandman/savings-experiment.ts";
import { batchExperiment } from "./castillo/batch-experiment.ts";
import { connectionExperiment } from "./castillo/connection-experiment.ts";
import { orderExperiment } from "./castillo/order-experiment.ts";
import { sensitivityExperiment } from "./castillo/sensitivity-experiment.ts";
import { speedUpExperiment } from "./castillo/speed-up-experiment.ts";
import { webCrawlExperiment } from "./castillo/web-crawl-experiment.ts";
import { webOrderExperiment } from "./castillo/web-order-experiment.ts";
import { growthExperiment } from "./chen/growth-experiment.ts";
import { pendingExperiment } from "./chen/pending-experiment.ts";
import { webGraphExperiment } from "./chen/web-graph-experiment.ts";
import { wholeWebExperiment } from "./chen/whole-web-experiment.ts";
import { estimatorExperiment } from "./cho/estimator-experiment.ts";
import { refreshExperiment } from "./cho/refresh-experiment.ts";
import { signalExperiment } from "./cho/signal-experiment.ts";
import { crawlExperiment } from "./edwards/crawl-experiment.ts";
import { obsoleteExperiment } from "./edwards/obsolete-experiment.ts";
import { tableExperiment } from "./edwards/table-experiment.ts";
import type { Experiment } from "./experiment/experiment.ts";
import { fleetExperiment } from "./fleet/fleet-experiment.ts";
import { archivesExperiment } from "./mclearn/archives-experiment.ts";
import { baselineExperiment } from "./mclearn/baseline-experiment.ts";
import { controllerExperiment } from "./mclearn/controller-experiment.ts";
import { mixedExperiment } from "./mclearn/mixed-experiment.ts";
import { rhoExperiment } from "./mclearn/rho-experiment.ts";
import { rulesExperiment } from "./mclearn/rules-experiment.ts";
import { sizeExperiment } from "./mclearn/size-experiment.ts";
import { plannerExperiment } from "./planners/planner-experiment.ts";
import { trafficExperiment } from "./traffic/traffic-experiment.ts";

/** Every experiment, in the order in which they are listed and run. */
export const experiments: readonly Experiment[] = [
  intervalExperiment,
  needlessExperiment,
  freshnessExperiment,
  savingsExperiment,
  metadataExperiment,
  replayExperiment,
  trafficExperiment,
  orderExperiment,
  sensitivityExperiment,
  connectionExperiment,
  speedUpExperiment,
  batchExperiment,
  webOrderExperiment,
  webCrawlExperiment,
  webGraphExperiment,
  pendingExperiment,
  growthExperiment,
  wholeWebExperiment,
  fleetExperiment,
  tableExperiment,
  crawlExperiment,
  obsoleteExperiment,
  baselineExperiment,
  rhoExperiment,
  sizeExperiment,
  mixedExperiment,
  rulesExperiment,
  archivesExperiment,
  controllerExperiment,
  refreshExperiment,
  estimatorExperiment,
  signalExperiment,
  plannerExperiment,
];
