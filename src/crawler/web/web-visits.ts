import {
  type CrawlEvent,
  omitUndefined,
  type PageFilter,
  TidemarkError,
  type Timing,
  type UrlList,
} from "../../core/index.ts";
import { type FoundLink, pageKinds, readLinks } from "../../formats/html/index.ts";
import { type RobotsAgent, robotsAgentOf } from "../../formats/robots/index.ts";
import { compileUrlFilter } from "../../formats/url/index.ts";
import {
  createFetcher,
  type HostAddresses,
  namedTypes,
  nodeCodec,
  parseTypes,
  RequestSigner,
} from "../../http/index.ts";
import { visitInStore } from "../crawl-site.ts";
import type { LinkedPage } from "../engine/discovery/crawl-visit.ts";
import { pageUrlOf, pathOfUrl } from "../engine/discovery/url-scope.ts";
import { LeftPolls } from "../engine/visit/left-polls.ts";
import { Tally } from "../engine/visit/tally.ts";
import { type PageTurn, visitPages } from "../engine/visit-pages.ts";
import type { VisitEnd } from "../engine/visit-plan.ts";
import { failedVisitOf } from "../failed-visit.ts";
import { type KeepOptions, type LeasedObjects, openKeptSite } from "../kept-site.ts";
import type { Politeness } from "../politeness.ts";
import { type KnownVisit, sourcesOf } from "./known-sites.ts";
import { redirectSteps, watchRedirects } from "./redirects.ts";
import { RobotsAnswers } from "./robots-answers.ts";
import type { TurnPage, WebFrontier } from "./web-frontier.ts";
import type { WebMeans } from "./web-means.ts";
import type { CrawlWebOptions } from "./web-options.ts";
import { type Found, type LinkOrigin, originOf, pageUrlsOf } from "./web-scope.ts";

/** Errors of a visit that are about the crawl and not one site. */
const endsCrawl: ReadonlySet<string> = new Set(["aborted", "disk-full", "locked", "state-version"]);
const pageTypes = ["text/html", "application/xhtml+xml"];

export function filterOf({
  types = pageTypes,
  include,
  exclude,
}: Pick<CrawlWebOptions, "types" | "include" | "exclude">): PageFilter {
  const ofTypes = parseTypes(types);
  const { key: urlsKey, admits } = compileUrlFilter({ within: "/", include, exclude });
  return { ...ofTypes, urlsKey, admits };
}

/** What visits share with the crawl that they are made for. */
interface WebVisitsPorts extends Pick<WebMeans, "since" | "store" | "createFetcher"> {
  readonly links: Pick<WebMeans["links"], "add" | "addUnchanged">;
  readonly hosts: HostAddresses;
  readonly politeness: Politeness;
  readonly timing: Timing;
  /** Whether no request is waited for any more, after the signal of the options. */
  readonly mustEnd: () => boolean;
  /** Is told of a site that waits for a further request, such as that of a redirect. Default: nobody is. */
  readonly onWait?: ((origin: string) => void) | undefined;
  /** Takes what links lead to. */
  readonly addFound: WebFrontier["add"];
  /** Where bodies are kept as objects, if the options do not say it. */
  readonly objects?: LeasedObjects | undefined;
}

/** What came of some pages of a site. */
export interface WebVisit extends PageTurn {
  /** URLs whose links were kept. */
  readonly read: ReadonlySet<string>;
}

/** Requests pages of sites, and keeps them and their links. */
export class WebVisits {
  readonly filter: PageFilter;
  readonly #options: CrawlWebOptions;
  readonly #ports: WebVisitsPorts;
  readonly #agent: RobotsAgent;
  readonly #robots: RobotsAnswers;
  /** Origins that may have private addresses. */
  readonly #seeds: ReadonlySet<string>;
  /** Seeds that had a public address: a private one is an attack from then on. */
  readonly #knownPublic = new Set<string>();
  readonly #leftPolls = new LeftPolls();
  #linkCount = 0;

  constructor(options: CrawlWebOptions, ports: WebVisitsPorts) {
    this.filter = filterOf(options);
    this.#options = options;
    this.#ports = ports;
    this.#agent = robotsAgentOf(options.userAgent);
    this.#robots = new RobotsAnswers(ports.timing.now);
    this.#seeds = new Set(options.seeds.map(originOf));
  }

  /** Links that were kept. */
  get links(): number {
    return this.#linkCount;
  }

