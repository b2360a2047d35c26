export {
  createNutchRule,
  createStormRule,
  IntervalPlanner,
  type IntervalRule,
  type NutchOptions,
} from "./adaptive-interval.ts";
export { type BudgetPace, paceAfter } from "./budget-pace.ts";
export {
  type ChangeHistory,
  defaultPrior,
  minRate,
  noHistory,
  type Observation,
  observe,
  type RatePrior,
  rateOf,
  SitePrior,
} from "./change-rate.ts";
export type { CycleCourse, CycleShares } from "./cycle-course.ts";
export { type CycleFacts, type CycleModel, type CycleValue, createCycle } from "./cycle-model.ts";
export { type CyclePlan, planCycle } from "./cycle-plan.ts";
export { CyclePlanner, type CyclePlannerOptions } from "./cycle-planner.ts";
export { type ChosenPages, DueChoice, type DueChoiceOptions, type PollChooser } from "./due-choice.ts";

export { defaultDistrustMs, isFullFetchDue } from "./full-fetch.ts";
export { IndexPlanner } from "./index-planner.ts";
export { IndexQueue, type QueuedPages } from "./index-queue.ts";
export type {
  KnownPages,
  PageSignals,
  PollRows,
  SeenVisit,
  VisitPlan,
  VisitPlanner,
  VisitWindow,
} from "./known-pages.ts";
export {
  adviseLook,
  isFutureLastmod,
  type LastmodAdvice,
  type LastmodLook,
  type LastmodRecord,
  type LastmodTrust,
  noLastmodRecord,
  noteLook,
} from "./lastmod-trust.ts";

export { type LearningChoiceOptions, LearningChooser } from "./learning-chooser.ts";
export { type LearningOptions, LearningPlanner } from "./learning-planner.ts";
export { LinkPlanner } from "./link-priority.ts";
export { NoticedPlanner } from "./noticed-planner.ts";
export {
  freshnessCurve,
  leastAgeCurve,
  planOptimum,
  proportionalCurve,
  randomFreshnessCurve,
  uniformCurve,
} from "./optimum.ts";
export { observeRate } from "./page-evidence.ts";
export { Forecaster, type PlannerForecast } from "./planner-forecast.ts";
export { expectedAgeSeconds, expectedFreshness } from "./poll-index.ts";
export { isPollPlannerName, type PollPlannerName, pollPlannerNames, pollPlannerOf } from "./poll-planners.ts";
export { defaultPollPolicy, dueAfterSeconds, type PollPolicy } from "./poll-policy.ts";
export type { PlannedPoll, PollPlan, PollReason } from "./poll-selection.ts";
export { type PollCurve, type PollRates, planByPrice } from "./price-search.ts";
export { learnPublications, planLook } from "./publication-rhythm.ts";
export { type QueueWeights, weighQueues } from "./queue-weights.ts";
export { BucketedPages, bucketOfRate, changedShare, newBucket, rateBuckets, rateOfBucket } from "./rate-buckets.ts";
export { evidenceSize } from "./rate-grid.ts";
export { meanHazard } from "./rate-hazard.ts";

export { RatePlanner, ratePolicies } from "./rate-planner.ts";
export { EstimatedPages } from "./rate-posterior.ts";
export { RateTally } from "./rate-tally.ts";
export { boundShare } from "./share-bound.ts";
export { effectiveSeconds, type SignalledCycle, type SignalledPage, signalledCycle } from "./signalled-index.ts";

export { noLearning, readLearning, type SiteLearning } from "./site-learning.ts";
export { type PollablePage, PollPlanner, type PollPlanOptions, type SeenPage } from "./site-plan.ts";
