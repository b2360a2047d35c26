import {
  combineUsage,
  type FetchedOutcome,
  type FetchOutcome,
  findDisallowedUse,
  noUsage,
  type PageUsage,
  type TrackedUrl,
  type UsagePreferences,
} from "../../../core/index.ts";
import { robotsUsage } from "../../../formats/robots/index.ts";
import { readUsageFields, readUsageMeta } from "../../../formats/usage/index.ts";
import type { CrawlVisit } from "../discovery/crawl-visit.ts";
import type { PageBody } from "./page-body.ts";
import type { PageFinding } from "./page-judgement.ts";

const htmlTypes: readonly string[] = ["text/html", "application/xhtml+xml"];
/** Of a larger page the `meta` elements are not read. */
const maxReadBytes = 16 * 1024 * 1024;

function combine(visit: CrawlVisit, path: string, served: UsagePreferences): PageUsage {
  return { served, all: combineUsage(served, robotsUsage(visit.robots, visit.agent, path)) };
}

/** What is stated about the use of a body that came, by its response, itself and robots.txt. */
export function usageOfBody(
  visit: CrawlVisit,
  { path, mediaType }: { readonly path: string; readonly mediaType: string },
  { usage }: FetchedOutcome,
  body: PageBody,
): PageUsage {
  const reader = { agent: visit.agent, mediaType };
  const fields = usage === undefined ? noUsage : readUsageFields(usage, reader);
  const isRead = htmlTypes.includes(mediaType) && body.sizeBytes <= maxReadBytes;
  const meta = isRead ? readUsageMeta(body.read(), reader) : noUsage;
  return combine(visit, path, combineUsage(fields, meta));
}

/**
 * What is stated about the use of a body that is not modified. Many servers leave the fields out of a 304, and the page
 * itself may state something: a 304 takes back nothing.
 */
export function usageOfHeld(
  visit: CrawlVisit,
  { path, held, usage }: TrackedUrl,
  outcome: FetchOutcome & { kind: "not-modified" },
): PageUsage {
  const reader = { agent: visit.agent, mediaType: held?.mediaType ?? "" };
  const fields = outcome.usage === undefined ? noUsage : readUsageFields(outcome.usage, reader);
  return combine(visit, path, combineUsage(usage?.served ?? noUsage, fields));
}

/** What is known of the use of a body that came without a response of its own. */
export function usageOfUnasked(visit: CrawlVisit, { path, usage }: TrackedUrl): PageUsage {
  return combine(visit, path, usage?.served ?? noUsage);
}

/** The finding of a page that may not be used in a way that the visit respects; undefined if it may. */
export function findUnwanted(visit: CrawlVisit, usage: PageUsage): (PageFinding & { kind: "unwanted" }) | undefined {
  const use = findDisallowedUse(usage.all, visit.respectUsage);
  return use === undefined ? undefined : { kind: "unwanted", usage, message: `the site states ${use}=n` };
}
