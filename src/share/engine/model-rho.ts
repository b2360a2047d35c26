/** What a crawler saw of one operation of its own. */
export interface OperationSeen {
  readonly kind: "poll" | "merge";
  /** How long it took, from the request to the last event applied. */
  readonly seconds: number;
  /** Events that it brought and that the crawler did not know: 0 or 1 of a poll. */
  readonly fresh: number;
  /** Events that were transferred, known or not; 0 of a poll. */
  readonly records: number;
}

/** What a crawler knows beside its operations. */
export interface SharingSituation {
  /** Pages that are kept fresh. */
  readonly pages: number;
  /** Mean changes of a page in a second, as the crawler's own visits estimate them. */
  readonly changesPerSecond: number;
  /** Other crawlers that share. */
  readonly peers: number;
  /** What these advertise as their mean rho; undefined if they do not. */
  readonly peersRho?: number;
}

/** What a crawler does next. */
export interface SharingPlan {
  /** Probability that the next operation is a poll and not a merge, 0 to 1. */
  readonly rho: number;
  /** From how many of the peers to merge: always the same ones, in turn. */
  readonly peers: number;
}

/**
 * How a crawler divides its operations between polls and merges. Both functions are pure: the state passes through them, and a crawler
 * can store it.
 */
export interface SharingController<State> {
  readonly first: State;
  /** The state after an operation. O(1). */
  observe(state: State, seen: OperationSeen): State;
  /** What to do next, and the state to go on with. */
  plan(state: State, situation: SharingSituation): readonly [SharingPlan, State];
}

/** What polls and merges cost, older ones counting less and less, and the plan that was made of it. */
export interface CostState {
  readonly polls: number;
  readonly pollSeconds: number;
  readonly merges: number;
  readonly mergeSeconds: number;
  readonly records: number;
  /** Operations until the next plan, and the plan until then. */
  readonly wait: number;
  readonly period: number;
  readonly plan: SharingPlan | undefined;
  /** Of how many peers the plan was made. */
  readonly plannedPeers: number;
}

/** What costs are forgotten by: after so many polls, or merges, a cost counts 1/e. */
const memory = 200;
/** Operations between two plans at most. */
const longestPeriod = 4096;
/** Polls, and records, that must have been seen before costs are taken from them. */
const leastSeen = 8;
/** Fewer peers are not followed: of 256 crawlers that follow 2 each, some 30 are followed by nobody, and their polls are lost. */
const fewestPeers = 4;
/** Numbers of peers among which a plan is sought, beside all. */
const peerCounts = [fewestPeers, 5, 6, 8, 12, 16, 24, 32] as const;

/**
 * Plans by {@link estimateFreshness}: measures what a poll, a merge and a record cost, and takes the share of polls and the number of peers
 * with which a community that plans like this is freshest. Fewer peers than all make the difference where records are many: each peer
 * repeats what the others have told.
 */
export function modelRho(): SharingController<CostState> {
  const kept = 1 - 1 / memory;
  return {
    first: {
      polls: 0,
      pollSeconds: 0,
      merges: 0,
      mergeSeconds: 0,
      records: 0,
      wait: 0,
      period: 8,
      plan: undefined,
      plannedPeers: 0,
    },
    observe: (state, { kind, seconds, records }) =>
      kind === "poll"
        ? { ...state, polls: kept * state.polls + 1, pollSeconds: kept * state.pollSeconds + seconds }
        : {
            ...state,
            merges: kept * state.merges + 1,
            mergeSeconds: kept * state.mergeSeconds + seconds,
            records: kept * state.records + records,
          },
    plan(state, situation) {
      if (state.plan !== undefined && state.wait > 0 && state.plannedPeers === situation.peers)
        return [state.plan, { ...state, wait: state.wait - 1 }];
      const plan = planByCosts(state, situation);
      const period = Math.min(longestPeriod, 2 * state.period);
      return [plan, { ...state, plan, period, wait: period, plannedPeers: situation.peers }];
    },
  };
}

/** What a crawler knows of how often pages change. */
export interface ChangesSeen {
  /** New events that it learned, by polls and merges. */
  readonly learned: number;
  readonly polls: number;
  /** Pages that are kept fresh. */
  readonly pages: number;
  /** How long it has done so. */
  readonly seconds: number;
  readonly peers: number;
}

/**
 * Changes of a page in a second. Of changes that come at a rate L, visits at a rate V find L V / (L + V); V are its own polls and as many of
 * each peer. Before it saw much, every second visit is taken to find something.
 */
export function estimateChangesPerSecond({ learned, polls, pages, seconds, peers }: ChangesSeen): number {
  const time = pages * seconds + 10 * pages;
  const [found, visits] = [(learned + 10) / time, ((peers + 1) * (polls + 10)) / time];
  // Hardly a visit finds nothing: how many changes were missed cannot be told.
  return found < 0.98 * visits ? (found * visits) / (visits - found) : 50 * found;
}

function planByCosts(state: CostState, { pages, changesPerSecond, peers }: SharingSituation): SharingPlan {
  if (peers <= 0) return { rho: 1, peers: 0 };
  // Something of each must have been seen before costs can be compared; until then few peers, as many records can last long.
  if (state.polls < leastSeen || state.records < leastSeen) return { rho: 0.8, peers: Math.min(peers, fewestPeers) };
  const pollSeconds = state.pollSeconds / state.polls;
  // A merge begins with a request, as a poll does; what it takes longer is its records'.
  const recordSeconds = Math.max(0, state.mergeSeconds - state.merges * pollSeconds) / state.records;
  let best: SharingPlan = { rho: 0.5, peers };
  let most = -1;
  for (const followed of [...peerCounts.filter((count) => count < peers), peers]) {
    const freshnessOf = (rho: number): number =>
      estimateFreshness({
        crawlers: peers + 1,
        followed,
        rho,
        pages,
        changesPerSecond,
        pollSeconds,
        mergeSeconds: pollSeconds,
        recordSeconds,
      });
    const rho = findBestRho(freshnessOf);
    const freshness = freshnessOf(rho);
    if (freshness <= most) continue;
    most = freshness;
    best = { rho, peers: followed };
  }
  return best;
}

