import type { SiteClockState } from "./site-record.ts";
import type { EpochMs } from "./time.ts";

/**
 * What an answer says of a site's state: it is well; it has too much to do (429, 503); it cannot be reached (a
 * timeout, a reset); or only this page is broken (another 5xx), which makes us wait and is not held against it.
 */
export type HostHealth = "fine" | "overloaded" | "unreachable" | "broken";

/** Why a request has to wait. */
export type WaitReason = "retry-after" | "back-off" | "crawl-delay" | "rest" | "shared-address";

/** What is known of a site that decides how fast it may be asked. */
export interface SiteFacts {
  /** The site's own Crawl-delay, in milliseconds; 0 if it names none. */
  readonly crawlDelayMs: number;
  /** Whether the site publishes archives, so that it is made to be read fast. */
  readonly hasArchives: boolean;
  /** Requests that may be under way at once. A site with a Crawl-delay is asked one at a time all the same. */
  readonly concurrency: number;
}

/** How a permit is waited for. */
export interface AcquireOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Whether it follows from a request that was made, such as a redirect: a rest that has to be is waited for. */
  readonly isFurther?: boolean | undefined;
  /** Told of each wait of a second or more, once for all who wait for the same site. */
  readonly onWait?: (until: EpochMs, why: WaitReason) => void;
}

/** How the request of a permit ended. */
export interface RequestEnd {
  readonly health: HostHealth;
  /** The server's Retry-After as a time. */
  readonly retryAt?: EpochMs | undefined;
  /** Requests that it took, redirects too; 0 if none was sent. */
  readonly requests: number;
}

/** Leave to make one request. */
export interface Permit {
  readonly kind: "permit";
  /**
   * Gives the permit back; to be called once, whatever happened.
   *
   * @returns whether the server asked for a longer wait than it is granted
   */
  readonly done: (ending: RequestEnd) => boolean;
  /** Whether the request is to end for others that wait: it holds a connection for long, and there are no more to lend. */
  readonly isRecalled: () => boolean;
}

/** What asking for a permit came to. */
export type AcquireResult =
  | Permit
  /** It would be a longer wait than is allowed. */
  | { readonly kind: "later"; readonly at: EpochMs; readonly why: WaitReason }
  | { readonly kind: "aborted" };

/** Makes requests wait until a site may be asked again. */
export interface RateLimiter {
  /** Sets what is known of a site; what is left out stays. */
  describe(site: string, facts: Partial<SiteFacts>): void;
  /** Goes on with a site's numbers as they were kept; without effect if this rate limiter has asked the site already. */
  restore(site: string, kept: SiteClockState): void;
  /** Until when a site is left alone, were nothing under way; 0 if this rate limiter never asked it. */
  restsUntil(site: string): EpochMs;
  /**
   * A site's numbers, to be kept.
   *
   * @param isOpen - whether the visit goes on
   * @param isQuiet - whether no request is made before they are kept again; default: whether none is under way
   */
  stateOf(site: string, isOpen: boolean, isQuiet?: boolean): SiteClockState;
  /** Waits for a permit. */
  acquire(site: string, wish?: AcquireOptions): Promise<AcquireResult>;
}
