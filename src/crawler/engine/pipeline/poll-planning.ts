import type { EpochSeconds, PollCandidate, SiteMemory, TrackedUrl, Validators } from "../../../core/index.ts";
import { parseHttpDate } from "../../../formats/http/index.ts";
import { parseW3cDate } from "../../../formats/time/index.ts";
import type { CrawlVisit } from "../discovery/crawl-visit.ts";
import {
  type ChangeHistory,
  defaultPrior,
  minRate,
  observe,
  type RatePrior,
  rateOf,
  SitePrior,
} from "../revisit/change-rate.ts";
import type { PollChooser } from "../revisit/poll-choosers.ts";
import { isIntervalOver, leastIntervalShare, pollPolicy } from "../revisit/poll-policy.ts";
import { BestItems, maxPlannedPolls } from "../revisit/poll-selection.ts";
import { RateTally } from "../revisit/rate-buckets.ts";
import { evidenceSize, observeRate } from "../revisit/rate-grid.ts";
import { planSharedPoll } from "../revisit/shared-polls.ts";
import { meanHazard, noLearning, readLearning, type SiteLearning } from "../revisit/site-learning.ts";
import type { ChosenPaths } from "../visit/left-polls.ts";
import { readCandidates } from "./due-urls.ts";
import { createChooser, type SeenAnswer } from "./poll-chooser.ts";

/** The numbers of a history in the order in which they are kept; a new one goes to the end. */
const fields = [
  "visits",
  "changes",
  "changedSeconds",
  "changedSquares",
  "datedChanges",
  "quietSeconds",
  "falseDates",
] as const satisfies readonly (keyof ChangeHistory)[];

/** A history from the numbers that are kept of it. Written out: of all known pages of a site this is asked at each visit. */
export function readHistory(numbers: readonly number[]): ChangeHistory {
  return {
    visits: numbers[0] ?? 0,
    changes: numbers[1] ?? 0,
    changedSeconds: numbers[2] ?? 0,
    changedSquares: numbers[3] ?? 0,
    datedChanges: numbers[4] ?? 0,
    quietSeconds: numbers[5] ?? 0,
    falseDates: numbers[6] ?? 0,
    evidence: numbers.length === fields.length + evidenceSize ? numbers.slice(fields.length) : undefined,
  };
}

/** The numbers of a history, to be kept. */
export function numbersOf(history: ChangeHistory): readonly number[] {
  return [...fields.map((field) => history[field]), ...(history.evidence ?? [])];
}

/** When a page says that it last changed, in seconds; undefined if it does not. */
export function modifiedAtOf({ lastModified }: Validators, now: EpochSeconds): number | undefined {
  const modifiedMs = lastModified === undefined ? undefined : parseHttpDate(lastModified, now * 1000);
  return modifiedMs === undefined ? undefined : modifiedMs / 1000;
}

/**
 * How a page changed, this answer included, as numbers to be kept.
 *
 * @param hazardPerSecond - how often rates of the site become others, by {@link readHazard}
 */
export function historyAfter(
  { askedAt, held, history }: TrackedUrl,
  { now, hasChanged, modifiedAt }: SeenAnswer,
  hazardPerSecond: number,
): readonly number[] {
  if (askedAt === undefined || held === undefined) return history;
  const observation = {
    intervalSeconds: now - askedAt,
    changed: hasChanged,
    ...(modifiedAt === undefined ? {} : { lastModifiedAgeSeconds: now - modifiedAt }),
  };
  return numbersOf(observeRate(readHistory(history), observation, hazardPerSecond));
}

/** What is thought of a site's pages before they are asked for again: by what its others did, as far as that is known. */
export function readPrior(memory: Pick<SiteMemory, "readSource">): RatePrior {
  const seconds = Number((memory.readSource("rates") as { readonly seconds?: unknown } | undefined)?.seconds);
  return seconds >= 1 && seconds <= 1 / minRate ? { ...defaultPrior, seconds } : defaultPrior;
}

/** How often the rates of a site's pages become others, a second. */
export function readHazard(memory: Pick<SiteMemory, "readSource">): number {
  return meanHazard(readLearning(memory.readSource("rates")).scores ?? []);
}

/** What is known of how the site's pages change, beside the prior: also where this visit's planner has no use for it. */
function keptLearning(memory: SiteMemory, { learning }: PollChooser): SiteLearning | undefined {
  const kept = learning ?? readLearning(memory.readSource("rates"));
  return kept === noLearning ? undefined : kept;
}

/** So many are looked at before others may do something. */
const lookedAtAtOnce = 1000;

/** Looks at URLs, a part at a time. */
async function lookAtEach(
  visit: CrawlVisit,
  urls: Iterable<PollCandidate>,
  look: (url: PollCandidate, history: ChangeHistory) => void,
): Promise<number> {
  let looked = 0;
  for (const url of urls) {
    look(url, readHistory(url.history));
    if (++looked % lookedAtAtOnce === 0) await visit.ports.timing.delay(0, visit.signal);
  }
  return looked;
}

