import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { KnownPublications, LookBounds } from "../../../../src/core/site-record.ts";
import { learnPublications, planLook } from "../../../../src/crawler/engine/revisit/publication-rhythm.ts";
import { fewer } from "../../../long-run.ts";
import { fc } from "../../../property.ts";
import { repositoryFolder } from "../../../repository-folder.ts";

const hour = 3600;
const day = 24 * hour;
const bounds: LookBounds = { leastMs: 60_000, mostMs: day * 1000 };

interface Following {
  readonly looks: number;
  readonly publications: number;
  /** Share of time in which nothing was published that was not seen. */
  readonly freshness: number;
}

/** When to look next, by what is known, and now. */
type Plan = (known: KnownPublications, now: number) => number;

/**
 * Follows publications by a plan from the moment on when the first of them are out. What is published is served a few
 * seconds later.
 *
 * @param skewSeconds - by how much the site's clock is ahead of ours
 */
function follow(times: readonly number[], plan: Plan, skewSeconds = 0, afterMs = 5000): Following {
  const start = (times[told - 1] ?? 0) * 1000 + afterMs;
  const end = (times.at(-1) ?? 0) * 1000;
  const servedAt = (index: number): number => (times[index] ?? Number.POSITIVE_INFINITY) * 1000 + 3000;
  let known: KnownPublications | undefined;
  let missedAt: number | undefined;
  let next = 0;
  let looks = 0;
  let staleMs = 0;
  for (let now = start; now < end; looks++) {
    if (known !== undefined && servedAt(next) <= now) staleMs += now - servedAt(next);
    while (servedAt(next) <= now) next++;
    const list = times.slice(Math.max(0, next - told), next).map((time) => time + skewSeconds);
    known = learnPublications(known, list, { seenAt: now, missedAt });
    missedAt = now;
    const at = plan(known, now);
    assert.ok(at >= now + bounds.leastMs && at <= now + bounds.mostMs, "within the bounds");
    now = at;
  }
  return { looks, publications: times.length - told, freshness: 1 - staleMs / (end - start) };
}

const told = 17;
const byRhythm: Plan = (known, now) => planLook(known, now, bounds);

/** As fresh as looks at equal intervals are, as many of them, at whatever instant the first of them is. */
function freshByEqual(times: readonly number[], looks: number): number {
  const first = times[told - 1] ?? 0;
  const everyMs = (((times.at(-1) ?? 0) - first) * 1000) / looks;
  const intervalMs = Math.min(bounds.mostMs, Math.max(bounds.leastMs, everyMs));
  const phases = Array.from({ length: 10 }, (_, at) => {
    return follow(times, (_known, now) => now + intervalMs, 0, ((at + 0.5) / 10) * intervalMs).freshness;
  });
  return phases.reduce((sum, freshness) => sum + freshness, 0) / phases.length;
}

const start = Date.UTC(2026, 0, 5, 0, 0, 0) / 1000;
const noise = (at: number, width: number): number => (((at * 2654435761) % 4294967296) / 4294967296) * width;
/** 200 nights at two, each as many seconds late as that run took. */
const nightly = Array.from({ length: 200 }, (_, at) => start + at * day + 2 * hour + Math.floor(noise(at, 600)));
/** Debian's archive is published at 01:52, 07:52, 13:52 and 19:52 UTC. */
const dinstall = Array.from({ length: 400 }, (_, at) => start + (at + 0.311) * 6 * hour).map(Math.floor);
/** arXiv announces at 20:00 in New York, from Sunday to Thursday. */
const arxiv = Array.from({ length: 300 }, (_, at) => start + day * at + 25 * hour).filter((time) => {
  const weekday = new Date((time - 5 * hour) * 1000).getUTCDay();
  return weekday !== 5 && weekday !== 6;
});
/** A newsroom: every quarter of an hour from nine to five on weekdays. */
const office = Array.from({ length: 60 * 96 }, (_, at) => start + at * 900).filter((time) => {
  const date = new Date(time * 1000);
  return date.getUTCDay() % 6 !== 0 && date.getUTCHours() >= 9 && date.getUTCHours() < 17;
});

