import type { EpochMs, EpochSeconds, KeptInterval, SiteMemory, TrackedUrl } from "../../../core/index.ts";
import { LearningChooser } from "../revisit/learning-chooser.ts";
import { DueChoice, type PollChooser, PollPlanner } from "../revisit/poll-choosers.ts";
import { type PollPlannerName, pollPlannerOf } from "../revisit/poll-planners.ts";
import { type BudgetPace, dueAfterSeconds, paceAfter, pollPolicy } from "../revisit/poll-policy.ts";
import { planByPrice } from "../revisit/price-search.ts";
import type { RateTally } from "../revisit/rate-buckets.ts";
import { readLearning } from "../revisit/site-learning.ts";

/** For which instant, budget and planner pages are chosen. */
export interface ChoiceOptions {
  readonly planner: PollPlannerName;
  readonly now: EpochMs;
  /** Requests; undefined for no budget. */
  readonly budget: number | undefined;
  readonly memory: SiteMemory;
}

/** A rate that is next to none, so that a budget of nothing is a budget. */
const leastPerSecond = 1e-9;

function readPace(memory: SiteMemory): BudgetPace | undefined {
  const { at, perSecond, isGuess } = (memory.readSource("pace") ?? {}) as Record<string, unknown>;
  if (typeof at !== "number" || typeof perSecond !== "number") return undefined;
  return at >= 0 && perSecond >= 0 ? { at, perSecond, isGuess: isGuess === true } : undefined;
}

/**
 * Makes what chooses the pages of a visit. Which one is the crawler's own is said here and nowhere else.
 *
 * @param countRates - counts how often the pages change among which will be chosen; called where the planner divides a budget
 */
export async function createChooser(
  { planner, now, budget, memory }: ChoiceOptions,
  countRates: () => Promise<RateTally>,
): Promise<PollChooser> {
  const kind = pollPlannerOf(planner);
  if (kind.kind === "index" || (kind.kind === "beliefs" && budget === undefined))
    return new PollPlanner({ now, budget });
  if (kind.kind === "intervals") {
    const { rule } = kind;
    const waitOf = ({ interval }: { readonly interval?: KeptInterval | undefined }): number =>
      interval?.rule === rule.name ? interval.waitSeconds : rule.firstSeconds;
    return new DueChoice({ now, budget, waitOf, isEager: false });
  }
  const pace = paceAfter(readPace(memory), now, budget ?? 0);
  memory.rememberSource("pace", pace);
  if (kind.kind === "beliefs") {
    const learning = readLearning(memory.readSource("rates"));
    return new LearningChooser({ now, budget: budget ?? 0, perSecond: pace.perSecond, learning });
  }
  const rates = await countRates();
  const { pollsPerSecond } = planByPrice(kind.curve, rates.rows(), Math.max(leastPerSecond, pace.perSecond));
  const waitOf = ({ ratePerSecond }: { readonly ratePerSecond: number }): number =>
    1 / (pollsPerSecond[rates.rowOf(ratePerSecond)] ?? 0);
  return new DueChoice({ now, budget, waitOf, isEager: true });
}

/** What an answer for a page that was known before says. */
export interface SeenAnswer {
  readonly now: EpochSeconds;
  readonly hasChanged: boolean;
  /** When the page says that it last changed, in seconds. */
  readonly modifiedAt: number | undefined;
}

/** What a page's answer means to a planner that steps intervals; undefined for all others, and where it says nothing. */
export function intervalAfter(
  planner: PollPlannerName,
  { askedAt, held, interval, id }: TrackedUrl,
  { now, hasChanged, modifiedAt }: SeenAnswer,
): KeptInterval | undefined {
  const kind = pollPlannerOf(planner);
  if (kind.kind !== "intervals" || askedAt === undefined || held === undefined) return undefined;
  const { rule } = kind;
  const before = interval?.rule === rule.name ? interval.intervalSeconds : rule.firstSeconds;
  const adapted = rule.adapt(before, {
    page: id,
    atSeconds: now,
    intervalSeconds: now - askedAt,
    changed: hasChanged,
    modifiedAtSeconds: modifiedAt,
  });
  return { rule: rule.name, ...adapted };
}

/**
 * When a page is due that was answered for now, by the same planner; undefined where that depends on all other pages.
 *
 * @param ratePerSecond - what is thought of it now
 * @param interval - what is kept of it now
 */
export function dueAfterAnswer(
  planner: PollPlannerName,
  now: EpochSeconds,
  ratePerSecond: () => number,
  interval: KeptInterval | undefined,
): EpochMs | undefined {
  const kind = pollPlannerOf(planner);
  if (kind.kind === "rates") return undefined;
  if (kind.kind === "intervals") {
    const wait = interval?.rule === kind.rule.name ? interval.waitSeconds : kind.rule.firstSeconds;
    return (now + wait) * 1000;
  }
  const { minChangeProbability } = pollPolicy;
  return (now + dueAfterSeconds(ratePerSecond(), minChangeProbability)) * 1000;
}
