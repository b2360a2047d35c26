import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import type { Permit, RequestEnd } from "../../../../src/core/rate-limit.ts";
import type { PolitenessOptions } from "../../../../src/crawler/engine/politeness/politeness-options.ts";
import { SiteRateLimiter } from "../../../../src/crawler/engine/politeness/rate-limiter.ts";
import { fc } from "../../../property.ts";
import { checkPoliteness, type LoggedRequest } from "../order/politeness-check.ts";
import { VirtualTime } from "../order/virtual-time.ts";

interface Answer {
  readonly takesMs: number;
  readonly ending: "fine" | "retry-after" | "overloaded" | "unreachable" | "broken";
  readonly retryAfterMs: number;
}

interface Site {
  readonly addresses: readonly number[];
  readonly crawlDelayMs: number;
  readonly answers: readonly Answer[];
}

const answers = fc.array(
  fc.record({
    takesMs: fc.integer({ min: 1, max: 3000 }),
    ending: fc.constantFrom<Answer["ending"]>(
      "fine",
      "fine",
      "fine",
      "retry-after",
      "overloaded",
      "unreachable",
      "broken",
    ),
    retryAfterMs: fc.integer({ min: 0, max: 120_000 }),
  }),
  { minLength: 1, maxLength: 40 },
);
const webs = fc.array(
  fc.record({
    addresses: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 }),
    crawlDelayMs: fc.constantFrom(0, 0, 700, 4000),
    answers,
  }),
  { minLength: 1, maxLength: 6 },
);
const rules = fc.record({
  pagesBeforeRest: fc.integer({ min: 1, max: 12 }),
  restMs: fc.constantFrom(0, 800, 15_000),
});

const nameOf = (at: number): string => `http://s${at}.example`;

function openLimiter(
  time: VirtualTime,
  sites: readonly Site[],
  options: PolitenessOptions,
  random = 0.5,
): SiteRateLimiter {
  return new SiteRateLimiter(
    {
      now: time.now,
      delay: time.delay,
      random: () => random,
      addressesOf: async (name) => (sites[Number(/\d+/.exec(name)?.[0])]?.addresses ?? []).map((at) => `192.0.2.${at}`),
    },
    options,
  );
}

function endingOf({ ending, retryAfterMs }: Answer, now: number): RequestEnd {
  if (ending === "retry-after") return { health: "overloaded", retryAt: now + retryAfterMs, requests: 1 };
  return { health: ending, requests: 1 };
}

/** Crawls sites at the same time, and returns what their servers saw. */
async function crawl(sites: readonly Site[], options: PolitenessOptions): Promise<LoggedRequest[]> {
  const time = new VirtualTime();
  const rateLimiter = openLimiter(time, sites, options);
  const log: LoggedRequest[] = [];
  const crawlOne = async (site: Site, at: number): Promise<void> => {
    const name = nameOf(at);
    rateLimiter.describe(name, { crawlDelayMs: site.crawlDelayMs });
    for (const answer of site.answers) {
      const permit = await rateLimiter.acquire(name);
      assert.equal(permit.kind, "permit");
      if (permit.kind !== "permit") return;
      const beganAt = time.now();
      await time.delay(answer.takesMs);
      const endedAt = time.now();
      const ending = endingOf(answer, endedAt);
      for (const address of site.addresses)
        log.push({
          ...{ site: name, address: String(address), beganAt, endedAt },
          // What asks for less than half a second asks for nothing.
          ...(ending.retryAt === undefined ? {} : { retryAt: ending.retryAt }),
          isTrouble: ending.health !== "fine" && (ending.retryAt ?? 0) <= endedAt + 500,
        });
      permit.done(ending);
    }
  };
  await time.run(Promise.all(sites.map(crawlOne)));
  assert.equal(
    log.length,
    sites.reduce((sum, site) => sum + site.answers.length * site.addresses.length, 0),
  );
  return log;
}

function check(
  log: readonly LoggedRequest[],
  sites: readonly Site[],
  rule: { pagesBeforeRest: number; restMs: number },
) {
  const crawlDelayMs = (name: string): number => sites[Number(/\d+/.exec(name)?.[0])]?.crawlDelayMs ?? 0;
  // A request to a site of two addresses stands once in the log of each.
  const perAddress = [1, 2, 3].map((address) => log.filter((request) => request.address === String(address)));
  return perAddress.map((part) => checkPoliteness(part, { ...rule, crawlDelayMs, toleranceMs: 0 }));
}

