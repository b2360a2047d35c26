import { type FollowSitesOptions, type FollowSummary, followSitesBy } from "../../src/crawler/follow/follow-sites.ts";
import { openMemoryStore } from "../../src/storage/state/store.ts";
import { createVirtualFetcher, type VirtualWeb } from "./virtual-fetcher.ts";
import { VirtualTime } from "./virtual-time.ts";

/** What is followed in virtual time, and how. */
export interface VirtualRunOptions
  extends Omit<FollowSitesOptions, "into" | "stateFile" | "isForever" | "clock" | "delay" | "random" | "signal">,
    Pick<VirtualWeb, "hosts" | "answerMs" | "onAsk" | "onRequest"> {
  /** When it begins, and for how long it goes on, in milliseconds. */
  readonly start: number;
  readonly durationMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Of nothing but files that do not fit into memory. */
  readonly into: string;
  /** Is given the clock before anything begins. */
  readonly onClock?: (time: VirtualTime) => void;
}

/** Microtasks come first: what is under way and waits for no clock has then gone as far as it can. */
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Follows the sites of a web in memory with the loop of production, for as long as is said, in virtual time. What keeps bodies on a
 * disk is not for this: time would not wait for it. The same seed gives the same run.
 *
 * @throws as `followSites`
 */
export async function followVirtually(options: VirtualRunOptions): Promise<FollowSummary> {
  const { hosts, start, durationMs, answerMs, random, into, onAsk, onRequest, onClock, ...follow } = options;
  const time = new VirtualTime(start, idle);
  onClock?.(time);
  const web: VirtualWeb = { hosts, time, answerMs, onAsk, onRequest };
  using store = openMemoryStore(into);
  const stop = new AbortController();
  const { now: clock, delay } = time;
  const following = followSitesBy(
    { store, createFetcher: () => createVirtualFetcher(web) },
    { ...follow, into, clock, delay, random, signal: stop.signal },
  );
  void following.catch(() => time.end());
  await time.run(start + durationMs);
  stop.abort();
  // What is under way comes in.
  void following.finally(() => time.end()).catch(() => undefined);
  await time.run(Number.POSITIVE_INFINITY);
  return await following;
}