/**
 * Chooses which of a site's pages are worth a request: by the visit's planner under its budget, and without one
 * those that have probably changed, or whose interval is over.
 *
 * @param urls - all that were requested before, in any order; a planner that divides a budget looks at them twice
 */
export async function choosePolls(visit: CrawlVisit, urls: () => Iterable<PollCandidate>): Promise<ChosenPaths> {
  const { budget, tally, planner, weightOf = () => 1, origin } = visit;
  const { timing, memory } = visit.ports;
  const prior = readPrior(memory);
  const fit = new SitePrior(prior);
  const left = budget - tally.pageRequests;
  const options = { planner, now: timing.now(), budget: Number.isFinite(left) ? Math.max(0, left) : undefined, memory };
  const chooser = await createChooser(options, async () => {
    const rates = new RateTally();
    await lookAtEach(visit, urls(), (_, history) => rates.add(rateOf(history, prior)));
    return rates;
  });
  const looked = await lookAtEach(visit, urls(), ({ path, askedAt, checkedAt = 0, interval }, history) => {
    // What another crawler has just found unchanged is worth no request of ours yet.
    const polledAt =
      askedAt === undefined
        ? undefined
        : planSharedPoll(path, Math.max(askedAt, checkedAt) * 1000, options.now, visit.sharingSeed);
    const weight = weightOf(origin + path);
    chooser.add({ path, polledAt, weight, ratePerSecond: fit.add(history), history, interval });
  });
  const { polls, nextDueAt } = chooser.finish();
  if (looked > 0) memory.rememberSource("rates", { ...keptLearning(memory, chooser), seconds: fit.prior.seconds });
  return { paths: pathsOf(polls), nextDueAt };
}

interface Hint {
  readonly path: string;
  readonly value: number;
}

const compareHints = (a: Hint, b: Hint): number =>
  a.value === b.value ? (a.path < b.path ? -1 : 1) : b.value - a.value;

/**
 * Chooses among the pages of which a list says that they changed, where a budget may not do for all: those that are likely to stay
 * fresh for longest, by their weight. A page that changes with each look is not worth what one is that changes once a month.
 * What was refused or missing is worth less with each attempt, so that it keeps no other page waiting for ever.
 */
export async function chooseHinted(visit: CrawlVisit, urls: () => Iterable<PollCandidate>): Promise<ChosenPaths> {
  const { budget, tally, weightOf = () => 1, origin } = visit;
  const { timing, memory } = visit.ports;
  const prior = readPrior(memory);
  const now = Math.floor(timing.now() / 1000);
  const best = new BestItems<Hint>(Math.min(maxPlannedPolls, Math.max(0, budget - tally.pageRequests)), compareHints);
  await lookAtEach(visit, urls(), ({ path, lastmod, askedAt = now, postponed }, history) => {
    const modifiedAt = timeOfLastmod(lastmod);
    const seen = {
      intervalSeconds: now - askedAt,
      changed: true,
      ...(modifiedAt === undefined ? {} : { lastModifiedAgeSeconds: now - modifiedAt }),
    };
    const attempts = Math.max(1, postponed?.attempts ?? 1);
    best.add({ path, value: weightOf(origin + path) / rateOf(observe(history, seen), prior) / attempts });
  });
  return { paths: pathsOf(best.sorted()), nextDueAt: undefined };
}

/**
 * Chooses the pages that were last found out about a longest interval ago, also by another crawler: where a list is believed,
 * nothing else may ever call for them. Those of the longest ago come first. The cost is that of looking at all known URLs.
 */
export async function chooseOverdue(visit: CrawlVisit): Promise<ChosenPaths> {
  const { budget, tally, since } = visit;
  const best = new BestItems<Hint>(Math.min(maxPlannedPolls, Math.max(0, budget - tally.pageRequests)), compareHints);
  // None is overdue sooner.
  const earlier = { ...visit, since: since - Math.floor(pollPolicy.maxIntervalSeconds * leastIntervalShare) };
  await lookAtEach(visit, readCandidates(earlier, "known"), ({ path, askedAt, checkedAt = 0 }) => {
    const knownAt = Math.max(askedAt ?? since, checkedAt);
    if (isIntervalOver(path, knownAt * 1000, since * 1000)) best.add({ path, value: since - knownAt });
  });
  return { paths: pathsOf(best.sorted()), nextDueAt: undefined };
}

/** When a page last changed by a list's `lastmod`, in seconds; undefined if it is no time, but a day or less. */
export function timeOfLastmod(lastmod: string | undefined): EpochSeconds | undefined {
  return lastmod === undefined || lastmod.length <= "2026-01-01".length ? undefined : parseW3cDate(lastmod);
}

function pathsOf(polls: readonly { readonly path: string }[]): readonly string[] {
  return polls.map(({ path }) => path);
}
