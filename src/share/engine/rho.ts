/** What a crawler sees of its own work. */
export type RhoObservation =
  /** Pages were requested, and so many of them had changed. */
  | { readonly kind: "polls"; readonly count: number; readonly events: number }
  /** A peer was merged, and so many of its events told something new. */
  | { readonly kind: "merge"; readonly events: number };

/** What a controller of rho knows: plain data, so that it can be stored and simulated. */
export interface RhoState {
  /** The share of polls among polls and merges, from 0 to 1. */
  readonly rho: number;
  /** Events a poll and a merge, the latest counting most; undefined before the first. */
  readonly perPoll: number | undefined;
  readonly perMerge: number | undefined;
}

/** What decides on rho: a pure function of what was observed. */
export type RhoController = (state: RhoState, observation: RhoObservation) => RhoState;

const low = 0.1;
const high = 0.9;
/** What is kept of the past at each operation: "We only look at the previous 30% when making a decision". */
const kept = 0.3;

/** Where every controller begins: polling mostly, as nothing is known of peers. */
export const firstRho: RhoState = { rho: high, perPoll: undefined, perMerge: undefined };

function mix(before: number | undefined, now: number, operations: number): number {
  if (before === undefined) return now;
  const share = kept ** operations;
  return before * share + now * (1 - share);
}

/**
 * The bang-bang controller: rho is high if a poll brings more events than a merge does, and low if it is the other way round.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 6.3.1
 */
export const bangBang: RhoController = (state, observation) => {
  if (observation.kind === "polls" && observation.count === 0) return state;
  const perPoll =
    observation.kind === "polls"
      ? mix(state.perPoll, observation.events / observation.count, observation.count)
      : state.perPoll;
  const perMerge = observation.kind === "merge" ? mix(state.perMerge, observation.events, 1) : state.perMerge;
  const isPollingBetter = perMerge === undefined || perPoll === undefined || perPoll > perMerge;
  return { rho: isPollingBetter ? high : low, perPoll, perMerge };
};

/** A rho that stays as it is. */
export const fixedRho: RhoController = (state) => state;

/** Merges that a crawler may make for the polls that it made, so that rho is the share of polls. */
export class MergeAllowance {
  /** Merges that may be saved up. */
  most: number;
  #merges: number;

  /** @param most - merges that may be saved up; as many may be made at the beginning */
  constructor(most: number) {
    this.most = most;
    this.#merges = most;
  }

  /** Polls were made under a rho. */
  notePolls(count: number, rho: number): void {
    const earned = rho === 0 ? this.most : (count * (1 - rho)) / rho;
    this.#merges = Math.min(this.most, this.#merges + earned);
  }

  /** Takes a merge, if one may be made. Without polls all may, with nothing but polls none may. */
  take(rho: number): boolean {
    if (rho === 0) return true;
    if (rho === 1 || this.#merges < 1) return false;
    this.#merges -= 1;
    return true;
  }
}
