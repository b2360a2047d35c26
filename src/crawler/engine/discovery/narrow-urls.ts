import { warn } from "../visit/reading-visit.ts";
import type { SourceVisit } from "./crawl-visit.ts";

/**
 * With other patterns of URLs than at the last visit, pages that are not wanted any more leave the mirror, and redirects
 * that led to them may be followed again. Whoever is killed in between does so again.
 */
export function narrowUrls(visit: SourceVisit): void {
  const { memory, urls } = visit.ports;
  const { urlsKey, admits } = visit.filter;
  const known = memory.readSource("urls") as { readonly key: string } | undefined;
  if ((known?.key ?? "") === urlsKey) return;
  const left = urls.narrow(admits);
  urls.reopen("disallowed");
  memory.rememberSource("urls", { key: urlsKey });
  if (left === 0) return;
  const pages = left === 1 ? "1 page of the mirror lies" : `${left} pages of the mirror lie`;
  warn(visit, "narrowed", `${pages} outside the URLs that are wanted now, and will be removed.`);
}
