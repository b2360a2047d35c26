import { type EpochMs, excerpt, type FetchFailure, type PostOutcome } from "../core/index.ts";

/** What an answer of an IndexNow endpoint means for the URLs that were sent. */
export type Verdict =
  | { readonly kind: "told"; readonly status: number }
  /** Sending them again would change nothing. */
  | { readonly kind: "refused"; readonly status: number; readonly message: string; readonly hint: string }
  /** Trouble that may pass. */
  | {
      readonly kind: "again";
      readonly status: number | FetchFailure;
      readonly message: string;
      /** Not before this time, as the endpoint asks. */
      readonly retryAt: EpochMs | undefined;
    };

/**
 * Judges an answer.
 *
 * @param site - for messages
 * @see https://www.indexnow.org/documentation for 200, 202, 400, 403, 422 and 429
 */
export function judgeAnswer(
  outcome: PostOutcome,
  { keyLocation, host }: { readonly keyLocation: string; readonly host: string },
): Verdict {
  if (outcome.kind === "failed") {
    return { kind: "again", status: outcome.reason, message: outcome.message, retryAt: undefined };
  }
  const { status, retryAt, location } = outcome;
  if (status < 300) return { kind: "told", status };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return { kind: "again", status, message: `the endpoint answered ${status}`, retryAt };
  }
  const refused = (message: string, hint: string): Verdict => ({ kind: "refused", status, message, hint });
  if (status < 400) {
    const target = location === undefined ? "elsewhere" : `to ${excerpt(location, 200)}`;
    return refused(`The endpoint redirects ${target}, which is not followed.`, "Name the right endpoint.");
  }
  if (status === 400) return refused("The endpoint finds the request invalid (400).", "Check that it speaks IndexNow.");
  if (status === 403) {
    const hint = `Check that ${keyLocation} shows the key to everybody.`;
    return refused("The endpoint finds the key not valid (403).", hint);
  }
  if (status === 422) {
    const message = `The endpoint says that the URLs do not belong to ${host}, or the key is malformed (422).`;
    return refused(message, "Check that the base URL is the one under which the site is served.");
  }
  return refused(`The endpoint answered ${status}.`, "Check that it is the address of an IndexNow endpoint.");
}

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;
/** No time that an endpoint asks for is further away than this. */
export const maxPauseMs: number = 7 * 24 * 3600 * 1000;

function backOffMs(firstMs: number, longestMs: number, failures: number, random: number): number {
  return Math.round(Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30)) * (0.5 + random / 2));
}

/**
 * How long to wait before the same URLs are sent again: doubling from a second to half a minute, less up to half of it
 * by chance, so that sites that failed together do not come back together; never less than the endpoint asks for.
 *
 * @param failures - attempts in this run that failed before the last one
 * @param random - at least 0 and below 1
 */
export function planRetryDelayMs(failures: number, retryAt: EpochMs | undefined, now: EpochMs, random: number): number {
  return Math.max(backOffMs(firstDelayMs, longestDelayMs, failures, random), (retryAt ?? 0) - now);
}

/**
 * Before what time no other run asks the endpoint: a pause that doubles from a minute to an hour with each run that
 * failed; never less than the endpoint asks for.
 *
 * @param failedRuns - runs in a row that failed before this one
 */
export function planNextRun(failedRuns: number, retryAt: EpochMs | undefined, now: EpochMs, random: number): EpochMs {
  return Math.max(now + backOffMs(firstPauseMs, longestPauseMs, failedRuns, random), retryAt ?? 0);
}
