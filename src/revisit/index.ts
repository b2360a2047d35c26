export {
  type ChangeHistory,
  defaultMemoryVisits,
  defaultPrior,
  maxRate,
  minRate,
  noHistory,
  type Observation,
  observe,
  type RatePrior,
  rateOf,
  SitePrior,
} from "./change-rate.ts";
export { defaultDistrustMs, isFullFetchDue, spreadOf } from "./full-fetch.ts";
export {
  adviseLook,
  isFutureLastmod,
  type LastmodAdvice,
  type LastmodLook,
  type LastmodRecord,
  type LastmodTrust,
  noLastmodRecord,
  noteLook,
  trustOf,
} from "./lastmod-trust.ts";
export { type PollRates, planOptimum } from "./optimum.ts";
export {
  changeProbability,
  expectedAgeSeconds,
  expectedFreshness,
  pollValue,
  secondsUntilProbability,
  secondsUntilValue,
} from "./poll-index.ts";
export { learnPublications, planLook } from "./publication-rhythm.ts";
export { boundShare } from "./share-bound.ts";
export { boundSilent, planSample } from "./silent-share.ts";
export {
  defaultPollPolicy,
  dueAfterSeconds,
  maxPlannedPolls,
  type PlannedPoll,
  type PollablePage,
  type PollPlan,
  PollPlanner,
  type PollPlanOptions,
  type PollPolicy,
  type PollReason,
  planPolls,
} from "./site-plan.ts";