  /**
   * @param choose - gives pages by path, in the order in which they are requested
   * @param conclude - is told when nothing more is added to the site's URLs
   */
  async visit(
    origin: string,
    choose: (urls: UrlList) => ReadonlyMap<string, Pick<TurnPage, "found">>,
    conclude: (urls: UrlList) => void = () => undefined,
  ): Promise<WebVisit> {
    const read = new Set<string>();
    const { keep = "mirror", timeoutMs, pageBytes, leastBytesPerSecond, signal } = this.#options;
    const { store, politeness, timing, since, mustEnd } = this.#ports;
    const onEvent = this.#tellOf(origin);
    const { userAgent, proxy, from, ca, allowPrivate, clock, identity, respectUsage } = this.#options;
    await using fetcher = this.#createFetcher(origin)({
      signer: identity === undefined ? undefined : await RequestSigner.open(identity, clock),
      ...omitUndefined({ userAgent, proxy, from, ca, allowPrivate, clock }),
    });
    const site = await openKeptSite(store, origin, { keep, objects: this.#objects, clock: timing.now });
    const { memory, reading, urls, bodies, warc } = site;
    const found = choose(urls);
    const recorded = warc === undefined ? fetcher : warc.recorder.record(fetcher);
    const requests = watchRedirects(this.#robots.watch(recorded), (path, to) => {
      read.add(origin + path);
      this.#addLinks(origin, path, { found: found.get(path)?.found }, [to], redirectSteps(origin, to));
    });
    try {
      const turn = await visitPages(
        {
          requests,
          codec: nodeCodec,
          timing,
          rateLimiter: politeness,
          reading,
          memory,
          urls,
          bodies,
          mediaTypes: namedTypes,
          packages: undefined,
        },
        {
          origin,
          filter: this.filter,
          agent: this.#agent,
          since,
          paths: new Map(Array.from(found, ([path, page]) => [path, page.found.inSite])),
          bounds: { pageBytes, leastBytesPerSecond },
          leavesRedirects: true,
          takeLinks: (page) => {
            read.add(origin + page.url.path);
            this.#takeLinks(origin, found.get(page.url.path)?.found, page);
          },
          ...omitUndefined({ timeoutMs, halt: signal, mustEnd, onEvent, respectUsage }),
        },
      );
      for (const path of turn.answeredBefore) read.add(origin + path);
      conclude(urls);
      return { ...turn, read };
    } finally {
      await site.pause();
      site.close();
    }
  }

  /**
   * Requests new pages of a site, as {@link visit} does. What goes wrong with one site ends its turn: its pages are left for another one.
   *
   * @throws what says nothing of one site: a bug, a full disk, a damaged state
   */
  async visitNew(origin: string, found: ReadonlyMap<string, Pick<TurnPage, "found">>): Promise<WebVisit> {
    try {
      return await this.visit(origin, () => found);
    } catch (thrown) {
      const { error } = siteFailureOf(thrown, origin);
      const nothing = { answeredBefore: [], postponedUntil: undefined, tally: new Tally(), read: new Set<string>() };
      return { ...nothing, left: [...found.keys()], whyUnreachable: error.message };
    }
  }

  /**
   * Visits a known site by its best source, as a site of a list is. The visit ends where the site is to be left alone or after some
   * requests, and another one goes on: nobody waits for it.
   *
   * What goes wrong with one site ends its visit, with a warning.
   *
   * @param mostRequests - requests after which no further one is made
   * @throws what says nothing of one site: a bug, a full disk, a damaged state
   */
  async visitKnown(visit: KnownVisit, mostRequests: number, mayGoOn: () => boolean): Promise<VisitEnd> {
    try {
      return await this.#visitKnown(visit, mostRequests, mayGoOn);
    } catch (thrown) {
      const { origin: site } = visit;
      const { end, error } = siteFailureOf(thrown, site);
      const message = `The visit failed: ${error.message} It is tried again later.`;
      this.#options.onEvent?.({ event: "warning", site, code: "visit-failed", message });
      return end;
    }
  }

  async #visitKnown(visit: KnownVisit, mostRequests: number, mayGoOn: () => boolean): Promise<VisitEnd> {
    const { origin, found: siteFound, budget } = visit;
    const { keep = "mirror", allowPrivate, maxPages, signal, types = pageTypes } = this.#options;
    const { include, exclude, respectUsage, userAgent, from, identity, proxy, ca } = this.#options;
    const { timeoutMs, leastBytesPerSecond, pageBytes } = this.#options;
    const { store, politeness, timing, mustEnd } = this.#ports;
    const onEvent = this.#tellOf(origin);
    const isFree = (): boolean => politeness.restsUntil(origin) <= timing.now();
    let requests = 0;
    let isCutShort = false;
    const result = await visitInStore(
      {
        ...{ store, politeness, clock: timing.now, delay: timing.delay, createFetcher: this.#createFetcher(origin) },
        onOutcome: () => {
          requests++;
        },
      },
      {
        ...{
          origin,
          url: `${origin}/`,
          keep,
          ...omitUndefined({ objects: this.#objects }),
          types,
          sources: sourcesOf(this.#options),
          starts: [],
        },
        ...{ isPlanned: true, packageBytes: 0, mustEnd, leftPolls: this.#leftPolls },
        linkTaker: {
          takeLinks: (page) => {
            const inSite = page.url.depth;
            this.#takeLinks(origin, { depth: siteFound.depth + inSite, inSite, hops: siteFound.hops }, page);
          },
          noteUnread: (path, answer) => {
            if (answer === "gone") this.#ports.links.add(timing.now(), origin + path, []);
            else this.#ports.links.addUnchanged(timing.now(), origin + path);
          },
        },
        mayGoOn: () => {
          isCutShort ||= requests >= mostRequests || !isFree() || !mayGoOn();
          return !isCutShort;
        },
        ...omitUndefined({
          budget,
          halt: signal,
          include,
          exclude,
          respectUsage,
          userAgent,
          from,
          identity,
          proxy,
          ca,
        }),
        ...omitUndefined({ allowPrivate, maxPages, timeoutMs, leastBytesPerSecond, pageBytes, onEvent }),
      },
    );
    return { kind: "done", result, isCutShort: isCutShort || result.summary.isCutShort === true };
  }

  #tellOf(origin: string): (event: CrawlEvent) => void {
    const { onEvent } = this.#options;
    return (event) => {
      if (event.event === "waiting") this.#ports.onWait?.(origin);
      onEvent?.(event);
    };
  }

  get #objects(): KeepOptions["objects"] {
    return this.#ports.objects ?? this.#options.objects;
  }

  /** What makes requests to a site: to no private address that the user did not name. */
  #createFetcher(origin: string): typeof createFetcher {
    const { createFetcher: create = createFetcher, hosts } = this.#ports;
    const allowedPrivateOrigins = this.#seeds.has(origin) ? [origin] : [];
    const knownPublic = this.#knownPublic;
    return (options) => create({ ...options, allowedPrivateOrigins, knownPublic, resolve: hosts.resolve });
  }

  /** Finishes the WARC files of all sites, and packs them. */
  async endArchives(queue: Pick<WebMeans["queue"], "sites" | "siteName">): Promise<void> {
    const { keep = "mirror" } = this.#options;
    if (keep !== "warc" && keep !== "wacz") return;
    const { store, timing } = this.#ports;
    for (let number = 0; number < queue.sites; number++) {
      const origin = queue.siteName(number) as string;
      if (!store.hasOpenWarc(origin)) continue;
      const site = await openKeptSite(store, origin, { keep, clock: timing.now });
      try {
        await site.end();
      } finally {
        site.close();
      }
    }
  }

  #takeLinks(origin: string, found: Found | undefined, page: LinkedPage): void {
    const { contentType } = page.head;
    if (/^text\/css\b/i.test(contentType ?? "")) return;
    const options = { robotsNames: this.#agent, fields: page.head, hasTexts: this.#options.keepsTexts === true };
    const { links, isNofollow, language } = readLinks(page.body, contentType, origin + page.path, options);
    const followed = isNofollow ? [] : links.filter(({ kind, isNofollow }) => pageKinds.has(kind) && !isNofollow);
    const texts = options.hasTexts ? textsOf(followed) : undefined;
    const urls = followed.map(({ url }) => url);
    // A redirect to the same page with a session id leads nowhere else.
    const path = pathOfUrl(pageUrlOf(origin + page.path) ?? origin + page.path);
    if (!page.isAgain) this.#addLinks(origin, path, { found, language }, urls, 1, texts);
    // What redirects within the site leads to the page whose body it has.
    if (path !== page.url.path)
      this.#ports.links.add(this.#ports.timing.now(), origin + page.url.path, [origin + path]);
  }

  #addLinks(
    origin: string,
    path: string,
    { found, language }: { readonly found: Found | undefined } & Pick<LinkOrigin, "language">,
    links: readonly string[],
    steps: number,
    texts?: ReadonlyMap<string, readonly string[]>,
  ): void {
    const urls = pageUrlsOf(links);
    this.#linkCount += urls.length;
    this.#ports.links.add(this.#ports.timing.now(), origin + path, urls, texts);
    if (found === undefined) return;
    const { depth, inSite, hops } = found;
    this.#ports.addFound(urls, { depth, inSite, hops, language, origin, url: origin + path }, steps);
  }
}

/**
 * What went wrong with one site.
 *
 * @throws what says nothing of one site
 */
function siteFailureOf(thrown: unknown, site: string): { end: VisitEnd; error: TidemarkError } {
  const end = failedVisitOf(thrown, site);
  const { error } = end;
  if (!(error instanceof TidemarkError) || endsCrawl.has(error.code)) throw error;
  return { end, error };
}

/** Most of one link, as {@link readLinks} has it; several links may lead to one page. */
const maxTexts = 4;

/** The texts of links by URL. */
function textsOf(links: readonly FoundLink[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, readonly string[]>();
  for (const { url: link, texts: some } of links) {
    const url = pageUrlOf(link);
    if (url !== undefined && some !== undefined)
      texts.set(url, [...new Set([...(texts.get(url) ?? []), ...some])].slice(0, maxTexts));
  }
  return texts;
}