describe("planLook", () => {
  const rows = [
    { what: "a nightly run", times: nightly, leastFresh: 0.99, mostLooks: 3 },
    { what: "a run each six hours", times: dinstall, leastFresh: 0.98, mostLooks: 2 },
    { what: "announcements on five evenings a week", times: arxiv, leastFresh: 0.95, mostLooks: 6 },
    { what: "office hours", times: office, leastFresh: 0.97, mostLooks: 1.5 },
  ];
  for (const { what, times, leastFresh, mostLooks } of rows) {
    it(`follows ${what}`, () => {
      const { looks, publications, freshness } = follow(times, byRhythm);
      const equal = freshByEqual(times, looks);
      const said = `fresh ${freshness.toFixed(3)} by ${(looks / publications).toFixed(2)} looks a publication; equally ${equal.toFixed(3)}`;
      assert.ok(freshness >= leastFresh, said);
      assert.ok(looks / publications <= mostLooks, said);
      assert.ok(freshness > equal - 0.02, said);
    });
  }

  for (const skewSeconds of [-3 * day, -hour, hour, 3 * day]) {
    it(`is not led astray by a clock that is ${skewSeconds} s ahead`, () => {
      const { freshness, looks, publications } = follow(nightly, byRhythm, skewSeconds);
      assert.ok(freshness > 0.98, `${freshness}`);
      assert.ok(looks / publications < 4, `${looks / publications}`);
    });
  }

  it("looks ever more rarely at a site that has published once", () => {
    const published = start;
    const look = (afterSeconds: number): number => {
      const now = (published + afterSeconds) * 1000;
      const known = learnPublications(undefined, [published], { seenAt: now, missedAt: undefined });
      return planLook(known, now, bounds) - now;
    };
    assert.equal(look(30), 60_000);
    assert.equal(look(hour), hour * 1000);
    assert.equal(look(100 * day), bounds.mostMs);
  });

  it("looks ever more rarely at a site whose publications have ended", () => {
    const times = nightly.slice(0, 30);
    const last = times.at(-1) ?? 0;
    const at = (afterSeconds: number): number => (last + afterSeconds) * 1000;
    const waits = [1, 1.5, 3, 30].map((days) => {
      const now = at(days * day + 700);
      const known = learnPublications(undefined, times, { seenAt: at(300), missedAt: undefined });
      return planLook(known, now, { ...bounds, mostMs: 365 * day * 1000 }) - now;
    });
    assert.deepEqual(
      waits,
      [...waits].sort((a, b) => a - b),
    );
    assert.ok((waits.at(-1) ?? 0) > 20 * day * 1000, `${waits}`);
  });

  it("stays within its bounds, whatever it is told", () => {
    const time = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(fc.array(fc.array(time, { maxLength: 20 })), time, time, time, (lists, seen, missed, now) => {
        let known: KnownPublications = { times: [], waits: [] };
        for (const list of lists) {
          const sorted = [...new Set(list)].sort((a, b) => a - b);
          known = learnPublications(known, sorted, { seenAt: seen * 1000, missedAt: missed * 1000 });
        }
        const at = planLook(known, now * 1000, bounds);
        return at >= now * 1000 + bounds.leastMs && at <= now * 1000 + bounds.mostMs;
      }),
    );
  });
});

describe("learnPublications", () => {
  const look = { seenAt: 100_000, missedAt: undefined };

  it("joins what is told to what is known", () => {
    const known = learnPublications(learnPublications(undefined, [10, 20, 40], look), [40, 50], look);
    assert.deepEqual(
      [known.times, known.waits],
      [
        [40, 50],
        [10, 20],
      ],
    );
  });

  it("does not take for one wait what may be several", () => {
    const known = learnPublications(learnPublications(undefined, [10, 20, 40], look), [70, 80], look);
    assert.deepEqual(
      [known.times, known.waits],
      [
        [70, 80],
        [10, 20],
      ],
    );
  });

  it("remembers a rare wait when it forgets usual ones", () => {
    let known = learnPublications(undefined, [0, 100_000, 100_060], look);
    for (let at = 2; at < 800; at++)
      known = learnPublications(known, [100_000 + 60 * (at - 1), 100_000 + 60 * at], look);
    assert.equal(known.waits.length, 512);
    assert.ok(known.waits.includes(100_000));
  });

  it("learns between which bounds the site's clock is wrong, and begins anew once it was set", () => {
    const first = learnPublications(undefined, [1000], { seenAt: 1_060_000, missedAt: undefined });
    assert.deepEqual([first.leastAheadMs, first.mostAheadMs], [undefined, 60_000]);
    const second = learnPublications(first, [1000, 2000], { seenAt: 2_030_000, missedAt: 2_010_000 });
    assert.deepEqual([second.leastAheadMs, second.mostAheadMs], [10_000, 30_000]);
    const set = learnPublications(second, [2000, 2500], { seenAt: 2_400_000, missedAt: 2_300_000 });
    assert.deepEqual([set.leastAheadMs, set.mostAheadMs], [-200_000, -100_000]);
  });
});

for (const name of fewer(["nodejs-org", "flink-web"], 2)) {
  const file = join(repositoryFolder(), `fixtures/histories/${name}.tsv.gz`);
  // People follow no clock. Nobody knows beforehand how many looks at equal intervals that takes; these are told.
  test(`the real publications of ${name} are followed nearly as well as by the best equal intervals`, () => {
    const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
    const all = lines.flatMap((line) => (/^\d/.test(line) ? [Number(line.split("\t", 1)[0])] : []));
    const times = [...new Set(all)].sort((a, b) => a - b).slice(-2000);
    const { looks, publications, freshness } = follow(times, byRhythm);
    const equal = freshByEqual(times, looks);
    const said = `${publications} publications, ${looks} looks: fresh ${freshness.toFixed(3)}, equally ${equal.toFixed(3)}`;
    assert.ok(freshness > equal - 0.02, said);
    assert.ok(looks < 12 * publications, said);
  });
}
