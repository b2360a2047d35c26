import type { SiteStatus } from "../exporter/index.ts";
import { formatBytes, formatNoun } from "../formats/quantity/index.ts";
import type { TrafficGroup, TrafficSummary } from "../traffic/index.ts";
import { formatNumber } from "./figure-text.ts";

/** Something that the site's operator can do, most useful first. */
export interface Advice {
  readonly text: string;
  /** Lines of a configuration, or commands, as they are. */
  readonly lines?: string;
}

const most = 3;
/** From this share on something is worth a sentence. */
const worthwhile = 0.05;
const crawlDelaySeconds = 10;

/** @returns at most three, those that save most first; nothing here is done by us */
export function adviseSite(summary: TrafficSummary, status: SiteStatus | undefined): Advice[] {
  return [publish(summary, status), slowDown(summary), logMore(summary), mend(summary), nothing()]
    .filter((one) => one !== undefined)
    .slice(0, most);
}

function publish({ crawling }: TrafficSummary, status: SiteStatus | undefined): Advice | undefined {
  if (status?.ledger !== undefined) {
    if (status.problems.length === 0) return undefined;
    return {
      text: `The site's exporter has a problem: ${status.problems[0]?.message ?? ""}`,
      lines: `tidemark status --base-url ${status.site ?? ""}`,
    };
  }
  if (crawling.needless === 0) return undefined;
  return {
    text:
      `Publish what changed: a crawler that reads it asks for changed pages only, and ${formatNoun(crawling.needless, "request")} ` +
      `of these logs (${formatBytes(crawling.wastedBytes)}) had no reason.`,
    lines:
      "tidemark init /var/www/html --base-url https://example.org/ --write /etc/tidemark.json\n" +
      "tidemark export --config /etc/tidemark.json",
  };
}

/** The crawler that got most bytes again, if it does not ask with conditions. */
function slowDown({ groups, crawling }: TrafficSummary): Advice | undefined {
  const worst = groups.reduce<TrafficGroup | undefined>((found, group) => {
    // A rule for an impostor's name would slow down the crawler whose name it is.
    return !group.areImpostors && group.counts.wastedBytes > (found?.counts.wastedBytes ?? 0) ? group : found;
  }, undefined);
  if (worst === undefined || worst.counts.wastedBytes < worthwhile * crawling.bytes) return undefined;
  const [name = worst.operator] = worst.crawlers;
  const { requests, notModified, wastedBytes } = worst.counts;
  const token = tokenOf(name);
  return {
    text:
      `${name} was sent ${formatBytes(wastedBytes)} again, and only ${formatNumber(notModified / requests, "percent")} of its requests ended with a 304. ` +
      (token === undefined
        ? "It has no name that robots.txt could speak of."
        : "Ask it in robots.txt for a rest between requests; not every crawler follows."),
    ...(token === undefined ? {} : { lines: `User-agent: ${token}\nCrawl-delay: ${crawlDelaySeconds}` }),
  };
}

/** A product token as RFC 9309, section 2.2.1, has it. A name from a log is a stranger's: nothing else of it may get into robots.txt. */
function tokenOf(name: string): string | undefined {
  return /^[a-z_-]+/i.exec(name)?.[0];
}

function logMore({ areConditionsLogged }: TrafficSummary): Advice | undefined {
  if (areConditionsLogged) return undefined;
  return {
    text: "Log the conditions of requests, and name that format to tidemark with --format, so that needless requests are counted exactly. For nginx, and for Apache:",
    lines:
      `log_format tidemark '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_if_none_match" "$http_if_modified_since" "$sent_http_etag"';\n` +
      `LogFormat "%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\" \\"%{If-None-Match}i\\" \\"%{If-Modified-Since}i\\" \\"%{ETag}o\\"" tidemark`,
  };
}

function mend({ crawling }: TrafficSummary): Advice | undefined {
  if (crawling.errors < worthwhile * crawling.requests) return undefined;
  return {
    text: `${formatNumber(crawling.errors / crawling.requests, "percent")} of crawlers' requests ended with an error: look for links to pages that are gone, and answer 410 for them.`,
  };
}

function nothing(): Advice {
  return { text: "Look again in a month: tidemark report reads the logs of any span." };
}
