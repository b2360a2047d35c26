import type { SiteClockState } from "./site-record.ts";
import type { EpochMs } from "./time.ts";

/**
 * A site's health as shown by a response: fine; overloaded (429, 503); unreachable (timeout, reset); or broken, which
 * means that only this page failed (another 5xx): it delays the next request but is not counted against the site.
 */
export type HostHealth = "fine" | "overloaded" | "unreachable" | "broken";

/** Why a request has to wait. */
export type WaitReason = "retry-after" | "back-off" | "crawl-delay" | "rest" | "shared-address";

/** Facts about a site that decide how fast requests may follow each other. */
export interface SiteFacts {
  /** The site's Crawl-delay in milliseconds; 0 if there is none. */
  readonly crawlDelayMs: number;
  /** Whether the site publishes archives, which are meant to be read fast. */
  readonly hasArchives: boolean;
  /** Most concurrent requests. A site with a Crawl-delay gets one at a time regardless. */
  readonly concurrency: number;
}

/** How to wait for a permit. */
export interface AcquireOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Whether this request follows from an earlier one, such as a redirect; then a required rest is waited for. */
  readonly isFurther?: boolean | undefined;
  /** Called for each wait of a second or more, once for all waiters of the same site. */
  readonly onWait?: (until: EpochMs, why: WaitReason) => void;
}

/** How a request ended. */
export interface RequestEnd {
  readonly health: HostHealth;
  /** The server's Retry-After as a time. */
  readonly retryAt?: EpochMs | undefined;
  /** Requests sent, including redirects; 0 if none was sent. */
  readonly requests: number;
}

/** Permission to make one request. */
export interface Permit {
  readonly kind: "permit";
  /**
   * Returns the permit; call it exactly once, whatever happened.
   *
   * @returns whether the server asked for a longer wait than is allowed
   */
  readonly done: (ending: RequestEnd) => boolean;
  /**
   * Whether the request should end because others wait: it has held a connection for long, and no more are available.
   */
  readonly isRecalled: () => boolean;
}

/** Result of asking for a permit. */
export type AcquireResult =
  | Permit
  /** The wait would be longer than allowed. */
  | { readonly kind: "later"; readonly at: EpochMs; readonly why: WaitReason }
  | { readonly kind: "aborted" };

/** Makes requests wait until a site may be asked again. */
export interface RateLimiter {
  /** Updates what is known of a site; omitted facts stay. */
  describe(site: string, facts: Partial<SiteFacts>): void;
  /** Restores a site's saved clock; no effect if this rate limiter has already sent it a request. */
  restore(site: string, kept: SiteClockState): void;
  /** End of the site's rest, not counting requests under way; 0 if there was no request yet. */
  restsUntil(site: string): EpochMs;
  /**
   * A site's clock, to be saved.
   *
   * @param isOpen - whether the visit continues
   * @param isQuiet - whether no request is made before the next save; default: whether none is under way
   */
  stateOf(site: string, isOpen: boolean, isQuiet?: boolean): SiteClockState;
  /** Waits for a permit. */
  acquire(site: string, wish?: AcquireOptions): Promise<AcquireResult>;
}
