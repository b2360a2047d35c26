import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { TidemarkError } from "../../../src/core/index.ts";
import { UnitWork, type UnitWorkOptions } from "../../../src/crawler/web/unit-work.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type LoopbackWeb, openLoopbackWeb } from "./loopback-web.ts";
import { readLinkFiles } from "./web-crawling.ts";

/** Sites a and b at one address, c at another. */
const openWeb = async (): Promise<LoopbackWeb> =>
  await openLoopbackWeb({
    addresses: ["127.0.0.1", "127.0.0.2"],
    addressOf: (host) => [host.startsWith("c.") ? "127.0.0.2" : "127.0.0.1"],
    answer: (_, response) => void response.end(),
  });

const hosts = ["a.example", "b.example", "c.example"];

function optionsFor(web: LoopbackWeb, into: string, more: Partial<UnitWorkOptions> = {}): UnitWorkOptions {
  return {
    ...{ into, unitPages: 3, restMs: 1000, loopbackRests: true, allowPrivate: true, queueBytes: 4 * 1024 * 1024 },
    nameServers: [web.names.address],
    seeds: hosts.map((host) => `${web.originOf(host)}/`),
    isDone: () => false,
    busyUntil: new Map(),
    ...more,
  };
}

/** All units that are due, once all sites have been looked up. */
async function takeAll(work: UnitWork, now: number, count: number): Promise<{ origin: string; paths: string[] }[]> {
  const units: { origin: string; paths: string[] }[] = [];
  for (let tries = 0; tries < 200 && units.length < count; tries++) {
    for (let next = work.next(now); next !== undefined; next = work.next(now))
      units.push({ origin: next.origin, paths: next.pages.map(({ path }) => path) });
    await delay(5);
  }
  return units.sort((a, b) => a.origin.localeCompare(b.origin));
}

const pageAt = (origin: string, path: string, links: readonly string[]) => ({
  ...{ origin, path, note: "0.0.0", at: 1_795_600_000_000, isRedirect: false, links },
});

test("neither a site nor an address has two units at once, and it rests between them", {
  timeout: 20_000,
}, async () => {
  using folder = makeTempFolder();
  await using web = await openWeb();
  await using work = await UnitWork.open(optionsFor(web, folder.path));
  let now = Date.now();
  const first = await takeAll(work, now, 2);
  assert.equal(first.length, 2);
  assert.equal(first[1]?.origin, web.originOf("c.example"));
  const origin = first[0]?.origin ?? "";
  work.end(origin, { now, left: [], isReachable: true });
  assert.equal(work.next(now), undefined, "its address rests");
  now += 1000;
  const second = await takeAll(work, now, 1);
  assert.equal(second.length, 1);
  assert.ok(second[0]?.origin !== origin && second[0]?.origin !== web.originOf("c.example"));
  assert.throws(() => work.end(origin, { now, left: [], isReachable: true }), RangeError);
});

test("links are kept, those within the scope are given as pages, each once; what is left is given again", {
  timeout: 20_000,
}, async () => {
  using folder = makeTempFolder();
  await using web = await openWeb();
  const options = optionsFor(web, folder.path, {
    seeds: [`${web.originOf("c.example")}/`],
    scopeDomains: ["c.example"],
  });
  const origin = web.originOf("c.example");
  let now = Date.now();
  {
    await using work = await UnitWork.open(options);
    assert.deepEqual(await takeAll(work, now, 1), [{ origin, paths: ["/"] }]);
    assert.ok(work.knows(origin) && !work.knows(web.originOf("a.example")));
    const links = ["/1", "/2", "/3", "/4"].map((path) => origin + path);
    work.take([pageAt(origin, "/", [...links, `${web.originOf("a.example")}/`])]);
    work.end(origin, { now, left: [], isReachable: true });
    now += 1000;
    const [unit] = await takeAll(work, now, 1);
    assert.deepEqual(unit, { origin, paths: ["/1", "/2", "/3"] });
    work.end(origin, { now, left: ["/2"], isReachable: true });
    now += 1000;
    assert.deepEqual(await takeAll(work, now, 1), [{ origin, paths: ["/2", "/4"] }]);
    await assert.rejects(UnitWork.open(options), (error) => error instanceof TidemarkError && error.code === "locked");
  }
  assert.deepEqual([...readLinkFiles(folder.path).keys()], [`${origin}/`]);
  // What was given and did not end is given to the next run, but for what that one knows to be done.
  await using next = await UnitWork.open({ ...options, isDone: (url) => url.endsWith("/2") });
  let unit: ReturnType<UnitWork["next"]>;
  for (let tries = 0; tries < 200 && unit === undefined; tries++) {
    now += 1000;
    unit = next.next(now);
    await delay(5);
  }
  assert.deepEqual(
    unit?.pages.map(({ path }) => path),
    ["/4"],
  );
});

test("a site with a unit of an earlier run is closed, and so is its address, until that unit ends", {
  timeout: 20_000,
}, async () => {
  using folder = makeTempFolder();
  await using web = await openWeb();
  const busyUntil = new Map([[web.originOf("a.example"), Number.POSITIVE_INFINITY]]);
  await using work = await UnitWork.open(optionsFor(web, folder.path, { busyUntil }));
  let now = Date.now();
  assert.deepEqual(
    (await takeAll(work, now, 1)).map(({ origin }) => origin),
    [web.originOf("c.example")],
  );
  now += 60_000;
  assert.equal(work.next(now), undefined);
  busyUntil.set(web.originOf("a.example"), now);
  now += 2000;
  assert.equal((await takeAll(work, now, 1)).length, 1);
});
