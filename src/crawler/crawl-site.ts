import {
  type Clock,
  type CrawlSummary,
  type FetchOutcome,
  omitUndefined,
  type PageFilter,
  pageOrders,
  type Requests,
  TidemarkError,
  type Timing,
  wrapSystemError,
} from "../core/index.ts";
import { checkSignificant } from "../formats/html/index.ts";
import { robotsAgentOf } from "../formats/robots/index.ts";
import { compileUrlFilter } from "../formats/url/index.ts";
import {
  createFetcher,
  type Fetcher,
  type FetcherOptions,
  namedTypes,
  nodeCodec,
  OriginCookies,
  parseTypes,
  RequestSigner,
  readCookies,
  readIdentity,
  readProxy,
  readSiteFields,
  realTiming,
  type SiteFields,
} from "../http/index.ts";
import { openStore, packagesIn, type Store, TakerFailure } from "../storage/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import { pollPlannerNames, pollPlannerOf } from "./engine/revisit/poll-planners.ts";
import { type VisitOptions, type VisitResult, visitSite } from "./engine/visit-site.ts";
import { checkObjects, type KeepOptions, openKeptSite } from "./kept-site.ts";
import { createPoliteness, type Politeness } from "./politeness.ts";
import { checkRespectedUses } from "./respected-uses.ts";
import { parseCrawlAddress } from "./site-address.ts";

/** What all visits of a process share. */
export interface VisitMeans {
  readonly store: Store;
  readonly politeness: Politeness;
  readonly clock: Clock | undefined;
  readonly delay: Timing["delay"] | undefined;
  /** Called with the outcome of each request. */
  readonly onOutcome?: (origin: string, outcome: FetchOutcome) => void;
  /** Creates the sender of a visit's requests. Default: HTTP. */
  readonly createFetcher?: ((options: FetcherOptions) => Fetcher) | undefined;
}

/** A visit to one site of a store. */
export interface SiteVisitOptions
  extends Omit<CrawlSiteOptions, "into" | "stateFile" | "politeness" | "clock" | "delay" | "objects"> {
  /** The store, or its address, if bodies are kept as objects. */
  readonly objects?: KeepOptions["objects"];
  /** Such as `https://example.org`. */
  readonly origin: string;
  /** Called between pages; once it returns false, the visit ends in order. Default: it continues. */
  readonly mayGoOn?: () => boolean;
  /**
   * Called about once a second during a request: whether to abandon it because nothing more is waited for. Default: no.
   */
  readonly mustEnd?: () => boolean;
  /** Once it is aborted, no further request is made, and the visit is cut short. */
  readonly halt?: AbortSignal;
  readonly linkTaker?: VisitOptions["linkTaker"];
  readonly leftPolls?: VisitOptions["leftPolls"];
}

/** @throws TidemarkError `bad-option` if options are invalid, before anything is opened */
export function checkVisitOptions(
  options: Pick<
    CrawlSiteOptions,
    | "types"
    | "include"
    | "exclude"
    | "significant"
    | "planner"
    | "isPlanned"
    | "weightOf"
    | "budget"
    | "order"
    | "url"
    | "userAgent"
    | "auth"
    | "digest"
    | "cookies"
    | "identity"
    | "proxy"
    | "headers"
    | "keep"
    | "respectUsage"
  >,
): void {
  checkSignificant(options.significant);
  filterOf(options);
  siteFieldsOf(options);
  if (options.proxy !== undefined) readProxy(options.proxy);
  if (options.cookies !== undefined) readCookies(options.cookies);
  if (options.identity !== undefined) readIdentity(options.identity);
  checkPlanner(options);
  robotsAgentOf(options.userAgent);
  if (options.order !== undefined) checkName(options.order, "order", pageOrders);
  checkRespectedUses(options);
  checkObjects(options);
}

/** Which pages are wanted: of these types, below the folder that the site's URL names, and by the patterns of URLs. */
function filterOf({
  url,
  types = [],
  include,
  exclude,
}: Pick<CrawlSiteOptions, "url" | "types" | "include" | "exclude">): PageFilter {
  const ofTypes = parseTypes(types);
  const { within } = parseCrawlAddress(url, undefined);
  const { key: urlsKey, admits } = compileUrlFilter({ within, include, exclude });
  return { ...ofTypes, key: urlsKey === "" ? ofTypes.key : `${ofTypes.key} ${urlsKey}`, urlsKey, admits };
}

function originOf(url: string): string {
  return parseCrawlAddress(url, undefined).origin;
}

/** What is sent to the site alone. */
function siteFieldsOf({
  url,
  auth,
  digest,
  headers = {},
  cookies,
}: Pick<CrawlSiteOptions, "url" | "auth" | "digest" | "headers" | "cookies">): SiteFields | undefined {
  const { origin, login } = parseCrawlAddress(url, undefined);
  if (cookies !== undefined && Object.keys(headers).some((name) => name.trim().toLowerCase() === "cookie"))
    throw new TidemarkError("bad-option", "A file of cookies and a field Cookie exclude each other.");
  return readSiteFields(origin, { auth: auth ?? login, digest, headers });
}

function checkName(name: string, what: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new TidemarkError("bad-option", `There is no ${what} ${String(name)}.`, {
    hint: `There are ${names.join(", ")}.`,
  });
}

