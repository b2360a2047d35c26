import { excerpt } from "../../core/index.ts";
import { DecisionInbox } from "./decision-inbox.ts";
import { removeFollowStatus, writeFollowStatus } from "./follow-files.ts";
import type { FollowMetrics } from "./follow-metrics.ts";
import { parseDecision, type SiteDecision } from "./site-decision.ts";

/** What came of a piece of the inbox. */
export type InboxOutcome =
  | { readonly kind: "decided"; readonly decision: SiteDecision }
  | { readonly kind: "refused"; readonly message: string };

/** What the inbox needs. */
export interface ControlPorts {
  /** Folder of the mirrors. */
  readonly into: string;
  readonly metrics: FollowMetrics;
  isFollowed(site: string): boolean;
  /** Makes a decision durable, and lets it hold from now on. */
  decide(decision: SiteDecision): void;
  onOutcome(outcome: InboxOutcome): void;
}

/** Real time, whatever clock the sites are followed by: people look, and programs ask. */
const tickMs = 1000;
/** To tell it takes no more than a twentieth of the time with very many sites, and yet is done before it seems to hang. */
const restPerCost = 20;
const mostRestMs = 3000;

/** Takes what lies in an inbox: what is a decision is made, and what is none is refused; both are removed. */
export function takeDecisions(
  inbox: DecisionInbox,
  { isFollowed, decide, onOutcome }: Omit<ControlPorts, "into" | "metrics">,
): void {
  for (const { name, text, remove } of inbox.pieces()) {
    const decision = text === undefined ? undefined : parseDecision(text);
    const fault =
      decision === undefined
        ? "is no decision"
        : isFollowed(decision.site)
          ? undefined
          : "is of no site that is followed";
    // A decision is durable before it is removed: after a kill between the two it is made again, and those after it as well.
    if (decision !== undefined && fault === undefined) decide(decision);
    const rest = remove() ? "" : ", and it cannot be removed";
    if (decision !== undefined && fault === undefined) onOutcome({ kind: "decided", decision });
    else onOutcome({ kind: "refused", message: `${excerpt(name)} in the inbox ${fault}${rest}.` });
  }
}

/** Where a follower tells how it stands, and is told what somebody decided: by files beside its state, each second. */
export class ControlInbox {
  readonly #ports: ControlPorts;
  readonly #inbox: DecisionInbox;
  #timer: NodeJS.Timeout | undefined;
  #failure = "";
  #restsUntil = 0;

  constructor(ports: ControlPorts) {
    this.#ports = ports;
    this.#inbox = new DecisionInbox(ports.into);
  }

  open(): void {
    this.#try(() => this.#inbox.open());
    this.#tick();
    this.#timer = setInterval(() => this.#tick(), tickMs).unref();
  }

  /** Nobody follows any more. */
  close(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#try(() => removeFollowStatus(this.#ports.into));
  }

  #tick(): void {
    this.#try(() => {
      takeDecisions(this.#inbox, this.#ports);
      this.#tell();
    });
  }

  #tell(): void {
    const beganAt = performance.now();
    if (beganAt < this.#restsUntil) return;
    writeFollowStatus(this.#ports.into, this.#ports.metrics.status());
    const now = performance.now();
    this.#restsUntil = now + Math.min(mostRestMs, restPerCost * (now - beganAt)) - tickMs / 2;
  }

  // Sites are followed whether or not that can be told: a full disk is met, and told, where pages are kept.
  #try(act: () => void): void {
    try {
      act();
      this.#failure = "";
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#failure) this.#ports.onOutcome({ kind: "refused", message });
      this.#failure = message;
    }
  }
}
