/** How a process takes part in a fleet. */
export interface FleetOptions {
  /** Name of the worker, unique in the fleet; undefined for a process that leases no sites. */
  readonly worker: string | undefined;
  /** Version of the program, for whoever looks at the fleet. */
  readonly version: string;
  /** How long leases last. */
  readonly leaseMs: number;
  /** How long a site rests, besides, whose worker died. */
  readonly delayMs: number;
  /** The newest schema version of a site's state that the worker reads: sites with a newer one are left to newer workers. */
  readonly stateVersion: number;
  /** How long a database that cannot be reached is tried. */
  readonly retryMs: number;
  /** How long the database may take for an answer: then the connection is made anew. */
  readonly attemptMs: number;
  /** Whether a database without a fleet is refused, not made one of. */
  readonly mustExist: boolean;
  /** After it, nothing is tried again. */
  readonly signal: AbortSignal | undefined;
  /** Called once while the database cannot be reached, with why. */
  readonly onWait: ((why: string) => void) | undefined;
}