describe("a rate limiter", () => {
  it("lets nobody through too early, whatever sites there are and whatever they answer", async () => {
    await fc.assert(
      fc.asyncProperty(webs, rules, async (sites, rule) => {
        const log = await crawl(sites, rule);
        assert.deepEqual(
          check(log, sites, rule).flatMap(({ violations }) => violations),
          [],
        );
      }),
      { numRuns: 150 },
    );
  });

  it("lets nobody wait who could go", async () => {
    const oneAddress = webs.map((sites) => sites.map((site) => ({ ...site, addresses: site.addresses.slice(0, 1) })));
    await fc.assert(
      fc.asyncProperty(oneAddress, rules, async (sites, rule) => {
        const reports = check(await crawl(sites, rule), sites, rule);
        for (const { needlessMs } of reports) assert.equal(needlessMs, 0);
      }),
      { numRuns: 150 },
    );
  });

  it("uses all of the rate that nothing forbids", async () => {
    const fine: Answer = { takesMs: 100, ending: "fine", retryAfterMs: 0 };
    const site: Site = { addresses: [1], crawlDelayMs: 0, answers: Array(100).fill(fine) };
    const log = await crawl([site, { ...site, addresses: [2] }], { pagesBeforeRest: 10, restMs: 15_000 });
    const times = log.flatMap(({ beganAt, endedAt }) => [beganAt, endedAt]);
    assert.equal(Math.max(...times) - Math.min(...times), 100 * 100 + 9 * 15_000);
  });

  it("lets sites of one address take permits in the order in which they ask", async () => {
    const fine: Answer = { takesMs: 10, ending: "fine", retryAfterMs: 0 };
    const site: Site = { addresses: [1], crawlDelayMs: 0, answers: Array(4).fill(fine) };
    const log = await crawl([site, site, site], { pagesBeforeRest: 100 });
    assert.deepEqual(
      log.map((request) => request.site),
      Array(4)
        .fill([nameOf(0), nameOf(1), nameOf(2)])
        .flat(),
    );
  });

  it("lets as many through at once as are asked for, and still gives rests", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, [{ addresses: [1], crawlDelayMs: 0, answers: [] }], {});
    rateLimiter.describe(nameOf(0), { concurrency: 3 });
    let underWay = 0;
    let most = 0;
    const began: number[] = [];
    const one = async (): Promise<void> => {
      const permit = await rateLimiter.acquire(nameOf(0));
      most = Math.max(most, ++underWay);
      began.push(time.now());
      await time.delay(100);
      underWay--;
      if (permit.kind === "permit") permit.done({ health: "fine", requests: 1 });
    };
    const from = time.now();
    await time.run(Promise.all(Array.from({ length: 12 }, one)));
    assert.equal(most, 3);
    assert.deepEqual(
      began.map((at) => at - from),
      [0, 0, 0, 100, 100, 100, 200, 200, 200, 300, 15_400, 15_400],
    );
  });
});

const lone: readonly Site[] = [{ addresses: [1], crawlDelayMs: 0, answers: [] }];
const fast: PolitenessOptions = { pagesBeforeRest: 1_000_000 };
const fine = (): RequestEnd => ({ health: "fine", requests: 1 });
const overloaded = (): RequestEnd => ({ health: "overloaded", requests: 1 });

async function take(rateLimiter: SiteRateLimiter, name = nameOf(0)): Promise<Permit> {
  const permit = await rateLimiter.acquire(name);
  assert.ok(permit.kind === "permit");
  return permit;
}

/** Makes requests one after the other, and returns when each began, from the first. */
async function times(
  time: VirtualTime,
  rateLimiter: SiteRateLimiter,
  endings: readonly ((now: number) => RequestEnd)[],
): Promise<number[]> {
  const began: number[] = [];
  const work = async (): Promise<void> => {
    for (const end of endings) {
      const permit = await take(rateLimiter);
      began.push(time.now());
      permit.done(end(time.now()));
    }
  };
  await time.run(work());
  return began.map((at) => at - (began[0] ?? 0));
}

