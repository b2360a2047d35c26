/** Time as a watcher needs it. */
export interface WatchTimers {
  /** Milliseconds that only ever grow, from any beginning. */
  readonly nowMs: () => number;
  /** Calls once after a delay in milliseconds; gives what calls it off. */
  readonly schedule: (delayMs: number, task: () => void) => () => void;
}

/** The longest that `setTimeout` waits. */
const maxDelayMs = 2 ** 31 - 1;

/** The machine's own: the monotonic clock, so that a clock that is set moves nothing. */
export const machineTimers: WatchTimers = {
  nowMs: () => performance.now(),
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, Math.min(Math.max(0, delayMs), maxDelayMs));
    return () => clearTimeout(timer);
  },
};
