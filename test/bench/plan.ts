import { type CyclePlan, planCycle } from "../../lab/edwards/cycle-plan.ts";
import { type CycleStrategy, publishedCycle } from "../../lab/edwards/published-cycle.ts";
import { weighQueues } from "../../lab/edwards/queue-weights.ts";
import { IndexQueue } from "../../lab/planners/index-queue.ts";
import { planOptimum } from "../../src/crawler/engine/revisit/optimum.ts";
import { changeProbability } from "../../src/crawler/engine/revisit/poll-index.ts";
import {
  BucketedPages,
  bucketOfRate,
  newBucket,
  rateBuckets,
  rateOfBucket,
} from "../../src/crawler/engine/revisit/rate-buckets.ts";
import { createRandom } from "../interop/random.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";

const daySeconds = 86_400;

/** Runs something, and tells what it took. */
function measure<Result>(name: string, run: () => Result): Result {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  const result = run();
  const { user, system } = process.cpuUsage(cpu);
  const clockSeconds = Number(process.hrtime.bigint() - start) / 1e9;
  process.stdout.write(
    `  ${name.padEnd(58)}${((user + system) / 1e6).toFixed(2).padStart(7)} s (${clockSeconds.toFixed(2)} s)\n`,
  );
  return result;
}

/** Pages of which a byte each is known: their histogram, the best rates by bucket, a cycle, and the pages of its first period. */
function planBuckets(count: number): void {
  process.stdout.write(`\n${count} pages, a byte each\n`);
  const random = createRandom(1);
  const bytes = new Uint8Array(count);
  const mix = Uint8Array.from({ length: 4096 }, (_, at) =>
    at < 80 ? newBucket : bucketOfRate(4 ** (1 - (6 * at) / 4096) / daySeconds),
  );
  // Mean days between changes from a quarter to 1,000, evenly in their logarithm; one page in fifty was never fetched.
  for (let page = 0; page < count; page++) bytes[page] = mix[random.below(4096)] ?? 0;
  measure("all of it", () => {
    const counts = measure("the histogram", () => new BucketedPages(bytes).count());
    const rates = Float64Array.from({ length: rateBuckets }, (_, bucket) => rateOfBucket(bucket));
    const held = counts.subarray(0, rateBuckets);
    const ones = new Float64Array(rateBuckets).fill(1);
    const perDay = count / 30;
    measure("the exact optimum by bucket, a poll a page and month", () =>
      planOptimum(rates, ones, perDay / daySeconds, { counts: held }),
    );
    const cycle = measure("a cycle of 14 periods of 2 days", () =>
      planCycle({
        periods: 14,
        pages: held,
        obsolete: Float64Array.from(
          held,
          (pages, bucket) => pages * changeProbability(rateOfBucket(bucket), 15 * daySeconds),
        ),
        changed: (_, bucket) => changeProbability(rateOfBucket(bucket), 2 * daySeconds),
        capacity: 2 * perDay,
        waiting: counts[newBucket] ?? 0,
        arrivals: count / 5000,
      }),
    );
    const chosen = measure("the pages of its first period, drawn", () => drawPeriod(bytes, cycle, random.next));
    process.stdout.write(`  ${chosen} pages drawn; cycle within ${gapOf(cycle)} of its bound\n`);
  });
  const { rss } = process.memoryUsage();
  process.stdout.write(`  memory of the process: ${(rss / 2 ** 20).toFixed(0)} MiB\n`);
}

/** Marks by the weights of the queues which pages are fetched. */
function drawPeriod(bytes: Uint8Array, cycle: CyclePlan, chance: () => number): number {
  const { old, waiting } = weighQueues(cycle, 1);
  const shares = Float64Array.from({ length: 256 }, (_, byte) => (byte === newBucket ? waiting : (old[byte] ?? 0)));
  const isDrawn = new Uint8Array(Math.ceil(bytes.length / 8));
  let drawn = 0;
  for (let page = 0; page < bytes.length; page++) {
    const share = shares[bytes[page] ?? 0] ?? 0;
    if (share === 0 || (share < 1 && chance() >= share)) continue;
    isDrawn[page >> 3] = (isDrawn[page >> 3] ?? 0) | (1 << (page & 7));
    drawn += 1;
  }
  return drawn;
}

