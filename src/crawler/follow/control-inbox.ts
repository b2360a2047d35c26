import { DecisionInbox, type DecisionTaker } from "./decision-inbox.ts";
import type { FollowMetrics } from "./follow-metrics.ts";
import { type FollowStatus, removeFollowStatus, writeFollowStatus } from "./follow-status.ts";

/** What the inbox needs. */
export interface ControlPorts extends DecisionTaker {
  /** Folder of the mirrors. */
  readonly into: string;
  readonly metrics: FollowMetrics;
  /** Called with each status before it is written. */
  readonly onStatus: ((status: FollowStatus) => void) | undefined;
}

/** Real time, even in simulations: people and programs outside read the status. */
const tickMs = 1000;
/**
 * Writing the status takes at most a twentieth of the time even with very many sites, yet is frequent enough not to
 * look like a hang.
 */
const restPerCost = 20;
const mostRestMs = 3000;

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
      this.#inbox.take(this.#ports);
      this.#tell();
    });
  }

  #tell(): void {
    const beganAt = performance.now();
    if (beganAt < this.#restsUntil) return;
    const { into, metrics, onStatus } = this.#ports;
    const status = metrics.status();
    onStatus?.(status);
    writeFollowStatus(into, status);
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
