import type { FetchOutcome, Requests } from "../core/index.ts";

/** Reports the outcome of each request. */
export function meterRequests(requests: Requests, onOutcome: ((outcome: FetchOutcome) => void) | undefined): Requests {
  if (onOutcome === undefined) return requests;
  return {
    get: async (request) => {
      const outcome = await requests.get(request);
      onOutcome(outcome);
      return outcome;
    },
    ...(requests.sent === undefined ? {} : { sent: () => requests.sent?.() ?? Promise.resolve() }),
  };
}
