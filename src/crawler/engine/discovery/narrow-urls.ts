import { type EpochMs, findDisallowedUse } from "../../../core/index.ts";
import { warn } from "../visit/reading-visit.ts";
import type { SourceVisit } from "./crawl-visit.ts";

/** Pages whose use was disallowed are requested again after so long, also those that are announced. */
const reopenMs = 7 * 86_400_000;

interface NarrowedUrls {
  readonly key: string;
  readonly reopenedAt?: EpochMs;
  /** Whether URLs came since that no visit chose: those of peers. */
  readonly hasOthers?: boolean;
}

/**
 * With other patterns of URLs than at the last visit, pages that are not wanted any more leave the mirror, and redirects
 * that led to them may be followed again. Whoever is killed in between does so again.
 */
export function narrowUrls(visit: SourceVisit): void {
  const { memory, timing, urls } = visit.ports;
  const { urlsKey, admits } = visit.filter;
  const known = memory.readSource("urls") as NarrowedUrls | undefined;
  const now = timing.now();
  const isSame = (known?.key ?? "") === urlsKey;
  const isLongAgo = now - (known?.reopenedAt ?? 0) >= reopenMs;
  const reopensUsage = !isSame || (visit.respectUsage.length > 0 && isLongAgo);
  const hasOthers = known?.hasOthers === true;
  if (!reopensUsage && !hasOthers) return;
  const isWanted: Parameters<typeof urls.narrow>[0] = (path, served) =>
    admits(path) && findDisallowedUse(served, visit.respectUsage) === undefined;
  const left = isSame && !hasOthers ? 0 : urls.narrow(isWanted);
  if (!isSame) urls.reopen("disallowed");
  if (reopensUsage) urls.reopen("usage");
  memory.rememberSource("urls", { key: urlsKey, reopenedAt: reopensUsage ? now : known?.reopenedAt });
  if (left === 0) return;
  const pages = left === 1 ? "1 page of the mirror is" : `${left} pages of the mirror are`;
  const why = visit.respectUsage.length === 0 ? "by their URLs" : "by their URLs or by preferences about use";
  warn(visit, "narrowed", `${pages} not wanted any more (${why}), and will be removed.`);
}