describe("backing off", () => {
  it("waits within bounds that double, up to a minute", async () => {
    const endings = Array(9).fill(overloaded);
    const time = new VirtualTime();
    const longest = await times(time, openLimiter(time, lone, fast, 1), endings);
    assert.deepEqual(
      longest.slice(1).map((at, index) => at - (longest[index] ?? 0)),
      [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000],
    );
    const other = new VirtualTime();
    const shortest = await times(other, openLimiter(other, lone, fast, 0), endings);
    assert.deepEqual(shortest, [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000]);
  });

  it("forgives a trouble for each half minute of quiet, six at most", async () => {
    for (const [troubles, quietMs, waitMs] of [
      [3, 0, 16_000],
      [3, 29_999, 16_000],
      [3, 30_000, 8000],
      [3, 60_000, 4000],
      [3, 90_000, 2000],
      [3, 9_000_000, 2000],
      [20, 179_999, 4000],
      [20, 180_000, 2000],
    ] as const) {
      const time = new VirtualTime();
      const rateLimiter = openLimiter(time, lone, fast, 1);
      await times(time, rateLimiter, [...Array(troubles).fill(overloaded), fine]);
      time.set(time.now() + quietMs);
      const began = await times(time, rateLimiter, [overloaded, fine]);
      assert.equal(began[1], waitMs, `${troubles} troubles, after ${quietMs} ms`);
    }
  });

  it("holds a broken page against nobody, and takes a storm of answers to one moment for one", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, lone, fast, 1);
    const broken = (): RequestEnd => ({ health: "broken", requests: 1 });
    assert.deepEqual(await times(time, rateLimiter, [broken, broken, broken, fine]), [0, 2000, 4000, 6000]);
    for (const [laterMs, level] of [
      [50, 1],
      // A request that begins in the millisecond of the last trouble is another.
      [0, 4],
    ] as const) {
      const limiter = openLimiter(time, lone, fast, 1);
      limiter.describe(nameOf(0), { concurrency: 4 });
      const permits = await Promise.all(Array.from({ length: 4 }, () => take(limiter)));
      time.set(time.now() + laterMs);
      for (const permit of permits) permit.done(overloaded());
      assert.equal(limiter.stateOf(nameOf(0), false).level, level);
    }
  });

  it("believes a Retry-After of more than half a second, but none of more than a day", async () => {
    const day = 86_400_000;
    for (const [asked, waitMs] of [
      [500, 2000],
      [501, 501],
      [1000, 1000],
      [7_200_000, 7_200_000],
      [day, day],
      [day + 1, day],
      [250_000_000_000_000, day],
      [Number.MAX_SAFE_INTEGER, day],
      [-5, 2000],
      [-1_900_000_000_000, 2000],
      [Number.NaN, 2000],
    ] as const) {
      const time = new VirtualTime();
      const rateLimiter = openLimiter(time, lone, { ...fast, maxWaitMs: 2 * day }, 1);
      const retryAt = time.now() + asked;
      const isBounded = (await take(rateLimiter)).done({ health: "overloaded", retryAt, requests: 1 });
      const { level, isAsked } = rateLimiter.stateOf(nameOf(0), false);
      assert.deepEqual([level, isAsked], asked > 500 ? [0, 1] : [1, 0]);
      const from = time.now();
      await time.run(rateLimiter.acquire(nameOf(0)));
      assert.deepEqual([time.now() - from, isBounded], [waitMs, asked > day], `asked for ${asked}`);
    }
  });

  it("names the Retry-After as the reason while a later, shorter back-off does not lengthen the wait", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, lone, { ...fast, maxWaitMs: 10_000 });
    rateLimiter.describe(nameOf(0), { concurrency: 2 });
    const permits = [await take(rateLimiter), await take(rateLimiter)];
    const retryAt = time.now() + 60_000;
    permits[0]?.done({ health: "overloaded", retryAt, requests: 1 });
    permits[1]?.done({ health: "unreachable", requests: 1 });
    assert.deepEqual(await rateLimiter.acquire(nameOf(0)), { kind: "later", at: retryAt, why: "retry-after" });
  });
});

