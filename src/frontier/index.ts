export type { Wellbeing } from "./back-off-clock.ts";
export {
  type GatePorts,
  PoliteGate,
  type Turn,
  type TurnAnswer,
  type TurnEnding,
  type TurnWish,
} from "./polite-gate.ts";
export type { PolitenessOptions, SiteFacts } from "./politeness-options.ts";
export { type AgendaEntry, defaultPriority, SiteAgenda } from "./site-agenda.ts";
export type { WaitReason } from "./site-clock.ts";
