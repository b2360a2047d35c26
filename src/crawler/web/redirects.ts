import type { FetchOutcome, Requests } from "../../core/index.ts";

/** Where a redirect leads, if that is a page of the Web. */
export function resolveLocation(location: string, base: string): string | undefined {
  try {
    const url = new URL(location, base);
    url.hash = "";
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The same requests; redirects of pages that are not followed are told, and fail as `redirect-taken`: those to other sites, and those
 * for whose further request there is no permit now.
 */
export function watchRedirects(requests: Requests, tell: (path: string, to: string) => void): Requests {
  return {
    ...requests,
    get: async (request): Promise<FetchOutcome> => {
      if (request.crossOrigin === true) return await requests.get(request);
      let base = request.origin + request.path;
      let location: string | undefined;
      let left: string | undefined;
      const outcome = await requests.get({
        ...request,
        onAnswer: (answer) => {
          const { status, fields } = answer;
          location = status >= 300 && status < 400 ? fields.get("location") : undefined;
          request.onAnswer?.(answer);
        },
        beforeNext: async (url) => {
          const isAllowed = (await request.beforeNext?.(url)) ?? true;
          if (isAllowed) base = url;
          else left = url;
          return isAllowed;
        },
      });
      if (outcome.kind !== "failed" || location === undefined) return outcome;
      const to = outcome.reason === "redirect-elsewhere" ? resolveLocation(location, base) : left;
      if (to === undefined) return outcome;
      tell(request.path, to);
      return { ...outcome, reason: "redirect-taken" };
    },
  };
}