describe("waiting for a permit", () => {
  it("is refused where it would take too long, and ends with the signal", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, lone, { ...fast, maxWaitMs: 10_000 });
    await times(time, rateLimiter, [(now) => ({ health: "overloaded", retryAt: now + 10_001, requests: 1 })]);
    const at = time.now() + 10_001;
    assert.deepEqual(await rateLimiter.acquire(nameOf(0)), { kind: "later", at, why: "retry-after" });
    time.set(time.now() + 1);
    const stop = new AbortController();
    const waits: unknown[] = [];
    const permit = rateLimiter.acquire(nameOf(0), {
      signal: stop.signal,
      onWait: (until, why) => waits.push([until, why]),
    });
    setImmediate(() => stop.abort());
    assert.deepEqual(await permit, { kind: "aborted" });
    assert.deepEqual(waits, [[at, "retry-after"]]);
    await time.run(rateLimiter.acquire(nameOf(0)));
    assert.equal(time.now(), at, "who has left is in nobody's way");
  });

  it("is not for years when the clock is set back", async () => {
    for (const [options, troubles, waitMs] of [
      [{ pagesBeforeRest: 1, restMs: 15_000 }, 1, 15_000],
      [fast, 3, 8000],
    ] as const) {
      const time = new VirtualTime();
      const rateLimiter = openLimiter(time, lone, options, 1);
      await times(time, rateLimiter, Array(troubles).fill(overloaded));
      time.set(time.now() - 10 * 365 * 86_400_000);
      const from = time.now();
      await time.run(rateLimiter.acquire(nameOf(0)));
      assert.equal(time.now() - from, waitMs);
    }
  });

  it("becomes longer by a Crawl-delay that is learned late, and never shorter", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, lone, fast);
    await times(time, rateLimiter, [fine]);
    for (const crawlDelayMs of [5000, 2000]) {
      rateLimiter.describe(nameOf(0), { crawlDelayMs });
      assert.equal(rateLimiter.restsUntil(nameOf(0)) - time.now(), 5000);
    }
  });

  it("is never replaced by a shorter one: not by another Retry-After, a back-off, a good answer or a restart", async () => {
    const ending = fc.record({
      health: fc.constantFrom("fine", "overloaded", "broken", "unreachable"),
      /** What the answer names by Retry-After, from now. */
      retryInMs: fc.option(fc.nat(2 * 3600 * 1000), { nil: undefined }),
    });
    const step = fc.record({
      passesMs: fc.nat(100_000),
      endings: fc.tuple(ending, ending),
      isRestarted: fc.boolean(),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 30 }), async (steps) => {
        const time = new VirtualTime();
        const open = (random: number): SiteRateLimiter => {
          const opened = openLimiter(time, lone, { ...fast, maxWaitMs: 86_400_000 }, random);
          opened.describe(nameOf(0), { concurrency: 2 });
          return opened;
        };
        let rateLimiter = open(0);
        let promisedAt = 0;
        for (const { passesMs, endings, isRestarted, random } of steps) {
          time.set(time.now() + passesMs);
          if (isRestarted) {
            const state = rateLimiter.stateOf(nameOf(0), false);
            rateLimiter = open(random);
            rateLimiter.restore(nameOf(0), state);
            rateLimiter.describe(nameOf(0), { concurrency: 2 });
          }
          const permits: Permit[] = [];
          await time.run(take(rateLimiter).then((permit) => permits.push(permit)));
          assert.ok(time.now() >= promisedAt, `${promisedAt - time.now()} ms too early`);
          await time.run(take(rateLimiter).then((permit) => permits.push(permit)));
          for (const [at, { health, retryInMs }] of endings.entries()) {
            const retryAt = retryInMs === undefined ? undefined : time.now() + retryInMs;
            permits[at]?.done({ health, retryAt, requests: 1 });
            // What the server names with a good answer binds nobody (RFC 9110 section 10.2.3).
            if (health !== "fine" && retryInMs !== undefined && retryInMs > 1000)
              promisedAt = Math.max(promisedAt, time.now() + retryInMs);
            promisedAt = Math.max(promisedAt, rateLimiter.restsUntil(nameOf(0)));
          }
        }
      }),
    );
  });
});

