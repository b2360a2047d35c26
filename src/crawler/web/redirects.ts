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

/** The same requests; tells of redirects of pages to other sites, which a visit does not follow. */
export function watchRedirects(requests: Requests, tell: (path: string, to: string) => void): Requests {
  return {
    ...requests,
    get: async (request): Promise<FetchOutcome> => {
      let location: string | undefined;
      const outcome = await requests.get({
        ...request,
        onAnswer: ({ status, fields }) => {
          location = status >= 300 && status < 400 ? fields.get("location") : undefined;
        },
      });
      const isElsewhere = outcome.kind === "failed" && outcome.reason === "redirect-elsewhere";
      const to =
        isElsewhere && location !== undefined ? resolveLocation(location, request.origin + request.path) : undefined;
      if (to !== undefined && request.crossOrigin !== true) tell(request.path, to);
      return outcome;
    },
  };
}
