import { mayPassAtOnce, type TrackedUrl } from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { type CrawlVisit, isTimeUp, type LinkedPage } from "../discovery/crawl-visit.ts";
import { LinkFollower } from "../discovery/link-follower.ts";
import type { Postponed } from "../politeness/patient-request.ts";
import { maxTroublesInARow } from "../politeness/patient-request.ts";
import { isCancelled, throwIfAborted, warn } from "../visit/reading-visit.ts";
import { readSharedTags, SharedTags } from "../visit/shared-tags.ts";
import { reservedFor } from "./due-urls.ts";
import type { PageFinding } from "./page-judgement.ts";
import { askForPage, type BodyOwner, isBrokenOff, type PageAnswer, receivePage } from "./page-request.ts";
import { PageResults } from "./page-results.ts";
import { usageOfUnasked } from "./page-usage.ts";
import { Permits } from "./permits.ts";

/** URLs whose bodies came by way of redirects are remembered, so that they are not requested once more. */
const maxAnsweredElsewhere = 100_000;

/** Requests pages, some at a time, and settles what comes. */
export class PageWork {
  readonly #visit: CrawlVisit;
  /** Who asks the server holds one, also while it waits for a server in trouble. */
  readonly #permits: Permits;
  readonly #links: LinkFollower;
  readonly #tags: SharedTags;
  readonly #heldAtFirst: number;
  readonly #createdAtFirst: number;
  readonly #answeredElsewhere = new Set<string>();
  /** Pages that were requested and are not settled. */
  readonly #requested = new Set<string>();
  /** Pages that are being requested and are not held. */
  #newUnderWay = 0;
  /** Requests of the budget that others will need. */
  #reserved = 0;
  /** Paths of pages that were taken when the visit ended, and not requested. */
  #untouched: string[] = [];
  #failed = false;
  /** Set once the site wants to be left alone for longer than we wait. */
  #postponed: Postponed | undefined;
  readonly results: PageResults;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#permits = new Permits(Math.max(1, visit.concurrency));
    this.#links = new LinkFollower(visit);
    this.#tags = new SharedTags(readSharedTags(visit.ports.memory));
    // To count them takes as long as the site has pages.
    this.#heldAtFirst = Number.isFinite(visit.maxPages) ? visit.ports.urls.counts().held : 0;
    this.#createdAtFirst = visit.tally.created;
    this.results = new PageResults(visit);
  }

  /** Leaves some requests of the budget to so many URLs whose turn comes later. */
  reserveFor(count: number): void {
    this.#reserved = reservedFor(count, this.#visit.budget);
  }

  /** Whether the visit may make another request. */
  mayGoOn(): boolean {
    const { budget, tally } = this.#visit;
    return !this.#isOver() && tally.pageRequests + tally.pagesUnderWay < budget - this.#reserved;
  }

  /** Whether as many pages are held as may be. */
  isFull(): boolean {
    const created = this.#visit.tally.created - this.#createdAtFirst;
    return this.#heldAtFirst + created + this.#newUnderWay >= this.#visit.maxPages;
  }

  /** Whether a polled page would be kept that never was, though there are as many as may be. */
  isOneTooMany(url: TrackedUrl): boolean {
    return url.announced === undefined && url.held === undefined && this.lacksRoomFor(url);
  }

  /** Whether there is no room for a URL without a body. */
  lacksRoomFor({ postponed, askedAt }: Pick<TrackedUrl, "postponed" | "askedAt">): boolean {
    return (postponed !== undefined || askedAt === undefined) && this.isFull();
  }

  /** Requests pages as long as the visit may go on. */
  async fetch(urls: Iterator<TrackedUrl>, isEnough: () => boolean = () => false): Promise<void> {
    await this.run(() => {
      const item = isEnough() ? undefined : urls.next();
      return item?.done === false ? item.value : undefined;
    });
  }

  /**
   * Requests pages as long as the visit may go on.
   *
   * @param next - gives the next one; undefined if there is none
   * @param end - called when its result was added, or none came
   */
  async run(
    next: () => TrackedUrl | undefined | Promise<TrackedUrl | undefined>,
    end: (url: TrackedUrl) => void = () => undefined,
  ): Promise<void> {
    const { concurrency, ports } = this.#visit;
    // More than may ask at a time: while they keep their pages, the server answers the next ones.
    const count = Math.max(1, concurrency) + (ports.bodies.keepsAtOnce ?? 1);
    const ends = await Promise.allSettled(Array.from({ length: count }, () => this.#runOne(next, end)));
    await this.results.finish();
    for (const result of ends) if (result.status === "rejected") throw result.reason;
  }

  async #runOne(
    next: () => TrackedUrl | undefined | Promise<TrackedUrl | undefined>,
    end: (url: TrackedUrl) => void,
  ): Promise<void> {
    try {
      while (this.mayGoOn()) {
        const given = next();
        const url = given instanceof Promise ? await given : given;
        if (url === undefined) return;
        // While it waited, others may have requested the last pages that may be requested.
        if (!this.mayGoOn()) {
          this.#untouched.push(url.path);
          return end(url);
        }
        await this.#treat(url).finally(() => end(url));
      }
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** Gives, once, the paths of pages that were taken and not requested, because the visit ended. */
  takeUntouched(): readonly string[] {
    const untouched = this.#untouched;
    this.#untouched = [];
    return untouched;
  }

  /** Remembers entity tags that pages share, and says why the work ended early. */
  conclude(): void {
    const { ports, tally } = this.#visit;
    if (this.#tags.found.length > 0) ports.urls.forgetTags(this.#tags.found);
    this.#tags.remember(ports.memory);
    throwIfAborted(this.#visit);
    const rest = "the rest is left for the next visit.";
    if (this.#postponed !== undefined) warn(this.#visit, "site-postponed", `${this.#postponed.message}; ${rest}`);
    if (tally.troublesInARow >= maxTroublesInARow)
      warn(this.#visit, "site-in-trouble", `${maxTroublesInARow} page requests in a row failed; ${rest}`);
  }

  #isOver(): boolean {
    if (this.#failed || this.#postponed !== undefined || isCancelled(this.#visit)) return true;
    return isTimeUp(this.#visit) || this.#visit.tally.troublesInARow >= maxTroublesInARow;
  }

  async #treat(url: TrackedUrl): Promise<void> {
    const { ports, robots, agent, tally, filter } = this.#visit;
    const { announced, path } = url;
    // What is stated about the use of a body that lies there is not known.
    const mayAdopt = this.#visit.respectUsage.length === 0;
    const adopted = announced === undefined || !mayAdopt ? undefined : ports.bodies.adopt(announced);
    if (announced !== undefined && adopted !== undefined) {
      const usage = usageOfUnasked(this.#visit, url);
      return this.results.add(url, { kind: "adopted", page: { ...announced, ...adopted }, usage }, false);
    }
    if (!robotsAllow(robots, agent, path)) {
      const finding = { kind: "trouble", trouble: "disallowed", message: "robots.txt does not allow it" } as const;
      return this.results.add(url, finding, false);
    }
    if (this.#answeredElsewhere.has(path) || this.isOneTooMany(url)) return;
    // Another crawler may have named it after this visit had looked which URLs are wanted.
    if (url.announced === undefined && url.askedAt === undefined && !filter.admits(path)) return;
    // It counts until it is counted as a page that was created.
    const isNew = url.held === undefined ? 1 : 0;
    this.#newUnderWay += isNew;
    try {
      tally.pagesUnderWay++;
      const asked = await this.#ask(url).finally(() => {
        tally.pagesUnderWay--;
      });
      using answer = asked?.answer;
      if (answer !== undefined) await this.#take(url, answer, asked?.owner);
    } finally {
      this.#requested.delete(path);
      this.#newUnderWay -= isNew;
    }
  }

  async #ask(url: TrackedUrl): Promise<{ answer: PageAnswer; owner: BodyOwner | undefined } | undefined> {
    await this.#permits.acquire();
    try {
      // What happened while it waited may have ended the work, or brought the page.
      if (this.#answeredElsewhere.has(url.path)) return undefined;
      if (this.#isOver()) {
        this.#untouched.push(url.path);
        return undefined;
      }
      this.#requested.add(url.path);
      const answer = await askForPage(this.#visit, url);
      // The next request may be that for the page to which this one redirects.
      return { answer, owner: this.#findOwner(url, answer.outcome) };
    } finally {
      this.#permits.release();
    }
  }

  async #take(url: TrackedUrl, answer: PageAnswer, owner: BodyOwner | undefined): Promise<void> {
    const { outcome } = answer;
    if (outcome.kind === "postponed") {
      this.#postponed = outcome;
      return;
    }
    // A page is not given up after fewer attempts than usual.
    if ((isCancelled(this.#visit) && mayPassAtOnce(outcome)) || isBrokenOff(outcome)) return;
    // The next request goes out before this page is hashed and kept, and the server works meanwhile.
    await this.#visit.ports.requests.sent?.();
    const { finding, path, searchable, head } = await receivePage(this.#visit, url, answer, outcome, owner);
    const isAgain = owner?.isAnswered === true;
    if (searchable !== undefined) this.#readLinks({ url, path, isAgain, body: searchable, head });
    else this.#noteUnread(url, finding);
    const judged = this.#judgeTags(finding);
    if (owner === undefined || owner.path === url.path) await this.results.add(url, judged, true);
    else await this.#settleRedirect(url, owner, judged);
  }

  #readLinks(page: LinkedPage): void {
    const { plan } = this.#visit;
    if (plan?.takeLinks !== undefined) plan.takeLinks(page);
    else this.results.link(this.#links.find(page.url, page.path, page.body, page.head));
  }

  #noteUnread({ path }: TrackedUrl, { kind }: PageFinding): void {
    if (kind === "unmodified") this.#visit.plan?.noteUnread?.(path, kind);
    else if (kind === "gone" || kind === "unwanted") this.#visit.plan?.noteUnread?.(path, "gone");
  }

  #judgeTags(finding: PageFinding): PageFinding {
    if (finding.kind !== "body") return finding;
    const validators = this.#tags.judge(finding.validators, finding.digest);
    return validators === finding.validators ? finding : { ...finding, validators };
  }

  /** The page to which an answer belongs; undefined if there is to be none. Another than the requested one is not requested any more. */
  #findOwner({ path, announced }: TrackedUrl, outcome: PageAnswer["outcome"]): BodyOwner | undefined {
    const isRedirected = announced === undefined && outcome.kind === "fetched" && outcome.finalPath !== path;
    const target = isRedirected ? this.#links.findTarget(outcome.finalPath) : path;
    if (target === undefined) return undefined;
    if (target === path) return { path, isAnswered: false };
    const askedAt = this.#visit.ports.urls.find(target)?.askedAt ?? -1;
    const isUnderWay = this.#requested.has(target) || this.results.holds(target);
    const isAnswered = isUnderWay || this.#answeredElsewhere.has(target) || askedAt >= this.#visit.since;
    if (!isAnswered) {
      if (this.#answeredElsewhere.size >= maxAnsweredElsewhere) this.#answeredElsewhere.clear();
      this.#answeredElsewhere.add(target);
    }
    return { path: target, isAnswered };
  }

  /** The body belongs to the URL that gave it; this one only leads there. */
  async #settleRedirect(url: TrackedUrl, { path, isAnswered }: BodyOwner, finding: PageFinding): Promise<void> {
    if (finding.kind !== "body" && finding.kind !== "alias") {
      if (!isAnswered) this.#answeredElsewhere.delete(path);
      return await this.results.add(url, finding, true);
    }
    const { urls } = this.#visit.ports;
    urls.note([{ path, depth: url.depth, lastmod: undefined }], 0);
    const other = finding.kind === "body" ? urls.find(path) : undefined;
    if (other !== undefined) await this.results.add(other, finding, true);
    await this.results.add(url, { kind: "alias" }, true);
  }
}