describe("the numbers of a site's clocks", () => {
  it("hold where the site was asked before they were known, as by a redirect", async () => {
    const time = new VirtualTime();
    const before = openLimiter(time, lone, fast);
    const retryAt = time.now() + 3_600_000;
    await time.run(take(before).then((permit) => permit.done({ health: "overloaded", retryAt, requests: 1 })));
    const state = before.stateOf(nameOf(0), false);
    const rateLimiter = openLimiter(time, lone, fast);
    await time.run(take(rateLimiter).then((permit) => permit.done({ health: "fine", requests: 1 })));
    rateLimiter.restore(nameOf(0), state);
    assert.equal(rateLimiter.restsUntil(nameOf(0)), retryAt);
    assert.equal(rateLimiter.stateOf(nameOf(0), false).isAsked, 1);
    // Once: later numbers are its own.
    rateLimiter.restore(nameOf(0), { ...state, until: retryAt + 3_600_000 });
    assert.equal(rateLimiter.restsUntil(nameOf(0)), retryAt);
  });

  it("lead on where they were kept", async () => {
    await fc.assert(
      fc.asyncProperty(answers, rules, fc.nat(40), fc.constantFrom(0, 700), async (list, rule, cut, crawlDelayMs) => {
        const began = async (at: number): Promise<number[]> => {
          const time = new VirtualTime();
          let rateLimiter = openLimiter(time, lone, rule);
          rateLimiter.describe(nameOf(0), { crawlDelayMs });
          const log: number[] = [];
          const work = async (): Promise<void> => {
            for (const [index, answer] of list.entries()) {
              if (index === at) {
                const state = JSON.parse(JSON.stringify(rateLimiter.stateOf(nameOf(0), false)));
                rateLimiter = openLimiter(time, [{ ...(lone[0] as Site), addresses: [2] }], rule);
                rateLimiter.restore(nameOf(0), state);
              }
              const permit = await rateLimiter.acquire(nameOf(0));
              log.push(time.now());
              await time.delay(answer.takesMs);
              if (permit.kind === "permit") permit.done(endingOf(answer, time.now()));
            }
          };
          await time.run(work());
          return log;
        };
        assert.deepEqual(await began(cut), await began(-1));
      }),
      { numRuns: 100 },
    );
  });

  it("of a visit that was killed make the next one wait as if it had just asked", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, lone, {});
    rateLimiter.describe(nameOf(0), { crawlDelayMs: 20_000 });
    await times(time, rateLimiter, [fine]);
    time.set(time.now() + 5000);
    const next = openLimiter(time, lone, {});
    next.restore(nameOf(0), rateLimiter.stateOf(nameOf(0), true, false));
    const from = time.now();
    await time.run(next.acquire(nameOf(0)));
    assert.equal(time.now() - from, 20_000);
  });

  it("of a visit that was killed while it waited make the next one wait no longer, however often it is killed", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLimiter(time, lone, { restMs: 15_000 });
    await times(time, rateLimiter, [fine]);
    const askedAt = time.now();
    time.set(askedAt + 1000);
    let state = rateLimiter.stateOf(nameOf(0), true, false);
    for (const secondsLater of [2, 9]) {
      time.set(askedAt + secondsLater * 1000);
      const next = openLimiter(time, lone, { restMs: 15_000 });
      next.restore(nameOf(0), state);
      // It is killed while it waits for its permit.
      void next.acquire(nameOf(0), { signal: AbortSignal.abort() });
      await Promise.resolve();
      state = JSON.parse(JSON.stringify(next.stateOf(nameOf(0), true)));
    }
    const last = openLimiter(time, lone, { restMs: 15_000 });
    last.restore(nameOf(0), state);
    await time.run(last.acquire(nameOf(0)));
    assert.equal(time.now(), askedAt + 2000 + 15_000);
  });

  test("that make no sense are as if there were none, and none keeps us away for ever", async () => {
    const sane = new VirtualTime();
    const state = openLimiter(sane, lone, fast).stateOf(nameOf(0), false);
    const far = sane.now() + 10 ** 15;
    for (const [numbers, atMostMs] of [
      [{ ...state, until: Number.NaN }, 0],
      [{ ...state, level: -1 }, 0],
      [{ ...state, notBefore: Number.POSITIVE_INFINITY }, 0],
      [{ ...state, troubledAt: sane.now(), until: far }, 86_400_000],
      [{ ...state, troubledAt: far, until: far + 1000 }, 1000],
      [{ ...state, answeredAt: sane.now(), notBefore: far }, 30 * 86_400_000],
    ] as const) {
      const time = new VirtualTime();
      const rateLimiter = openLimiter(time, lone, { ...fast, maxWaitMs: far });
      rateLimiter.restore(nameOf(0), numbers);
      const from = time.now();
      await time.run(rateLimiter.acquire(nameOf(0)));
      assert.equal(time.now() - from, atMostMs, JSON.stringify(numbers));
    }
  });
});

