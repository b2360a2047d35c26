import { type ChangeHistory, noHistory } from "../../src/crawler/engine/revisit/change-rate.ts";
import { LearningChooser } from "../../src/crawler/engine/revisit/learning-chooser.ts";
import { observeRate } from "../../src/crawler/engine/revisit/rate-grid.ts";
import { meanHazard, noLearning, type SiteLearning } from "../../src/crawler/engine/revisit/site-learning.ts";
import type {
  KnownPages,
  SeenVisit,
  VisitPlan,
  VisitPlanner,
  VisitWindow,
} from "../../src/crawler/engine/revisit/visit-schedule.ts";

/** What the crawler does by itself, once a window: it keeps of a page what its store keeps. Weights, signals and limits are not listened to. */
export class CrawlerPlanner implements VisitPlanner {
  readonly name = "default";
  readonly #histories: ChangeHistory[] = [];
  #learning: SiteLearning = noLearning;

  note({ page, intervalSeconds, changed }: SeenVisit): void {
    const history = this.#histories[page] ?? noHistory;
    this.#histories[page] = observeRate(history, { intervalSeconds, changed }, meanHazard(this.#learning.scores ?? []));
  }

  plan({ polledAtSeconds }: KnownPages, { fromSeconds, seconds, visits }: VisitWindow): VisitPlan {
    const now = Math.round((fromSeconds + seconds / 2) * 1000);
    const chooser = new LearningChooser({ now, budget: visits, perSecond: visits / seconds, learning: this.#learning });
    for (let page = 0; page < polledAtSeconds.length; page++) {
      const at = polledAtSeconds[page] ?? Number.NaN;
      chooser.add({
        // As long as all others, so that pages go by their numbers.
        path: String(page).padStart(10, "0"),
        polledAt: Number.isNaN(at) ? undefined : at * 1000,
        history: this.#histories[page] ?? noHistory,
      });
    }
    const { polls } = chooser.finish();
    // The window's visits are on both sides of the instant that it is planned for.
    this.#learning = { ...chooser.learning, scoredAt: fromSeconds * 1000 };
    return {
      pages: Uint32Array.from(polls, ({ path }) => Number(path)),
      atSeconds: Float64Array.from(polls, (_, slot) => fromSeconds + ((slot + 0.5) * seconds) / visits),
    };
  }
}
