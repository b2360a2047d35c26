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
export { FleetWorker, type FleetWorkerOptions, type WorkerCounts, type WorkerVisit } from "./worker/fleet-worker.ts";
export { openWorkerPlace, type WorkerPlace } from "./worker/worker-place.ts";
