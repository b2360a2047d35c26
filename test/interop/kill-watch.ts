import { setTimeout as wait } from "node:timers/promises";
import { checkSite, exportOptions, type KillOptions, type KillReport, withTrial } from "./kill.ts";
import { BrokenSetError } from "./published-set.ts";
import type { ServedSite } from "./served-site.ts";
import { WatchingExporter } from "./watching-exporter.ts";

const settleMs = 100;
/** How often the site changes while it is watched: now within the settle time, now after it. */
const longestPauseMs = 400;
/** Of the pages, a change. */
const share = 0.005;
/** Publications that a watch may have made before it is killed. */
const roundsWithinReach = 4;

function startWatch({ docroot, url, state }: ServedSite): WatchingExporter {
  return new WatchingExporter({ docroot, url, state, options: ["--settle", `${settleMs}ms`, ...exportOptions] });
}

async function measureRound(site: ServedSite): Promise<number> {
  await using exporter = startWatch(site);
  await exporter.nextRound("the first round");
  return performance.now() - exporter.startedMs;
}

/** Lets the site change at random instants until so long has passed. */
async function keepChanging(site: ServedSite, forMs: number): Promise<void> {
  const endMs = performance.now() + forMs;
  for (let leftMs = forMs; leftMs > 0; leftMs = endMs - performance.now()) {
    await wait(Math.min(leftMs, site.random.next() * longestPauseMs));
    if (performance.now() < endMs) site.change(share);
  }
}

/** Starts a last watch, changes what it watches, and waits until it has published all of it. */
async function checkLastWatch(site: ServedSite): Promise<void> {
  await using exporter = startWatch(site);
  await exporter.nextRound("the first round after the kills");
  await checkSite(site);
  const round = exporter.nextRound("the last change");
  site.change(share);
  await round;
  // What was written between two rounds is in the second.
  for (let left = 5; left > 0; left--) {
    const next = exporter.nextRound("what the last round left");
    next.catch(() => {});
    try {
      await checkSite(site);
      break;
    } catch (error) {
      if (error instanceof BrokenSetError || left === 1) throw error;
      await next;
    }
  }
  const exitCode = await exporter.stop();
  if (exitCode !== 0) throw new Error(`the watch ended with ${exitCode}: ${exporter.describe()}`);
  const { summary } = await site.export(...exportOptions);
  if (summary.published) throw new Error(`the watch missed what a scan finds: ${JSON.stringify(summary)}`);
}

/**
 * Kills a watching exporter at random instants while the site changes, and starts it again, with a reader beside
 * it all the time.
 *
 * @returns what was done, once all promises were seen kept
 * @throws with the promise that was broken
 */
export async function killWatches(options: KillOptions): Promise<KillReport> {
  return await withTrial(options, async (site) => {
    const withinMs = (await measureRound(site)) + roundsWithinReach * (settleMs + longestPauseMs);
    for (let killed = 1; killed <= options.times; killed++) {
      await using exporter = startWatch(site);
      await keepChanging(site, site.random.next() * withinMs);
      await exporter.kill();
      const own = exporter.endedByItself;
      if (own !== undefined) throw new Error(`the watch ended by itself: ${own}`);
      if (killed % 20 === 0) options.onProgress?.(`killed ${killed}`);
    }
    await checkLastWatch(site);
    return { killed: options.times, finished: 0, withinMs };
  });
}
