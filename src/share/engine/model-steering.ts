import {
  type CostState,
  estimateChangesPerSecond,
  modelRho,
  type OperationSeen,
  type SharingPlan,
} from "./model-rho.ts";

/** A visit that ended. */
export interface VisitSeen {
  readonly site: string;
  readonly requests: number;
  /** Pages that were created, updated or deleted. */
  readonly changes: number;
  /** Pages that the site has now. */
  readonly pages: number;
  readonly seconds: number;
}

/** More polls of one visit say no more of what a poll costs. */
const mostPolls = 1000;

/** Runs {@link modelRho} in a crawler that goes on: counts what it saw of its own work, and plans by it. */
export class ModelSteering {
  readonly #controller = modelRho();
  /** How many there are. */
  peers: number;
  #startedAt: number | undefined;
  readonly #pages = new Map<string, number>();
  #pageSum = 0;
  #learned = 0;
  #polls = 0;
  #state: CostState = this.#controller.first;
  #plan: SharingPlan;

  constructor(peers: number) {
    this.peers = peers;
    this.#plan = this.#planAt(0);
  }

  get plan(): SharingPlan {
    return this.#plan;
  }

  /** @param now - in seconds */
  noteVisit({ site, requests, changes, pages, seconds }: VisitSeen, now: number): void {
    if (requests === 0) return;
    this.#startedAt ??= now;
    this.#pageSum += pages - (this.#pages.get(site) ?? 0);
    this.#pages.set(site, pages);
    this.#learned += changes;
    this.#polls += requests;
    for (let poll = 0; poll < Math.min(mostPolls, requests); poll++)
      this.#observe({ kind: "poll", seconds: seconds / requests, fresh: 0, records: 0 });
    this.#plan = this.#planAt(now);
  }

  /** @param records - events that were transferred; `fresh` of them were not known */
  noteMerge({ records, fresh, seconds }: Omit<OperationSeen, "kind">, now: number): void {
    this.#learned += fresh;
    this.#observe({ kind: "merge", seconds, fresh, records });
    this.#plan = this.#planAt(now);
  }

  #observe(seen: OperationSeen): void {
    this.#state = this.#controller.observe(this.#state, seen);
  }

  #planAt(now: number): SharingPlan {
    const pages = Math.max(1, this.#pageSum);
    const [learned, polls, peers] = [this.#learned, this.#polls, this.peers];
    const seconds = Math.max(0, now - (this.#startedAt ?? now));
    const changesPerSecond = estimateChangesPerSecond({ learned, polls, pages, seconds, peers });
    const [plan, next] = this.#controller.plan(this.#state, { pages, changesPerSecond, peers });
    this.#state = next;
    return plan;
  }
}