describe("connections", () => {
  const openLent = (time: VirtualTime, connections: number): SiteRateLimiter => {
    const ports = { now: time.now, delay: time.delay, random: () => 0, addressesOf: async () => [] };
    return new SiteRateLimiter(ports, { restMs: 0 }, undefined, connections);
  };

  it("bound the requests that are under way, and who waits longest goes first", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLent(time, 3);
    const began: string[] = [];
    let underWay = 0;
    let most = 0;
    const ask = async (site: string): Promise<void> => {
      for (let request = 0; request < 3; request++) {
        const permit = await take(rateLimiter, site);
        began.push(site);
        most = Math.max(most, ++underWay);
        // One site takes its time, and keeps none but its own connection.
        await time.delay(site === nameOf(0) ? 60_000 : 100);
        underWay--;
        permit.done({ health: "fine", requests: 1 });
      }
    };
    const sites = Array.from({ length: 10 }, (_, at) => nameOf(at));
    await time.run(Promise.all(sites.map(ask)));
    assert.equal(most, 3);
    assert.deepEqual(began.slice(0, 10), sites, "all have their permit before one has its second");
    assert.equal(began.lastIndexOf(nameOf(9)) < began.lastIndexOf(nameOf(0)), true);
  });

  async function takeSlow(time: VirtualTime, rateLimiter: SiteRateLimiter, count: number): Promise<Permit[]> {
    const slow: Permit[] = [];
    const work = async (): Promise<void> => {
      for (let at = 0; at < count; at++) slow.push(await take(rateLimiter, `http://slow${at}.example`));
    };
    await time.run(work());
    return slow;
  }

  it("of slow requests are lent to others that wait, and none of who is quick", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLent(time, 4);
    const slow = await takeSlow(time, rateLimiter, 4);
    const began = time.now();
    const work = async (): Promise<void> => {
      for (let at = 0; at < 20; at++)
        (await take(rateLimiter, `http://quick${at}.example`)).done({ health: "fine", requests: 1 });
    };
    await time.run(work());
    assert.equal(time.now() - began, 5000, "only the first waits until somebody is slow");
    assert.ok(!slow.some((permit) => permit.isRecalled()));
  });

  it("are recalled from the slowest after a minute, where as many again are slow and somebody waits", async () => {
    const time = new VirtualTime();
    const rateLimiter = openLent(time, 4);
    const slow = await takeSlow(time, rateLimiter, 8);
    await time.run(time.delay(60_000));
    const recalled = (): number[] => slow.flatMap((permit, at) => (permit.isRecalled() ? [at] : []));
    assert.deepEqual(recalled(), [], "nobody waits");
    let isServed = false;
    const waiting = take(rateLimiter, "http://quick.example").then(() => (isServed = true));
    await time.run(time.delay(10));
    assert.equal(isServed, false);
    assert.deepEqual(recalled(), [0]);
    slow[0]?.done({ health: "unreachable", requests: 1 });
    await time.run(waiting);
    assert.equal(isServed, true);
  });
});

test("a hundred thousand sites are remembered, and beyond them those that are in use", async () => {
  const time = new VirtualTime();
  const rateLimiter = openLimiter(time, lone, fast);
  const used = await take(rateLimiter, nameOf(1));
  const forgotten = await take(rateLimiter, nameOf(2));
  forgotten.done({ health: "overloaded", requests: 1 });
  for (let at = 3; at < 100_003; at++) rateLimiter.restsUntil(nameOf(at));
  used.done({ health: "overloaded", requests: 1 });
  assert.ok(rateLimiter.restsUntil(nameOf(1)) > time.now());
  assert.equal(rateLimiter.restsUntil(nameOf(2)), 0);
});