const gapOf = ({ course, bound }: CyclePlan): string => `${((course.objective / bound - 1) * 100).toFixed(2)} %`;

function manyRates(count: number): Float64Array {
  const random = createRandom(2);
  return Float64Array.from({ length: count }, () => 10 ** (1 - 4 * random.next()) / daySeconds);
}

function planRates(count: number): void {
  process.stdout.write(`\nthe exact optimum of ${count} distinct rates\n`);
  const rates = manyRates(count);
  const weights = new Float64Array(count).fill(1);
  for (const everyDays of [90, 30, 7]) {
    measure(`a poll a page and ${everyDays} days`, () => planOptimum(rates, weights, count / everyDays / daySeconds));
  }
}

const queueDecisions = 1_000_000;

function runQueue(count: number): void {
  process.stdout.write(`\nthe greedy index at ${count} pages\n`);
  const random = createRandom(3);
  const ratesPerSecond = manyRates(count);
  const weights = new Float64Array(count).fill(1);
  const polledAtSeconds = Float64Array.from({ length: count }, () => -60 * daySeconds * random.next());
  const step = (30 * daySeconds) / count;
  const sample = ratesPerSecond.subarray(0, 10_000);
  const { price } = planOptimum(sample, weights, 10_000 / 30 / daySeconds);
  const made = process.cpuUsage();
  const queue = measure("the queue is made, as it is anew after each round", () => {
    return new IndexQueue({ ratesPerSecond, weights, polledAtSeconds }, price, 0);
  });
  const rounds = process.cpuUsage(made);
  const cpu = process.cpuUsage();
  measure(`${queueDecisions} decisions`, () => {
    for (let visit = 1; visit <= queueDecisions; visit++) queue.take(visit * step);
  });
  const { user, system } = process.cpuUsage(cpu);
  const each = (user + system) / queueDecisions + (rounds.user + rounds.system) / count;
  process.stdout.write(`  ${each.toFixed(2)} microseconds a decision, with its part of a round\n`);
}

const periodCounts = [14, 28, 56];
const bucketCounts = [255, 1024, 4096];

function solveCycles(isShort: boolean): void {
  process.stdout.write("\ncycles of the paper, seconds of the processor; gap: objective above the lower bound\n");
  process.stdout.write("  periods buckets strategy  objective      gap      first    again, from the last prices\n");
  for (const periods of isShort ? [14] : periodCounts) {
    for (const buckets of isShort ? [255] : bucketCounts) {
      for (const strategy of [1, 2, 3] as const) solveCycle(periods, buckets, strategy);
    }
  }
}

function solveCycle(periods: number, buckets: number, strategy: CycleStrategy): void {
  const facts = publishedCycle({ strategy, periods, buckets });
  const first = process.cpuUsage();
  const plan = planCycle(facts);
  const cold = process.cpuUsage(first);
  const second = process.cpuUsage();
  planCycle({ ...facts, capacity: 51e6 }, plan.prices);
  const warm = process.cpuUsage(second);
  process.stdout.write(
    [
      `  ${String(periods).padStart(7)}${String(buckets).padStart(8)}${String(strategy).padStart(9)}`,
      plan.course.objective.toExponential(3).padStart(11),
      gapOf(plan).padStart(9),
      `${(cold.user / 1e6).toFixed(2)} s`.padStart(11),
      `${(warm.user / 1e6).toFixed(2)} s\n`.padStart(10),
    ].join(""),
  );
}

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- plan [--pages 100000000] [--queue 10000000] [--rates 1000000] [--cycles] [--short]
Plans revisits at scale: pages in buckets, the exact optimum, the greedy index, cycles of Edwards, McCurley and Tomlin.
--cycles: these alone; --short: fewer of them. Times are of the processor and, in brackets, of the clock.
`,
  options: { pages: 100_000_000, queue: 10_000_000, rates: 1_000_000, cycles: false, short: false },
  run: async ({ pages, queue, rates, cycles, short }) => {
    process.stdout.write(`Node ${process.version}\n`);
    if (!cycles) {
      planBuckets(pages);
      planRates(rates);
      runQueue(queue);
    }
    solveCycles(short);
  },
});
