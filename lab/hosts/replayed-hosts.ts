import { createRandom, type Random } from "../../src/core/random.ts";
import type { EpochSeconds } from "../../src/core/time.ts";
import { daySeconds } from "../brandman/history-days.ts";
import type { HistoryEvent } from "../experiment/ports.ts";
import { HostServer } from "./host-server.ts";
import { PageCourse } from "./page-course.ts";
import { noLists } from "./sitemap-lists.ts";
import type { HostPorts } from "./virtual-host.ts";

/** Which sites are made of a real history. */
export interface ReplayShape {
  /** A whole number; the same sites for the same. */
  readonly seed: number;
  readonly origins: readonly string[];
  /** When all of them begin. */
  readonly from: EpochSeconds;
  readonly days: number;
  /** Pages of each, beside its home page; fewer where the history has fewer. */
  readonly pages: number;
}

/** When each version of each path came to be, in the order of the history; of a path that went the times begin anew. */
class Courses {
  readonly #times = new Map<string, number[]>();
  /** Of paths that are there: since when. */
  readonly #since = new Map<string, EpochSeconds>();
  readonly #goneAt = new Map<string, EpochSeconds[]>();

  constructor(events: readonly HistoryEvent[]) {
    for (const { time, path, sizeBytes } of events) {
      if (sizeBytes === undefined) {
        this.#since.delete(path);
        const gone = this.#goneAt.get(path) ?? [];
        gone.push(time);
        this.#goneAt.set(path, gone);
        continue;
      }
      if (!this.#since.has(path)) this.#since.set(path, time);
      const times = this.#times.get(path) ?? [];
      // Of what happened in one second the last holds.
      if (times.at(-1) !== time) times.push(time);
      this.#times.set(path, times);
    }
  }

  /** Paths that are there all the time, in their order. */
  thereFrom(from: EpochSeconds, to: EpochSeconds): string[] {
    const paths: string[] = [];
    for (const [path, times] of this.#times) {
      const first = times[0] ?? Number.POSITIVE_INFINITY;
      const isGone = (this.#goneAt.get(path) ?? []).some((time) => time >= from && time < to);
      const lastBefore = this.#lastBefore(times, from);
      const wentBefore = (this.#goneAt.get(path) ?? []).some((time) => time < from && time >= lastBefore);
      if (first < from && !isGone && !wentBefore) paths.push(path);
    }
    return paths.sort();
  }

  /** Versions from the one that is served at `from` on, moved by so many seconds. */
  courseOf(path: string, from: EpochSeconds, to: EpochSeconds, bySeconds: number): Float64Array {
    const times = this.#times.get(path) ?? [];
    const lastBefore = this.#lastBefore(times, from);
    return Float64Array.from(times.filter((time) => time >= lastBefore && time < to).map((time) => time + bySeconds));
  }

  #lastBefore(times: readonly EpochSeconds[], from: EpochSeconds): EpochSeconds {
    return times.findLast((time) => time < from) ?? Number.NEGATIVE_INFINITY;
  }
}

function sample(paths: string[], count: number, random: Random): string[] {
  for (let at = 0; at < Math.min(count, paths.length); at++) {
    const other = at + Math.floor(random() * (paths.length - at));
    [paths[at], paths[other]] = [paths[other] as string, paths[at] as string];
  }
  return paths.slice(0, count).sort();
}

/**
 * Makes sites that publish nothing but links of a real history: each of some of its pages, as they changed in a part of it. The parts
 * are spread evenly over the history; only pages are taken that are there all the time, so that a home page which names
 * them stays as it is.
 *
 * @param events - in the order of their times
 */
export function replayHosts(
  shape: ReplayShape,
  events: readonly HistoryEvent[],
  ports: HostPorts,
): ReadonlyMap<string, HostServer> {
  const { seed, origins, from, days, pages } = shape;
  const courses = new Courses(events);
  const seconds = days * daySeconds;
  const begin = events[0]?.time ?? 0;
  const end = (events.at(-1)?.time ?? 0) - seconds;
  const hosts = new Map<string, HostServer>();
  for (const [site, origin] of origins.entries()) {
    const at = begin + ((end - begin) * (site + 1)) / (origins.length + 1);
    const random = createRandom(seed, "replayed host", site);
    const paths = sample(courses.thereFrom(at, at + seconds), pages, random);
    const bySeconds = Math.round(from - at);
    const plan = paths.map(
      (path, number) => new PageCourse(`/page-${number}.html`, courses.courseOf(path, at, at + seconds, bySeconds)),
    );
    const home = new PageCourse("/", Float64Array.of(from - 365 * daySeconds));
    const lists = noLists;
    hosts.set(
      origin,
      new HostServer({ origin, kind: "links", pages: [home, ...plan], lists, trouble: undefined }, ports),
    );
  }
  return hosts;
}