/** The share of polls, from 0.05 to 0.998, with the greatest freshness: golden section over the logarithm of the share of merges. */
export function findBestRho(freshnessOf: (rho: number) => number): number {
  const rhoOf = (place: number): number => 1 - Math.exp(place);
  const golden = (Math.sqrt(5) - 1) / 2;
  let [from, to] = [Math.log(0.002), Math.log(0.95)];
  let [left, right] = [to - golden * (to - from), from + golden * (to - from)];
  let [atLeft, atRight] = [freshnessOf(rhoOf(left)), freshnessOf(rhoOf(right))];
  for (let step = 0; step < 14; step++) {
    if (atLeft > atRight) {
      [to, right, atRight] = [right, left, atLeft];
      left = to - golden * (to - from);
      atLeft = freshnessOf(rhoOf(left));
    } else {
      [from, left, atLeft] = [left, right, atRight];
      right = from + golden * (to - from);
      atRight = freshnessOf(rhoOf(right));
    }
  }
  return rhoOf((from + to) / 2);
}

/** A community of crawlers that are all alike. */
export interface AlikeCrawlers {
  readonly crawlers: number;
  /** Of how many peers each crawler reads. */
  readonly followed: number;
  readonly rho: number;
  readonly pages: number;
  readonly changesPerSecond: number;
  readonly pollSeconds: number;
  readonly mergeSeconds: number;
  readonly recordSeconds: number;
}

/**
 * The freshness of crawlers that are all alike, in closed form: polls find changes at random times, and news takes merges to reach
 * everyone, each of which brings what the peer knew when it began. The lab compares it with its simulation.
 *
 * @returns share of copies that are fresh, 0 to 1
 */
export function estimateFreshness(community: AlikeCrawlers): number {
  const { crawlers, followed, rho, pages, changesPerSecond, pollSeconds, mergeSeconds, recordSeconds } = community;
  if (rho <= 0) return 0;
  // Mean seconds T of an operation: T = own + E(T) k recordSeconds T, where E is the new events of all in a second.
  const own = rho * pollSeconds + (1 - rho) * mergeSeconds;
  const polls = crawlers * rho;
  const changes = changesPerSecond * pages;
  const linear = polls - changes * own - followed * recordSeconds * polls * changes * (rho < 1 ? 1 : 0);
  const seconds = (Math.sqrt(linear * linear + 4 * changes * own * polls) - linear) / (2 * changes);
  if (crawlers === 1 || rho >= 1) return sweepFreshness(1, (changesPerSecond * seconds * pages) / rho);
  const found = sweepFreshness(crawlers, (changesPerSecond * seconds * pages) / rho);
  const mergeInterval = seconds / (1 - rho);
  const mergeLength = Math.max(mergeSeconds, (seconds - rho * pollSeconds) / (1 - rho));
  return found * reachOf(community, hopSeconds(mergeInterval, mergeLength), (seconds * pages) / rho);
}

/** Mean seconds from a peer's news to the end of the merge that brings it: until that merge begins, and all of it. */
function hopSeconds(interval: number, length: number): number {
  const idle = interval - length;
  return (interval * interval + idle * idle) / (2 * interval) + length;
}

/**
 * The share of an event's way through the community that it has before the page changes again: the mean over crawlers of the probability
 * that they know the event by then. With j of n knowing it, the next one hears of it by a merge, or polls the page itself.
 *
 * @param hop - mean seconds from one crawler to another that merges from it
 * @param sweep - seconds in which a crawler polls all pages
 */
function reachOf({ crawlers, followed, changesPerSecond }: AlikeCrawlers, hop: number, sweep: number): number {
  // Not all follow those who know it first.
  const detour = 1 + (crawlers - 1 - followed) / (followed * (crawlers - 1));
  let [known, sum] = [1, 1];
  for (let knowing = 1; knowing < crawlers; knowing++) {
    const rate = (crawlers - knowing) * (knowing / ((crawlers - 1) * hop * detour) + 1 / sweep);
    known *= rate / (rate + changesPerSecond);
    sum += known;
  }
  return sum / crawlers;
}

/**
 * Freshness where crawlers poll all pages in turn, each in an order of its own, and know at once what any of them found: the mean of
 * `exp(-changes * age)` over the age of the newest of n polls at random places of a sweep, whose density is `n (1 - age) ** (n - 1)`.
 *
 * @param changes - mean changes of a page while one crawler polls all pages once
 */
export function sweepFreshness(crawlers: number, changes: number): number {
  if (changes < 1e-9) return 1;
  // By parts: F(n - 1) = 1 - changes / n F(n). Up or down, whichever makes errors smaller.
  if (crawlers <= changes) {
    let freshness = -Math.expm1(-changes) / changes;
    for (let count = 2; count <= crawlers; count++) freshness = ((1 - freshness) * count) / changes;
    return freshness;
  }
  let freshness = 1;
  for (let count = 2 * crawlers + 60; count > crawlers; count--) freshness = 1 - (changes / count) * freshness;
  return freshness;
}
