export type { Wellbeing } from "./back-off-clock.ts";
export { CrawlOrder } from "./crawl-order.ts";
export { FifoSequencer } from "./fifo-sequencer.ts";
export { type ItemKeeper, KeptSequencer } from "./kept-sequencer.ts";
export { type OrderRule, orderNames } from "./order-rule.ts";
export {
  type GatePorts,
  PoliteGate,
  type Turn,
  type TurnAnswer,
  type TurnEnding,
  type TurnWish,
} from "./polite-gate.ts";
export { type PoliteOptions, PoliteSequencer } from "./polite-sequencer.ts";
export type { PolitenessOptions, SiteFacts } from "./politeness-options.ts";
export { PrioritySequencer } from "./priority-sequencer.ts";
export { RoundRobinSequencer } from "./round-robin-sequencer.ts";
export type { Sequencer } from "./sequencer.ts";
export { type AgendaEntry, defaultPriority, highestPriority, SiteAgenda } from "./site-agenda.ts";
export type { WaitReason } from "./site-clock.ts";
export type { SitePages } from "./site-pages.ts";
export { type SiteTurn, SiteTurns, type TurnOptions } from "./site-turns.ts";
export { type WeightedPart, WeightedSequencer } from "./weighted-sequencer.ts";
