export type { TaskProgram } from "./boinc/application.ts";
export { makeSigningKey } from "./boinc/code-signing.ts";
export type { BoincEvent } from "./boinc/project.ts";
export {
  type BoincServer,
  type MadeBoincProject,
  makeBoincProject,
  serveBoincProject,
} from "./boinc/project-folder.ts";
export type { FleetOptions } from "./leases/fleet-options.ts";
export type { FleetOutlook, FleetStatus, WorkerStatus } from "./leases/fleet-status.ts";
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
export { type OpenProject, type OpenProjectOptions, openVolunteerProject } from "./volunteers/open-project.ts";
export {
  isKeyOf,
  type MadeKeys,
  makeProject,
  type ProjectFile,
  parseKey,
  readProjectFile,
  type VolunteerKey,
} from "./volunteers/project-folder.ts";
export type { ProjectCounts, ProjectEvent, ProjectOptions } from "./volunteers/project-options.ts";
export type { AssignedUnit, Submission, UnitDispatcher } from "./volunteers/unit-dispatcher.ts";
export { type WorkEvent, type WorkLoopOptions, type WorkLoopSummary, workFor } from "./volunteers/work-loop.ts";
export { FleetWorker } from "./worker/fleet-worker.ts";
export type { FleetWorkerOptions, WorkerCounts, WorkerVisit } from "./worker/worker-options.ts";
export { openWorkerPlace, type WorkerPlace } from "./worker/worker-place.ts";
