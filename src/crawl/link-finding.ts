import { type FoundLink, pageKinds, readLinks, readStyleLinks } from "../content/index.ts";
import type { FoundTarget, Target } from "../model/index.ts";
import type { TargetVisit } from "./target-visit.ts";

/** Kinds that are named and not asked for: a form wants input, a citation is no part of the site. */
const passedOver: ReadonlySet<FoundLink["kind"]> = new Set<FoundLink["kind"]>(["form", "cite"]);

/**
 * The URLs of the site that a page or a style sheet leads to, as far as they may be wanted or may lead on.
 *
 * @param path - of the page that was received, after redirects
 * @param body - without content coding
 */
export function* findLinks(
  visit: TargetVisit,
  target: Target,
  path: string,
  body: Uint8Array,
  contentType: string | undefined,
): Generator<FoundTarget, void, void> {
  const url = visit.origin + path;
  const isStyle = /^text\/css\b/i.test(contentType ?? "");
  const page = isStyle ? undefined : readLinks(body, contentType, url);
  const links = page?.links ?? readStyleLinks(body, url, contentType);
  for (const link of links) {
    if (passedOver.has(link.kind)) continue;
    const leads = pageKinds.has(link.kind);
    if (leads && (link.isNofollow || page?.isNofollow === true)) continue;
    const found = visit.scope.pathOf(link.url, visit.origin);
    if (found === undefined) continue;
    if (!visit.scope.mayBeWanted(found) && !(leads && visit.scope.mayLeadOn(found))) continue;
    // Parts of a page are as deep as the page.
    const depth = leads ? target.depth + 1 : target.depth;
    if (depth <= visit.maxDepth) yield { path: found, depth, lastmod: undefined };
  }
}
