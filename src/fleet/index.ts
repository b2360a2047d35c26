export type { FleetOptions } from "./leases/fleet-options.ts";
export { openFleet } from "./leases/open-fleet.ts";
export type {
  AddedSite,
  Fleet,
  FleetControl,
  FleetEvent,
  FleetPage,
  FleetStates,
  HandedUrl,
  NextVisit,
  SiteLease,
  SiteLeases,
  SiteResults,
  StateBlock,
} from "./leases/site-leases.ts";
