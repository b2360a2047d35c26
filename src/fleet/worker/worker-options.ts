import type { LeasedCounts, LeasedMeans, LeasedVisitor, PolitenessOptions } from "../../crawler/index.ts";
import type { LinkLog, ObjectStore } from "../../storage/index.ts";
import type { FleetControl, FleetStates, SiteLeases } from "../leases/site-leases.ts";

/** What a worker did so far. */
export interface WorkerCounts extends LeasedCounts {
  readonly visits: number;
  readonly failedVisits: number;
  /** Visits whose lease was lost: what they did since they last stored it was not stored. */
  readonly lost: number;
  /** Visits under way. */
  readonly open: number;
  /** URLs of other sites that were handed over. */
  readonly handed: number;
  readonly links: number;
}

/** A visit that ended. */
export interface WorkerVisit {
  readonly site: string;
  readonly counts: LeasedCounts | undefined;
  /** Why it failed. */
  readonly error?: unknown;
  /** Whether its lease was lost meanwhile: another worker makes the visit. */
  readonly isLost: boolean;
}

export interface FleetWorkerOptions {
  readonly fleet: SiteLeases & FleetStates & Pick<FleetControl, "identity" | "report">;
  /** Makes what visits a site. */
  readonly createVisitor: (means: LeasedMeans) => LeasedVisitor;
  /** Folder of the worker alone. */
  readonly scratch: string;
  /** Where bodies are kept; undefined where they are not. */
  readonly objects: ObjectStore | undefined;
  /** Where links are kept; undefined where none are. */
  readonly links: LinkLog | undefined;
  /** Most sites that are held at once. */
  readonly visitsAtOnce: number;
  readonly politeness: PolitenessOptions;
  readonly politenessOf?: ReadonlyMap<string, PolitenessOptions> | undefined;
  readonly nameServers?: readonly string[] | undefined;
  readonly lookups?: number | undefined;
  readonly isForever: boolean;
  readonly signal: AbortSignal;
  readonly onVisit?: (visit: WorkerVisit) => void;
  /** About once a second. */
  readonly onProgress?: (counts: WorkerCounts) => void;
}
