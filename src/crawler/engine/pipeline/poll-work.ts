import type { CandidateChoice, EpochMs, PollCandidate, TrackedUrl, UrlChoice } from "../../../core/index.ts";
import type { CrawlVisit, PollPlan } from "../discovery/crawl-visit.ts";
import type { ChoiceKind, ChosenPaths, LeftChoice } from "../visit/left-polls.ts";
import { isAway, maxAway, readCandidates, readUrlsAtHand } from "./due-urls.ts";
import { PageWork } from "./page-work.ts";
import { chooseHinted, chooseOverdue, choosePolls } from "./poll-planning.ts";

/** So many pages are requested before it is looked again which are next. */
const orderedAtATime = 100;

/**
 * New URLs in an order that changes while they are requested: what was learned from the pages that came is durable before
 * it is looked which are next, and nobody waits for those that have not come yet.
 */
class OrderedUrls {
  readonly #visit: CrawlVisit;
  readonly #work: PageWork;
  readonly #choice: UrlChoice;
  readonly #underWay = new Set<number>();
  /** Ended since it was looked which are next. */
  #ended = new Set<number>();
  /** Ended without a result: they stay new. */
  readonly #passedOver = new Set<number>();
  #next: TrackedUrl[] = [];
  #looking: Promise<void> | undefined;
  /** Wakes those who wait for what is under way. */
  #wake: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(visit: CrawlVisit, work: PageWork, choice: "ranked" | "random") {
    this.#visit = visit;
    this.#work = work;
    this.#choice = choice;
  }

  /**
   * Gives the next URL, which is under way until it is {@link end}ed. What is under way may lead to others: it is waited for.
   *
   * @returns undefined if nothing is left
   */
  async next(): Promise<TrackedUrl | undefined> {
    while (this.#next.length === 0) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
      if (this.#next.length > 0) break;
      if (this.#underWay.size === 0) return undefined;
      this.#ending ??= new Promise((resolve) => {
        this.#wake = resolve;
      });
      await this.#ending;
    }
    const url = this.#next.shift();
    if (url !== undefined) this.#underWay.add(url.id);
    return url;
  }

  /** Its result was added, or it was passed over; it is not given again. */
  end({ id }: TrackedUrl): void {
    this.#underWay.delete(id);
    this.#ended.add(id);
    this.#wake?.();
    this.#wake = undefined;
    this.#ending = undefined;
  }

  async #look(): Promise<void> {
    // What is not durable is still new to the store.
    await this.#work.results.finish();
    this.#next = this.#take(this.#choice);
    // What no page leads to comes in the order of discovery.
    if (this.#next.length === 0) this.#next = this.#take("new");
    this.#ended = new Set();
  }

  #take(choice: UrlChoice): TrackedUrl[] {
    const { urls } = this.#visit.ports;
    const limit = orderedAtATime + this.#underWay.size + this.#ended.size + this.#passedOver.size;
    const taken = urls.take(choice, this.#visit.since, undefined, limit);
    for (const { id } of taken) if (this.#ended.has(id)) this.#passedOver.add(id);
    return taken.filter(({ id }) => !this.#underWay.has(id) && !this.#passedOver.has(id)).slice(0, orderedAtATime);
  }
}

/** Whether a page was requested since, by this crawler or, as far as it was told, by another. */
function wasAskedSince({ askedAt = 0, checkedAt = 0 }: TrackedUrl, since: EpochMs): boolean {
  return Math.max(askedAt, checkedAt) >= Math.floor(since / 1000);
}

class PollWork {
  readonly #visit: CrawlVisit;
  readonly #plan: PollPlan;
  readonly #work: PageWork;

  constructor(visit: CrawlVisit, plan: PollPlan) {
    this.#visit = { ...visit, plan };
    this.#plan = plan;
    this.#work = new PageWork(this.#visit);
  }

  async run(): Promise<EpochMs | undefined> {
    const { ports, budget, isPlanned, isPolled, since } = this.#visit;
    const { asks, trust, sampled, conclude } = this.#plan;
    const work = this.#work;
    const away = ports.urls.takeAway("polled", since, maxAway);
    work.reserveFor(away.length);
    // Pages that nobody has yet come first: they are worth more than a fresher copy.
    await this.#fetchNew();
    await work.fetch(this.#wanted("doubted"));
    // Whatever the plan or a list says of them, it was said of another time.
    await work.fetch(this.#wanted("unconfirmed"));
    const isBounded = isPlanned || Number.isFinite(budget);
    // A changed lastmod is the best sign of a change, until it proves to be none.
    const isBelieved = trust !== undefined && trust !== "false-alarms";
    if (isBounded) {
      if (isBelieved && Number.isFinite(budget))
        await this.#fetchChosen("hinted", () => chooseHinted(this.#visit, () => this.#candidates("hinted")));
      else await work.fetch(this.#wanted(isBelieved ? "hinted" : "unsettled"));
    }
    if (asks === "moved") {
      const isDoubtful = isBounded && trust === "false-alarms";
      if (isDoubtful) await this.#fetchPolls("moved");
      else await work.fetch(this.#wanted("moved"));
      if (sampled > 0) await work.fetch(ports.urls.sample(sampled, since).values());
      if (isPolled) await this.#fetchChosen("overdue", () => chooseOverdue(this.#visit));
    } else if (isPolled) {
      if (isBounded) await this.#fetchPolls("known");
      else await work.fetch(this.#wanted("known"));
    }
    await this.#fetchNew();
    work.reserveFor(0);
    await work.fetch(away.values());
    await this.#fetchNew();
    conclude?.();
    work.conclude();
    const { nextDueAt } = work.results;
    return asks === "all" && Number.isFinite(nextDueAt) ? nextDueAt : undefined;
  }

  /** URLs of a kind but those that have a turn of their own, and those for which there is no room. */
  *#wanted(choice: UrlChoice): Generator<TrackedUrl, void, void> {
    for (const url of readUrlsAtHand(this.#visit, choice)) if (!this.#work.isOneTooMany(url)) yield url;
  }

  *#candidates(choice: CandidateChoice): Generator<PollCandidate, void, void> {
    for (const url of readCandidates(this.#visit, choice)) if (url.isHeld || !this.#work.lacksRoomFor(url)) yield url;
  }

  async #fetchPolls(choice: "known" | "moved"): Promise<void> {
    await this.#fetchChosen(choice, () => choosePolls(this.#visit, () => this.#candidates(choice)));
  }

  /** Requests what the visit before chose and did not come to, if this one goes on with it; and what is chosen now, if that was all. */
  async #fetchChosen(kind: ChoiceKind, choose: () => Promise<ChosenPaths>): Promise<void> {
    const { leftPolls, ports, origin, progress } = this.#visit;
    const now = ports.timing.now();
    // Which pages nobody asked for in a long time does not depend on lists.
    const left = leftPolls?.read(origin, kind, now, kind === "overdue" ? 0 : progress.listsReadAt);
    if (left !== undefined) {
      // By now somebody else may have asked for them.
      const isLeft = (url: TrackedUrl): boolean => !isAway(url) && !wasAskedSince(url, left.chosenAt);
      const paths = await this.#fetchPaths(left.paths, isLeft);
      this.#keepLeft(kind, { ...left, paths });
      // None were left before: who chose found no more.
      if (left.paths.length === 0 || paths.length > 0 || !this.#work.mayGoOn())
        return this.#work.results.noteDue(left.nextDueAt);
    }
    const chosen = await choose();
    this.#work.results.noteDue(chosen.nextDueAt);
    const paths = await this.#fetchPaths(chosen.paths);
    this.#keepLeft(kind, { ...chosen, paths, chosenAt: now });
  }

  /** Where the budget bounded a choice, that nothing is left of it does not say that nothing more is due. */
  #keepLeft(kind: ChoiceKind, left: LeftChoice): void {
    const { leftPolls, origin, tally, budget } = this.#visit;
    if (left.paths.length > 0 || tally.pageRequests < budget) leftPolls?.keep(origin, kind, left);
    else leftPolls?.forget(origin, kind);
  }

  /** @returns those that it did not come to */
  async #fetchPaths(
    paths: readonly string[],
    isLeft: (url: TrackedUrl) => boolean = () => true,
  ): Promise<readonly string[]> {
    const { urls } = this.#visit.ports;
    let taken = 0;
    this.#work.takeUntouched();
    await this.#work.run(() => {
      while (taken < paths.length) {
        const url = urls.find(paths[taken++] as string);
        if (url !== undefined && isLeft(url)) return url;
      }
      return undefined;
    });
    return [...this.#work.takeUntouched(), ...paths.slice(taken)];
  }

  /** Requests new URLs, and those that they lead to, until nothing new is found. */
  async #fetchNew(): Promise<void> {
    const { order } = this.#visit;
    const isFull = (): boolean => this.#work.isFull();
    if (order === "partial" || order === "random") {
      const ordered = new OrderedUrls(this.#visit, this.#work, order === "partial" ? "ranked" : "random");
      await this.#repeat(() =>
        this.#work.run(
          () => (isFull() ? undefined : ordered.next()),
          (url) => ordered.end(url),
        ),
      );
    }
    await this.#repeat(() => this.#work.fetch(this.#wanted("new"), isFull));
  }

  async #repeat(act: () => Promise<void>): Promise<void> {
    const { results } = this.#work;
    for (let before = -1; results.done !== before && this.#work.mayGoOn() && !this.#work.isFull(); ) {
      before = results.done;
      await act();
    }
  }
}

/**
 * Polls the pages of a site that does not publish its changes, each at most once a visit.
 *
 * @returns when the first of them is due again; undefined if that was not planned, as where a list tells what changed
 */
export async function doPollWork(visit: CrawlVisit, plan: PollPlan): Promise<EpochMs | undefined> {
  return await new PollWork(visit, plan).run();
}
