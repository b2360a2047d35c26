import { excerpt } from "../../core/index.ts";
import { DecisionInbox } from "./decision-inbox.ts";
import { removeFollowStatus, writeFollowStatus } from "./follow-files.ts";
import type { FollowMetrics } from "./follow-metrics.ts";
import { parseDecision, type SiteDecision } from "./site-decision.ts";

/** Result of one file of the inbox. */
export type InboxOutcome =
  | { readonly kind: "decided"; readonly decision: SiteDecision }
  | { readonly kind: "refused"; readonly message: string };

/** What the inbox needs. */
export interface ControlPorts {
  /** Folder of the mirrors. */
  readonly into: string;
  readonly metrics: FollowMetrics;
  isFollowed(site: string): boolean;
  /** Makes a decision durable and applies it. */
  decide(decision: SiteDecision): void;
  onOutcome(outcome: InboxOutcome): void;
}

/** Real time, even in simulations: people and programs outside read the status. */
const tickMs = 1000;
/**
 * Writing the status takes at most a twentieth of the time even with very many sites, yet is frequent enough not to
 * look like a hang.
 */
const restPerCost = 20;
const mostRestMs = 3000;

/** Processes the files of an inbox: decisions are applied, anything else is refused, and both are removed. */
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
    // A decision is durable before its file is removed: after a kill in between it is applied again, and so are those
    // after it.
    if (decision !== undefined && fault === undefined) decide(decision);
    const rest = remove() ? "" : ", and it cannot be removed";
    if (decision !== undefined && fault === undefined) onOutcome({ kind: "decided", decision });
    else onOutcome({ kind: "refused", message: `${excerpt(name)} in the inbox ${fault}${rest}.` });
  }
}

/** Publishes a follower's status and receives decisions, by files beside its state, every second. */
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

  /** No follower is running any more. */
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

  // A failure here does not stop following: a full disk is reported where pages are written.
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
