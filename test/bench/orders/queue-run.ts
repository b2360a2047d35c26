import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SiteTurns } from "../../../src/crawler/engine/order/site-turns.ts";
import { type QueuedUrl, UrlQueue } from "../../../src/storage/queue/url-queue.ts";
import { MadeWeb } from "./made-web.ts";
import { turnOptions } from "./order-trial.ts";

// A queue on disk in a process of its own, so that its largest resident set is its own, and so that it can be killed:
// `killed-process.ts` reads what it prints.

const { values } = parseArgs({
  options: {
    folder: { type: "string", default: "" },
    urls: { type: "string", default: "100000" },
    sites: { type: "string", default: "1000" },
    memory: { type: "string", default: "256" },
    take: { type: "string", default: "0" },
    repeats: { type: "string", default: "0" },
  },
});
const say = (facts: object): boolean => process.stdout.write(`${JSON.stringify(facts)}\n`);
const urls = Number(values.urls);
const web = new MadeWeb(urls, Number(values.sites));
const atATime = 1000;
const flushEvery = 100_000;

const urlOf = (page: number, site: number, depth: number): QueuedUrl => ({
  url: `https://www.site-${site}.example.org/section-${page % 97}/${"part/".repeat(page % 3)}page-${page}.html`,
  site: `www.site-${site}.example.org`,
  priority: depth,
});

const cpuSeconds = (): number => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;

function time(name: string, count: number, work: () => void): void {
  const [cpu, wall] = [cpuSeconds(), performance.now()];
  work();
  const wallSeconds = (performance.now() - wall) / 1000;
  say({ stage: name, count, perCpuSecond: count / (cpuSeconds() - cpu), perSecond: count / wallSeconds });
}

const begunMs = performance.now();
const queue = new UrlQueue(values.folder, { memoryBytes: Number(values.memory) * 1024 * 1024 });
say({ reopenMs: performance.now() - begunMs, waiting: queue.backlog, known: queue.known });

function addAll(most: number): void {
  let batch: QueuedUrl[] = [];
  let added = 0;
  let told = 0;
  const add = (): void => {
    queue.add(batch);
    added += batch.length;
    batch = [];
    if (added < told + flushEvery) return;
    queue.flush();
    told = added;
    say({ added });
  };
  web.tellPages((page, site, depth) => {
    if (added + batch.length >= most) return;
    batch.push(urlOf(page, site, depth));
    if (batch.length === atATime) add();
  });
  add();
  queue.flush();
}

function takeMany(most: number): void {
  const turns = new SiteTurns(queue, "first-key", turnOptions);
  for (let site = 0; site < queue.sites; site++) turns.touch(site);
  const open: { readonly site: number; readonly page: number; readonly endsAt: number }[] = [];
  let finished = 0;
  let told = 0;
  for (let now = 0; finished < most; ) {
    const turn = turns.next(now);
    for (const page of turn?.pages ?? []) {
      if (!queue.urlOf(page)?.startsWith(`https://${queue.siteName(turn?.site ?? -1)}/`))
        throw new Error("not its site");
      open.push({ site: turn?.site ?? 0, page, endsAt: now + 500 });
    }
    if (turn !== undefined) continue;
    now = Math.max(now, Math.min(open[0]?.endsAt ?? Number.POSITIVE_INFINITY, turns.readyAt(now)));
    if (now === Number.POSITIVE_INFINITY) break;
    const ended = open.filter(({ endsAt }) => endsAt <= now);
    open.splice(0, ended.length);
    for (const { site, page } of ended) {
      queue.finish(page);
      turns.done(site, now);
      finished++;
    }
    if (finished < told + flushEvery / 5) continue;
    queue.flush();
    told = finished;
    say({ finished });
  }
  queue.flush();
}

if (queue.known < urls) time("add", urls, () => addAll(urls));
if (Number(values.repeats) > 0) time("add again", Number(values.repeats), () => addAll(Number(values.repeats)));
const taken = Math.min(Number(values.take), queue.backlog);
if (taken > 0) time("next", taken, () => takeMany(taken));
const files = readdirSync(values.folder).map((name) => statSync(join(values.folder, name)).size);
say({
  waiting: queue.backlog,
  known: queue.known,
  peakMiB: process.resourceUsage().maxRSS / 1024,
  diskBytes: files.reduce((sum, size) => sum + size, 0),
});
queue.close();
