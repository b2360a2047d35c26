export { CrawlOrder } from "./crawl-order.ts";

export type { ItemKeeper } from "./kept-sequencer.ts";
export { type OrderRule, orderNames } from "./order-rule.ts";
export { type GatePorts, PoliteGate } from "./polite-gate.ts";
export type { PoliteOptions } from "./polite-sequencer.ts";
export type { PolitenessOptions } from "./politeness-options.ts";

export type { Sequencer } from "./sequencer.ts";
export { type AgendaEntry, defaultPriority, highestPriority, SiteAgenda } from "./site-agenda.ts";
export type { SitePages } from "./site-pages.ts";
export { type SiteTurn, SiteTurns, type TurnOptions } from "./site-turns.ts";
export type { WeightedPart } from "./weighted-sequencer.ts";
