import { type FetchOutcome, parseUrl, type Requests } from "../../core/index.ts";
import { escapeBytes } from "../../formats/url/index.ts";
import { originOf } from "./web-scope.ts";

/**
 * Where a redirect leads, if that is a page of the Web.
 *
 * @param location - the field's value, one character a byte
 */
export function resolveLocation(location: string, base: string): string | undefined {
  const url = parseUrl(escapeBytes(location), base);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return undefined;
  url.hash = "";
  return url.href;
}

/**
 * The links that a redirect counts as: none to another site, whose pages count from there. One within a site counts like a link where it
 * is not followed at once, so that those without end are bounded, too.
 */
export function redirectSteps(origin: string, to: string): 0 | 1 {
  return originOf(to) === origin ? 1 : 0;
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