function checkPlanner({ planner, isPlanned, weightOf, budget, url }: Parameters<typeof checkVisitOptions>[0]): void {
  if (weightOf !== undefined) {
    if (budget === undefined)
      throw new TidemarkError("bad-option", `Ranks weigh pages under a budget, but ${originOf(url)} has none.`, {
        hint: "Set the page requests of a visit with --budget N.",
      });
    if (planner !== undefined && planner !== "default" && planner !== "index")
      throw new TidemarkError("bad-option", `The planner ${planner} takes no ranks.`, {
        hint: "Use the planner default or index.",
      });
  }
  if (planner === undefined) return;
  checkName(planner, "planner", pollPlannerNames);
  if (budget !== undefined) return;
  if (isPlanned === false)
    throw new TidemarkError(
      "bad-option",
      `The planner ${planner} has nothing to plan: all pages of ${originOf(url)} are requested.`,
      {
        hint: "Leave out --poll all, or add --budget N.",
      },
    );
  if (pollPlannerOf(planner).kind === "rates")
    throw new TidemarkError("bad-option", `The planner ${planner} divides a budget, but ${originOf(url)} has none.`, {
      hint: "Set the page requests of a visit with --budget N.",
    });
}

/** The same requests, with the outcome of each told. */
function meterRequests(requests: Requests, onOutcome: ((outcome: FetchOutcome) => void) | undefined): Requests {
  if (onOutcome === undefined) return requests;
  return {
    get: async (request) => {
      const outcome = await requests.get(request);
      onOutcome(outcome);
      return outcome;
    },
    sent: async () => await requests.sent?.(),
  };
}

/**
 * Visits a site whose store is open, and closes what the visit opened.
 *
 * @throws as `crawlSite`; `TakerFailure` with an error of `keep`'s callbacks
 */
export async function visitInStore(means: VisitMeans, options: SiteVisitOptions): Promise<VisitResult> {
  const { store, politeness, clock, delay, onOutcome } = means;
  const {
    origin,
    url,
    types,
    include,
    exclude,
    since,
    concurrency = 1,
    keep = "mirror",
    objects,
    warcBytes,
    packageBytes,
    ...others
  } = options;
  const { within } = parseCrawlAddress(url, undefined);
  const {
    userAgent,
    auth,
    digest,
    headers,
    cookies,
    identity,
    proxy,
    from,
    ca,
    allowPrivate,
    significant,
    starts = [within],
    ...rest
  } = others;
  const { pageBytes, siteBytes, visitBytes, leastBytesPerSecond, ...visit } = rest;
  const respects = (visit.respectUsage ?? []).length > 0;
  const filter = filterOf({ url, ...omitUndefined({ types, include, exclude }) });
  await using fetcher = (means.createFetcher ?? createFetcher)({
    connections: concurrency,
    allowedPrivateOrigins: [origin],
    siteFields: siteFieldsOf({ url, ...omitUndefined({ auth, digest, headers }) }),
    cookies: cookies === undefined ? undefined : await OriginCookies.open(origin, cookies),
    signer: identity === undefined ? undefined : await RequestSigner.open(identity, clock),
    ...omitUndefined({ userAgent, proxy, from, ca, allowPrivate, clock }),
  });
  const site = await openKeptSite(store, origin, { keep, objects, clock: clock ?? Date.now, warcBytes });
  const { memory, reading, urls, bodies, warc } = site;
  const requests = warc === undefined ? fetcher : warc.recorder.record(fetcher);
  try {
    const result = await visitSite(
      {
        requests: meterRequests(requests, onOutcome && ((outcome) => onOutcome(origin, outcome))),
        codec: nodeCodec,
        timing: realTiming(clock, delay),
        rateLimiter: politeness,
        ...{ reading, memory, urls, bodies },
        mediaTypes: namedTypes,
        // Pages in packages come without the fields of a response.
        packages: warc === undefined && !respects ? packagesIn(bodies, packageBytes) : undefined,
      },
      {
        ...omitUndefined(visit),
        ...omitUndefined({ significant: checkSignificant(significant) }),
        ...(since === undefined ? {} : { since: Math.floor(since / 1000) }),
        ...{ origin, filter, concurrency, starts },
        agent: robotsAgentOf(userAgent),
        bounds: { pageBytes, siteBytes, visitBytes, leastBytesPerSecond },
      },
    ).catch(async (error: unknown) => {
      // WARC files are finished even after a stop by a signal; the error that ended the visit has the better message.
      await site.end().catch(() => undefined);
      throw error;
    });
    await site.end();
    return result;
  } finally {
    site.close();
  }
}

/**
 * Visits a site once and updates its mirror: reads what changed since the last visit and fetches only those pages.
 *
 * It can be killed at any time and run again. If a site publishes nothing or cannot be reached, that is no error: the
 * summary's `source` is `none`, `passedOver` says why, and `onEvent` receives a warning `no-archives` or `site-unavailable`.
 *
 * @returns the summary of the visit
 * @throws TidemarkError `bad-option`, `locked`, `aborted`, `disk-full`, `no-permission`, `read-only`, `state-corrupt`,
 * `state-version`, `io`; errors of `keep`'s callbacks are rethrown unchanged
 * @example
 * const summary = await crawlSite({ url: "https://example.org/", into: "mirrors" });
 * console.log(`${summary.created} new pages, ${summary.pending} to come`);
 */
export async function crawlSite(options: CrawlSiteOptions): Promise<CrawlSummary> {
  const { url, into, stateFile, clock, delay, onEvent } = options;
  const { politeness = createPoliteness({ clock, delay }) } = options;
  checkVisitOptions(options);
  const { origin } = parseCrawlAddress(url, onEvent);
  try {
    using store = openStore({ into, ...omitUndefined({ stateFile }) });
    const { summary } = await visitInStore({ store, politeness, clock, delay }, { ...options, origin });
    return summary;
  } catch (error) {
    if (error instanceof TakerFailure) throw error.cause;
    throw wrapSystemError(error, `crawl ${origin}/`, { site: origin });
  }
}
