import {
  type ChangeHistory,
  defaultPrior,
  noHistory,
  observe,
  type RatePrior,
  rateOf,
  SitePrior,
} from "../../../src/crawler/engine/revisit/change-rate.ts";
import { LearningChooser } from "../../../src/crawler/engine/revisit/learning-chooser.ts";
import { planPolls } from "../../../src/crawler/engine/revisit/poll-choosers.ts";
import { noLearning, type SiteLearning } from "../../../src/crawler/engine/revisit/site-learning.ts";
import type { Poller, TrialPoll, TrialSite } from "./polled-site.ts";

const daySeconds = 86_400;

/** Pages never polled first, then those polled longest ago: every page as often as every other. */
export function createRoundRobin(): Poller {
  return {
    name: "uniform",
    choose: (_now, live, polledAt, budget) =>
      [...live].sort((a, b) => (polledAt[a] || 0) - (polledAt[b] || 0) || a - b).slice(0, budget),
    note: () => undefined,
  };
}

/** The room's plan, with rates that someone else tells. */
function createPlanned(name: string, site: TrialSite, rates: Float64Array, note: Poller["note"]): Poller {
  const places = new Map(site.pages.map(({ path }, at) => [path, at]));
  return {
    name,
    choose: (now, live, polledAt, budget) => {
      const pages = live.map((at) => {
        const polled = polledAt[at] ?? Number.NaN;
        return {
          path: site.pages[at]?.path ?? "",
          polledAt: Number.isNaN(polled) ? undefined : polled * 1000,
          ratePerSecond: rates[at] ?? 0,
        };
      });
      return planPolls(pages, { now: now * 1000, budget }).polls.map(({ path }) => places.get(path) ?? -1);
    },
    note,
  };
}

/** The room's plan with rates estimated from the polls, and a prior fitted to the site every 30 days. */
export function createEstimating(site: TrialSite, options: { dated: boolean }): Poller {
  const count = site.pages.length;
  const rates = new Float64Array(count).fill(rateOf(noHistory, defaultPrior));
  const histories: ChangeHistory[] = new Array(count).fill(noHistory);
  let prior: RatePrior = defaultPrior;
  let fitAt = 0;
  const note = (at: number, { intervalSeconds, changed, lastModifiedAgeSeconds }: TrialPoll): void => {
    if (intervalSeconds === undefined) return;
    const age = options.dated ? lastModifiedAgeSeconds : undefined;
    const history = observe(histories[at] ?? noHistory, {
      intervalSeconds,
      changed,
      lastModifiedAgeSeconds: age,
    });
    histories[at] = history;
    rates[at] = rateOf(history, prior);
  };
  const planned = createPlanned(`index, estimated${options.dated ? " with dates" : ""}`, site, rates, note);
  const choose: Poller["choose"] = (now, live, polledAt, budget) => {
    if (now >= fitAt) {
      const fit = new SitePrior(prior);
      for (const at of live) fit.add(histories[at] ?? noHistory);
      prior = fit.prior;
      for (const at of live) rates[at] = rateOf(histories[at] ?? noHistory, prior);
      fitAt = now + 30 * daySeconds;
    }
    return planned.choose(now, live, polledAt, budget);
  };
  return { name: planned.name, choose, note };
}

/** What the crawler does by itself: rates are believed, and learned from all pages each day. */
export function createLearning(site: TrialSite, options: { dated: boolean }): Poller {
  const places = new Map(site.pages.map(({ path }, at) => [path, at]));
  const histories: ChangeHistory[] = new Array(site.pages.length).fill(noHistory);
  let learning: SiteLearning = noLearning;
  return {
    name: `learned${options.dated ? " with dates" : ""}`,
    choose: (now, live, polledAt, budget) => {
      const perSecond = budget / daySeconds;
      const chooser = new LearningChooser({ now: now * 1000, budget, perSecond, learning });
      for (const at of live) {
        const polled = polledAt[at] ?? Number.NaN;
        chooser.add({
          path: site.pages[at]?.path ?? "",
          polledAt: Number.isNaN(polled) ? undefined : polled * 1000,
          history: histories[at] ?? noHistory,
        });
      }
      const { polls } = chooser.finish();
      learning = chooser.learning;
      return polls.map(({ path }) => places.get(path) ?? -1);
    },
    note: (at, { intervalSeconds, changed, lastModifiedAgeSeconds }) => {
      if (intervalSeconds === undefined) return;
      const age = options.dated ? lastModifiedAgeSeconds : undefined;
      histories[at] = observe(histories[at] ?? noHistory, { intervalSeconds, changed, lastModifiedAgeSeconds: age });
    },
  };
}

/** The room's plan with each page's mean rate over the whole trial, which nobody can know. */
export function createKnowing(site: TrialSite): Poller {
  const rates = site.pages.map(({ bornAt, goneAt, changes }) => {
    const from = Math.max(site.from, bornAt);
    const seconds = Math.min(site.until, goneAt) - from;
    const seen = changes.filter((time) => time > from && time <= site.until).length;
    return seconds > 0 ? seen / seconds : 0;
  });
  return createPlanned("index, known rates", site, Float64Array.from(rates), () => undefined);
}

/** Intervals that halve after a change and grow by half after none, from a day, up to 14 days: StormCrawler's defaults. */
export function createAdaptive(site: TrialSite): Poller {
  const intervals = new Float64Array(site.pages.length).fill(daySeconds);
  return {
    name: "adaptive",
    choose: (now, live, polledAt, budget) => {
      const dueAt = (at: number): number => (polledAt[at] || 0) + (intervals[at] ?? 0);
      return live
        .filter((at) => dueAt(at) <= now)
        .sort((a, b) => dueAt(a) - dueAt(b) || a - b)
        .slice(0, budget);
    },
    note: (at, { intervalSeconds, changed }) => {
      if (intervalSeconds === undefined) return;
      const interval = intervals[at] ?? daySeconds;
      intervals[at] = changed ? Math.max(3600, interval / 2 + 1800) : Math.min(14 * daySeconds, interval * 1.5);
    },
  };
}
