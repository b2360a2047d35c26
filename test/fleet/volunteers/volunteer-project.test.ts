import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createRandom, type EpochMs } from "../../../src/core/index.ts";
import type { ProjectOptions } from "../../../src/fleet/volunteers/project-options.ts";
import type { AssignedUnit } from "../../../src/fleet/volunteers/unit-dispatcher.ts";
import { VolunteerProject } from "../../../src/fleet/volunteers/volunteer-project.ts";
import { VolunteerStore } from "../../../src/fleet/volunteers/volunteer-store.ts";
import type { WorkResult, WorkUnit } from "../../../src/formats/work-unit/index.ts";
import { bytesOf, readUnit, SimulatedWeb, SimulatedWork } from "../../bench/volunteers/simulated-web.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const start = 1_795_600_000_000;

interface Project extends Disposable {
  readonly project: VolunteerProject;
  readonly store: VolunteerStore;
  readonly web: SimulatedWeb;
  readonly work: SimulatedWork;
  now: EpochMs;
  /** The same folder, as another process finds it after a kill. */
  readonly reopen: () => Project;
}

function openProject(
  options: Partial<ProjectOptions> = {},
  { mostRestless = 0, sites = 20, seed = 1, visitMs = 0 } = {},
): Project {
  const folder = makeTempFolder();
  const web = new SimulatedWeb({ sites, pagesPerSite: 40, linksPerPage: 10, mostRestless, seed });
  const work = new SimulatedWork(web, { unitPages: 10, restMs: 1000 });
  const random = createRandom(seed, "project");
  const open = (): Project => {
    let clock = (): EpochMs => start;
    const store = new VolunteerStore(join(folder.path, "volunteers.db"));
    const visit = async (unit: WorkUnit): Promise<WorkResult> => {
      opened.now += visitMs;
      return web.visit(unit, clock());
    };
    const project = new VolunteerProject(
      { userAgent: "tidemark/1.0", crawlDelayMs: 0, restMs: 1000, auditShare: 0, ...options },
      { store, work, random, clock: () => clock(), visit },
    );
    const opened: Project = {
      ...{ project, store, web, work, now: start },
      reopen: () => {
        store[Symbol.dispose]();
        return open();
      },
      [Symbol.dispose]: () => {
        store[Symbol.dispose]();
        folder[Symbol.dispose]();
      },
    };
    clock = () => opened.now;
    return opened;
  };
  return open();
}

/** Asks for one unit. */
function ask({ project, now }: Project, volunteer: string): AssignedUnit {
  const [unit] = project.assign(volunteer, 1, now);
  assert.ok(unit, `${volunteer} got no unit`);
  return unit;
}

const honest = ({ web, now }: Project, unit: AssignedUnit): WorkResult => web.visit(readUnit(unit.bytes), now);
const inventing = (result: WorkResult): WorkResult => ({
  ...result,
  pages: result.pages.map((page) => ({
    ...page,
    links: [...page.links, ...page.links.map((_, at) => `https://spam.example/${page.path.slice(1)}/${at}`)],
  })),
});

test("a unit goes to a volunteer and a copy of it to another one, and both agree: its links are in the crawl", async () => {
  using p = openProject();
  p.project.register("ann", p.now);
  p.project.register("bob", p.now);
  const first = ask(p, "ann");
  const unit = readUnit(first.bytes);
  assert.equal(first.deadline, unit.deadline * 1000);
  assert.equal(p.project.submit(first.name, "ann", bytesOf(honest(p, first)), p.now), "accepted");
  assert.equal(p.work.taken.length, 0);
  p.project.fail(first.name, "ann", p.now);
  assert.ok(p.work.open.has(unit.origin), "its site stays with the project, whatever ann says now");
  p.now += 1000;
  const second = ask(p, "bob");
  const copy = readUnit(second.bytes);
  assert.deepEqual(copy.paths, unit.paths);
  assert.notEqual(copy.nonce, unit.nonce);
  assert.equal(p.project.submit(second.name, "bob", bytesOf(honest(p, second)), p.now), "accepted");
  assert.equal(p.work.taken.length, 10);
  assert.deepEqual(p.work.taken[0]?.links.length, honest(p, first).pages[0]?.links.length);
  assert.ok(!p.work.open.has(unit.origin));
  assert.equal(p.store.reputationOf("ann")?.good, 1);
  assert.equal(p.store.reputationOf("bob")?.good, 1);
});

test("nobody gets the copy of a unit of his own, or before the rest of its site", () => {
  using p = openProject({}, { sites: 1 });
  for (const name of ["ann", "bob"]) p.project.register(name, p.now);
  const first = ask(p, "ann");
  assert.equal(p.project.submit(first.name, "ann", bytesOf(honest(p, first)), p.now), "accepted");
  assert.deepEqual(p.project.assign("bob", 1, p.now), []);
  p.now += 1000;
  assert.deepEqual(p.project.assign("ann", 1, p.now), []);
  assert.equal(p.project.assign("bob", 1, p.now).length, 1);
});

test("no site has two units at once, and a volunteer has four at most", () => {
  using p = openProject();
  const names = ["a", "b", "c", "d"];
  for (const name of names) p.project.register(name, p.now);
  const units = names.flatMap((name) => p.project.assign(name, 10, p.now));
  assert.equal(units.length, 16);
  assert.equal(new Set(units.map(({ bytes }) => readUnit(bytes).origin)).size, 16);
});

test("who is not registered gets nothing, and results of others' copies are unknown", () => {
  using p = openProject();
  assert.deepEqual(p.project.assign("nobody", 1, p.now), []);
  p.project.register("ann", p.now);
  p.project.register("bob", p.now);
  const unit = ask(p, "ann");
  const result = bytesOf(honest(p, unit));
  assert.equal(p.project.submit(unit.name, "bob", result, p.now), "unknown");
  assert.equal(p.project.submit("u1-000000000000", "ann", result, p.now), "unknown");
  p.project.fail(unit.name, "bob", p.now);
  assert.equal(p.project.submit(unit.name, "ann", result, p.now), "accepted");
});

test("malformed, forged, duplicate and late results are refused", async () => {
  using p = openProject();
  p.project.register("ann", p.now);
  const submit = (unit: AssignedUnit, change: (result: WorkResult) => WorkResult): string =>
    p.project.submit(unit.name, "ann", bytesOf(change(honest(p, unit))), p.now);
  const unit = ask(p, "ann");
  assert.equal(p.project.submit(unit.name, "ann", Buffer.from("hello"), p.now), "malformed");
  assert.equal(
    submit(unit, (result) => ({ ...result, pages: result.pages.slice(1) })),
    "malformed",
  );
  const [page] = honest(p, unit).pages;
  assert.ok(page);
  assert.equal(
    submit(unit, (result) => ({ ...result, pages: [...result.pages.slice(1), { ...page, path: "/other" }] })),
    "malformed",
  );
  assert.equal(
    submit(unit, (result) => result),
    "accepted",
  );
  assert.equal(
    submit(unit, (result) => result),
    "duplicate",
  );
  const forged = ask(p, "ann");
  assert.equal(
    submit(forged, (result) => ({ ...result, nonce: "0".repeat(32) })),
    "refused",
  );
  p.now += 15_000;
  const early = ask(p, "ann");
  const atOnce = (at: number) => (result: WorkResult) => ({
    ...{ ...result, startedAt: at, endedAt: at },
    pages: result.pages.map((one) => ({ ...one, at })),
  });
  assert.equal(submit(early, atOnce(start / 1000 - 3600)), "refused");
  p.now += 30_000;
  assert.equal(submit(ask(p, "ann"), atOnce(start / 1000 + 3600)), "refused");
  p.now += 60_000;
  const late = ask(p, "ann");
  p.now = late.deadline + 1;
  assert.equal(
    submit(late, (result) => result),
    "late",
  );
  await p.project.settle(p.now + 3_600_000);
  assert.equal(
    submit(late, (result) => result),
    "late",
  );
});

test("what came faster than the unit allows was made up: it counts as wrong", () => {
  using p = openProject({ crawlDelayMs: 1000 });
  p.project.register("ann", p.now);
  const unit = ask(p, "ann");
  const { endedAt, ...result } = honest(p, unit);
  assert.equal(
    p.project.submit(unit.name, "ann", bytesOf({ ...result, startedAt: endedAt - 1, endedAt }), p.now),
    "refused",
  );
  assert.equal(p.store.reputationOf("ann")?.wrong, 1);
});

test("no result says that it took longer than since its copy was given out, however wrong the clock is", () => {
  using p = openProject({ crawlDelayMs: 10_000 });
  p.project.register("ann", p.now);
  const submit = (passedMs: number, tookMs: number, clockMs: number): string => {
    const unit = ask(p, "ann");
    p.now += passedMs;
    const endedAt = Math.floor((p.now + clockMs) / 1000);
    const result = honest(p, unit);
    const pages = result.pages.map((page) => ({ ...page, at: endedAt }));
    const told = { ...result, startedAt: endedAt - Math.floor(tookMs / 1000), endedAt, pages };
    return p.project.submit(unit.name, "ann", bytesOf(told), p.now);
  };
  assert.equal(submit(100_000, 100_000, -250_000), "accepted");
  assert.equal(submit(100_000, 100_000, 250_000), "accepted");
  assert.equal(submit(1000, 100_000, 0), "refused");
});

test("a unit that does not come back goes to another volunteer after its deadline and the site's rest", async () => {
  using p = openProject({ deadlineMs: 60_000 }, { sites: 1 });
  for (const name of ["ann", "bob"]) p.project.register(name, p.now);
  const lost = ask(p, "ann");
  p.now += 60_500;
  await p.project.settle(p.now);
  assert.deepEqual(p.project.assign("bob", 1, p.now), [], "ann may still be at it");
  p.now += 2000;
  await p.project.settle(p.now);
  p.now += 1000;
  assert.equal(readUnit(ask(p, "bob").bytes).origin, readUnit(lost.bytes).origin);
});

test("who lies is found out by the project's own visit, and barred the second time; the other one is believed", async () => {
  using p = openProject();
  for (const name of ["ann", "liar"]) p.project.register(name, p.now);
  for (let lie = 1; lie <= 2; lie++) {
    const first = ask(p, "liar");
    assert.equal(p.project.submit(first.name, "liar", bytesOf(inventing(honest(p, first))), p.now), "accepted");
    p.now += 1000;
    const second = ask(p, "ann");
    assert.deepEqual(readUnit(second.bytes).paths, readUnit(first.bytes).paths);
    p.project.submit(second.name, "ann", bytesOf(honest(p, second)), p.now);
    p.now += 1000;
    await p.project.settle(p.now);
    assert.equal(p.store.reputationOf("liar")?.wrong, lie);
    assert.equal(p.store.reputationOf("ann")?.good, lie);
  }
  assert.equal(p.work.taken.length, 20);
  assert.ok(p.work.taken.every(({ links }) => links.every((link) => p.web.isTrue(link))));
  assert.deepEqual(p.project.assign("liar", 1, p.now), []);
});

test("a site rests from the end of the project's own visits", async () => {
  using p = openProject({}, { sites: 1, visitMs: 30_000 });
  for (const name of ["ann", "liar"]) p.project.register(name, p.now);
  for (const name of ["liar", "ann"]) {
    const unit = ask(p, name);
    const result = honest(p, unit);
    p.project.submit(unit.name, name, bytesOf(name === "liar" ? inventing(result) : result), p.now);
    p.now += 1000;
  }
  const before = p.now;
  await p.project.settle(p.now);
  assert.equal(p.now, before + 60_000);
  p.now += 999;
  assert.deepEqual(p.project.assign("ann", 1, p.now), []);
  p.now += 1;
  ask(p, "ann");
});

test("pages that change with every answer make nobody a liar", async () => {
  using p = openProject({}, { mostRestless: 1 });
  const names = ["ann", "bob", "cid"];
  for (const name of names) p.project.register(name, p.now);
  for (let round = 0; round < 120; round++) {
    const name = names[round % 3] as string;
    for (const unit of p.project.assign(name, 1, p.now))
      p.project.submit(unit.name, name, bytesOf(honest(p, unit)), p.now);
    p.now += 1000;
    await p.project.settle(p.now);
  }
  assert.ok(p.work.taken.length > 200, `${p.work.taken.length} pages`);
  assert.deepEqual(
    names.map((name) => p.store.reputationOf(name)?.wrong),
    [0, 0, 0],
  );
});

/** Makes a record for a volunteer. */
function prove({ store }: Project, volunteer: string): void {
  store.setReputation(volunteer, { good: 50, checked: 50, wrong: 0 });
}

test("results of a volunteer with a record wait for the next check, and fall with it", async () => {
  using p = openProject({}, { seed: 3 });
  for (const name of ["ann", "liar"]) {
    p.project.register(name, p.now);
    prove(p, name);
  }
  let checked: AssignedUnit | undefined;
  let given = 0;
  while (checked === undefined) {
    const unit = ask(p, "liar");
    given++;
    p.project.submit(unit.name, "liar", bytesOf(inventing(honest(p, unit))), p.now);
    p.now += 1000;
    if (p.store.unitsIn("second", p.now).length > 0) checked = ask(p, "ann");
    assert.equal(p.work.taken.length, 0, "nothing is believed before a check");
  }
  assert.ok(given > 1, "not every unit is checked");
  const waiting = p.work.waiting;
  p.project.submit(checked.name, "ann", bytesOf(honest(p, checked)), p.now);
  p.now += 1000;
  await p.project.settle(p.now);
  assert.equal(p.store.reputationOf("liar")?.wrong, 1);
  assert.equal(p.work.waiting, waiting + 10 * (given - 1), "their pages are in line again");
  assert.ok(p.work.taken.every(({ links }) => links.every((link) => p.web.isTrue(link))));
});

test("wherever a kill comes while a lie is found out, it counts once, and what waits for the check falls", async () => {
  const methods = ["setReputation", "dropUnit", "setCopy", "dropQuarantined"] as const;
  let kills = 0;
  for (const method of methods)
    for (let call = 1, isKilled = true; isKilled && call <= 2; call++) {
      using p = openProject({}, { seed: 3 });
      for (const name of ["ann", "liar"]) p.project.register(name, p.now);
      prove(p, "liar");
      while (p.store.unitsIn("second", Number.MAX_SAFE_INTEGER).length === 0 || p.store.heldBy("liar").length === 0) {
        const unit = ask(p, "liar");
        p.project.submit(unit.name, "liar", bytesOf(inventing(honest(p, unit))), p.now);
        p.now += 1000;
      }
      const checked = ask(p, "ann");
      p.project.submit(checked.name, "ann", bytesOf(honest(p, checked)), p.now);
      p.now += 1000;
      let calls = 0;
      const act = p.store[method].bind(p.store) as (...values: unknown[]) => void;
      Object.assign(p.store, {
        [method]: (...values: unknown[]) => {
          if (++calls === call) throw new Error("killed");
          act(...values);
        },
      });
      isKilled = await p.project.settle(p.now).then(
        () => false,
        () => true,
      );
      if (isKilled) kills++;
      const next = p.reopen();
      next.now = p.now + 2000;
      await next.project.settle(next.now);
      // Longer than results wait for a check.
      next.now += 7 * 3_600_000;
      await next.project.settle(next.now);
      assert.equal(next.store.reputationOf("liar")?.wrong, 1, `killed at call ${call} of ${method}`);
      assert.ok(
        next.work.taken.every(({ links }) => links.every((link) => p.web.isTrue(link))),
        `killed at call ${call} of ${method}`,
      );
    }
  assert.ok(kills >= methods.length, `${kills} kills`);
});

test("results of a volunteer with a record are believed after a check that finds him right", async () => {
  using p = openProject({}, { seed: 3 });
  for (const name of ["ann", "bob"]) {
    p.project.register(name, p.now);
    prove(p, name);
  }
  let units = 0;
  while (p.work.taken.length === 0) {
    for (const name of ["ann", "bob"])
      for (const unit of p.project.assign(name, 1, p.now)) {
        units++;
        p.project.submit(unit.name, name, bytesOf(honest(p, unit)), p.now);
      }
    p.now += 1000;
    await p.project.settle(p.now);
  }
  assert.ok(p.work.taken.length > 10, `${p.work.taken.length} pages of ${units} units`);
});

test("results that wait for a check are believed after six hours, unless their volunteer was found out meanwhile", async () => {
  using p = openProject({}, { seed: 3 });
  p.project.register("ann", p.now);
  prove(p, "ann");
  while (p.store.heldBy("ann").length === 0) {
    const unit = ask(p, "ann");
    p.project.submit(unit.name, "ann", bytesOf(honest(p, unit)), p.now);
    p.now += 1000;
  }
  const held = p.store.heldBy("ann").length;
  p.now += 6 * 3_600_000 - 2000;
  const before = p.work.taken.length;
  await p.project.settle(p.now);
  p.now += 2000;
  await p.project.settle(p.now);
  assert.ok(p.work.taken.length >= before + held * 10);
  assert.equal(p.store.heldBy("ann").length, 0);
});

test("results whose volunteer is about to be found out are not believed, however long the server was away", async () => {
  using p = openProject({}, { seed: 3 });
  for (const name of ["ann", "liar"]) p.project.register(name, p.now);
  prove(p, "liar");
  while (p.store.unitsIn("second", Number.MAX_SAFE_INTEGER).length === 0 || p.store.heldBy("liar").length === 0) {
    const unit = ask(p, "liar");
    p.project.submit(unit.name, "liar", bytesOf(inventing(honest(p, unit))), p.now);
    p.now += 1000;
  }
  const checked = ask(p, "ann");
  p.project.submit(checked.name, "ann", bytesOf(honest(p, checked)), p.now);
  const next = p.reopen();
  next.now = p.now + 7 * 3_600_000;
  await next.project.settle(next.now);
  assert.equal(next.store.reputationOf("liar")?.wrong, 1);
  assert.ok(next.work.taken.every(({ links }) => links.every((link) => p.web.isTrue(link))));
});

test("pages of the project's own find out who makes up answers at once", async () => {
  using p = openProject({}, { sites: 3 });
  p.project.register("liar", p.now);
  await p.project.learnKnown(["https://known.example/1", "https://known.example/2"], p.now);
  for (let tries = 0; p.store.reputationOf("liar")?.wrong === 0; tries++) {
    assert.ok(tries < 200, "no unit of known pages was given");
    for (const unit of p.project.assign("liar", 1, p.now)) {
      const verdict = p.project.submit(unit.name, "liar", bytesOf(inventing(honest(p, unit))), p.now);
      assert.equal(verdict, "accepted");
    }
    p.now += 20_000;
    for (const { id, isKnown } of p.store.unitsIn("second", p.now)) assert.ok(!isKnown, `${id}`);
    if (p.store.unitsIn("judge", p.now).length > 0) await p.project.settle(p.now);
  }
  assert.equal(p.work.taken.length, 0);
});

/** Asks for units until one is of known pages, and gives back all others. */
function askKnown(p: Project, volunteer: string): AssignedUnit {
  for (let tries = 0; tries < 200; tries++) {
    for (const unit of p.project.assign(volunteer, 1, p.now)) {
      if (readUnit(unit.bytes).origin === "https://known.example") return unit;
      p.project.submit(unit.name, volunteer, bytesOf(honest(p, unit)), p.now);
    }
    p.now += 20_000;
  }
  throw new Error("no unit of known pages was given");
}

test("own pages that were edited, or that somebody could not get, make nobody a liar", async () => {
  using p = openProject();
  p.project.register("ann", p.now);
  await p.project.learnKnown(["https://known.example/1", "https://known.example/2"], p.now);
  const answer = p.web.answer.bind(p.web);
  for (let edit = 1; edit <= 3; edit++) {
    p.web.answer = (origin, path) => [...answer(origin, path), `https://s1.example/edit${edit}`];
    const unit = askKnown(p, "ann");
    assert.equal(p.project.submit(unit.name, "ann", bytesOf(honest(p, unit)), p.now), "accepted");
    p.now += 20_000;
    await p.project.settle(p.now);
  }
  const unit = askKnown(p, "ann");
  const { pages, ...result } = honest(p, unit);
  const forbidden = pages.map((page) => ({ ...page, answer: 403, body: undefined, links: [] }));
  assert.equal(p.project.submit(unit.name, "ann", bytesOf({ ...result, pages: forbidden }), p.now), "accepted");
  assert.equal(p.store.reputationOf("ann")?.wrong, 0);
});

const unanswering = (result: WorkResult, answer: "left" | "failed" | 503 = "failed"): WorkResult => ({
  ...result,
  isComplete: answer !== "left",
  pages: result.pages.map(({ path, at }) => ({ path, answer, at, body: undefined, links: [] })),
});

test("a result that answers no known page earns nothing", async () => {
  using p = openProject();
  p.project.register("idler", p.now);
  await p.project.learnKnown(["https://known.example/1", "https://known.example/2"], p.now);
  for (const answer of ["left", "failed", 503] as const) {
    const unit = askKnown(p, "idler");
    assert.equal(
      p.project.submit(unit.name, "idler", bytesOf(unanswering(honest(p, unit), answer)), p.now),
      "accepted",
    );
    p.now += 20_000;
  }
  assert.deepEqual(p.store.reputationOf("idler"), { good: 0, checked: 0, wrong: 0 });
  const unit = askKnown(p, "idler");
  p.project.submit(unit.name, "idler", bytesOf(honest(p, unit)), p.now);
  assert.equal(p.store.reputationOf("idler")?.good, 1);
});

test("who says that pages failed which another volunteer got earns nothing, and no page is lost", async () => {
  for (const answer of ["failed", 503] as const) {
    using p = openProject();
    for (const name of ["ann", "idler"]) p.project.register(name, p.now);
    for (let round = 0; round < 3; round++) {
      const first = ask(p, "idler");
      const { pages, ...result } = honest(p, first);
      const told = {
        ...result,
        pages: [...pages.slice(0, 1), ...unanswering({ ...result, pages: pages.slice(1) }, answer).pages],
      };
      p.project.submit(first.name, "idler", bytesOf(told), p.now);
      p.now += 1000;
      const second = ask(p, "ann");
      assert.deepEqual(readUnit(second.bytes).paths, readUnit(first.bytes).paths);
      p.project.submit(second.name, "ann", bytesOf(honest(p, second)), p.now);
      p.now += 1000;
      await p.project.settle(p.now);
    }
    assert.deepEqual(p.store.reputationOf("idler"), { good: 0, checked: 0, wrong: 0 });
    assert.equal(p.store.reputationOf("ann")?.good, 3);
    assert.ok(p.work.taken.length > 0 && p.work.taken.every(({ links }) => links.length > 0));
    assert.equal(p.work.taken.length + p.work.waiting, 20 * 40);
  }
});

test("pages that two volunteers could not get are requested again", async () => {
  using p = openProject();
  for (const name of ["ann", "bob"]) p.project.register(name, p.now);
  const first = ask(p, "ann");
  const fewFailed = (result: WorkResult): WorkResult => ({
    ...result,
    pages: [...result.pages.slice(0, 8), ...unanswering({ ...result, pages: result.pages.slice(8) }).pages],
  });
  p.project.submit(first.name, "ann", bytesOf(fewFailed(honest(p, first))), p.now);
  p.now += 1000;
  const second = ask(p, "bob");
  p.project.submit(second.name, "bob", bytesOf(fewFailed(honest(p, second))), p.now);
  assert.equal(p.work.taken.length, 8);
  assert.equal(p.work.waiting, 20 * 40 - 8);
  assert.equal(p.store.reputationOf("ann")?.good, 1);
});

test("units that are given back or lost finish no page, and their volunteer waits longer each time", async () => {
  using p = openProject({ deadlineMs: 60_000 }, { sites: 1 });
  for (const name of ["ann", "quitter"]) p.project.register(name, p.now);
  for (const waitMs of [15_000, 30_000, 60_000]) {
    p.project.fail(ask(p, "quitter").name, "quitter", p.now);
    p.now += waitMs - 1;
    assert.deepEqual(p.project.assign("quitter", 1, p.now), []);
    p.now += 1;
  }
  ask(p, "quitter");
  p.now += 70_000;
  await p.project.settle(p.now);
  assert.deepEqual(p.project.assign("quitter", 1, p.now), [], "what comes late is lost, too");
  p.now += 120_000;
  // Each of the four units of the site, three times.
  for (let loss = 5; loss <= 12; loss++) {
    p.project.fail(ask(p, "quitter").name, "quitter", p.now);
    p.now += 3_600_000;
  }
  assert.equal(p.work.waiting, 40);
});

const unreachable = (result: WorkResult): WorkResult => ({ ...unanswering(result, "left"), robots: "unreachable" });

test("a site is unreachable if two say so, and not if the project itself reaches it", async () => {
  using p = openProject({}, { sites: 1 });
  for (const name of ["ann", "bob", "idler"]) p.project.register(name, p.now);
  const ends: boolean[] = [];
  const end = p.work.end.bind(p.work);
  p.work.end = (origin, how) => {
    ends.push(how.isReachable);
    end(origin, how);
  };
  const tell = (volunteer: string, change: (result: WorkResult) => WorkResult): void => {
    const unit = ask(p, volunteer);
    assert.equal(p.project.submit(unit.name, volunteer, bytesOf(change(honest(p, unit))), p.now), "accepted");
    p.now += 1000;
  };
  tell("idler", unreachable);
  assert.deepEqual(ends, [], "one word is not enough");
  tell("ann", (result) => result);
  await p.project.settle(p.now);
  assert.deepEqual(ends, [true]);
  assert.equal(p.work.taken.length, 10);
  assert.equal(p.store.reputationOf("ann")?.good, 1);
  p.now += 1000;
  tell("ann", unreachable);
  tell("bob", unreachable);
  assert.deepEqual(ends, [true, false]);
  assert.equal(p.work.waiting, 30);
});

test("a page is given up after three times without an answer, and never on one word", async () => {
  using p = openProject({}, { sites: 1, seed: 3 });
  for (const name of ["ann", "bob"]) {
    p.project.register(name, p.now);
    prove(p, name);
  }
  const lastFails = (result: WorkResult): WorkResult => ({
    ...result,
    pages: result.pages.flatMap((page) =>
      page.path === "/7" ? unanswering({ ...result, pages: [page] }).pages : [page],
    ),
  });
  let told = 0;
  while (p.work.waiting > 0 || p.store.openUnits().length > 0) {
    for (const name of ["ann", "bob"])
      for (const unit of p.project.assign(name, 1, p.now)) {
        if (readUnit(unit.bytes).paths.includes("/7")) told++;
        assert.equal(p.project.submit(unit.name, name, bytesOf(lastFails(honest(p, unit))), p.now), "accepted");
      }
    p.now += 1000;
    await p.project.settle(p.now);
    assert.ok(p.now < start + 86_400_000, "/7 is asked for again and again");
  }
  assert.ok(told >= 4, `/7 was asked for ${told} times`);
});

test("a known page that nobody gets when it is to be visited again is visited again later", async () => {
  using p = openProject({ revisitMs: 0 }, { sites: 10 });
  for (const name of ["ann", "bob"]) p.project.register(name, p.now);
  const revisits = new Set<string>();
  while (p.work.waiting > 0 || p.store.openUnits().length > 0) {
    for (const name of ["ann", "bob"])
      for (const unit of p.project.assign(name, 1, p.now)) {
        const { origin, paths } = readUnit(unit.bytes);
        const known = paths.filter((path) => p.store.page(origin + path) !== undefined);
        for (const path of known) revisits.add(origin + path);
        const result = honest(p, unit);
        const failed = unanswering(result).pages;
        const pages = result.pages.map((page, at) => (known.includes(page.path) ? (failed[at] ?? page) : page));
        p.project.submit(unit.name, name, bytesOf({ ...result, pages }), p.now);
      }
    p.now += 60_000;
    await p.project.settle(p.now);
    assert.ok(p.now < start + 30 * 86_400_000, "pages are asked for again and again");
  }
  assert.ok(revisits.size > 5, `${revisits.size} pages were to be visited again`);
  assert.deepEqual(
    [...revisits].filter((url) => p.store.page(url)?.isWanted),
    [],
  );
});

test("two volunteers without a record bring a few new sites with a unit, and the rest wait for a third word", async () => {
  using p = openProject();
  const names = ["a", "b", "c", "d", "e", "f"];
  for (const name of names) p.project.register(name, p.now);
  const withSites = (result: WorkResult): WorkResult => ({
    ...result,
    pages: result.pages.map((page) => ({
      ...page,
      links: Array.from({ length: 10 }, (_, at) => `https://new${at}.example/`),
    })),
  });
  const linksAfter: number[] = [];
  for (let pair = 0; pair < 2; pair++) {
    const two = names.slice(pair * 2, pair * 2 + 2);
    for (const name of two) {
      const unit = ask(p, name);
      p.project.submit(unit.name, name, bytesOf(withSites(honest(p, unit))), p.now);
      p.now += 1000;
      await p.project.settle(p.now);
    }
    linksAfter.push(p.work.taken.at(-1)?.links.length ?? 0);
  }
  assert.equal(linksAfter[0], 5);
  assert.equal(p.project.counts.quarantined > 0, true);
  assert.equal(linksAfter[1], 10, "two others reported them before");
});

test("after a kill nothing that was accepted is lost, and sites of open units stay closed", async () => {
  using p = openProject();
  for (const name of ["ann", "bob"]) p.project.register(name, p.now);
  const first = ask(p, "ann");
  p.project.submit(first.name, "ann", bytesOf(honest(p, first)), p.now);
  const other = ask(p, "ann");
  const next = p.reopen();
  next.now = p.now + 1000;
  assert.deepEqual(
    next.store
      .openUnits()
      .map(({ origin }) => origin)
      .sort(),
    [first, other].map(({ bytes }) => readUnit(bytes).origin).sort(),
  );
  const second = ask(next, "bob");
  assert.deepEqual(readUnit(second.bytes).paths, readUnit(first.bytes).paths);
  next.project.submit(second.name, "bob", bytesOf(honest(next, second)), next.now);
  assert.equal(next.work.taken.length, 10);
  assert.equal(next.project.submit(other.name, "ann", bytesOf(honest(next, other)), next.now), "accepted");
  assert.ok(next.project.isDone(readUnit(first.bytes).origin + readUnit(first.bytes).paths[0]));
});

test("a kill between the acceptance of a result and what follows from it loses nothing", () => {
  using p = openProject();
  for (const name of ["ann", "bob"]) p.project.register(name, p.now);
  const first = ask(p, "ann");
  p.project.submit(first.name, "ann", bytesOf(honest(p, first)), p.now);
  p.now += 1000;
  const second = ask(p, "bob");
  const take = p.work.take.bind(p.work);
  p.work.take = () => {
    throw new Error("killed");
  };
  assert.throws(() => p.project.submit(second.name, "bob", bytesOf(honest(p, second)), p.now), /killed/);
  p.work.take = take;
  const next = p.reopen();
  assert.equal(next.work.taken.length, 10);
  assert.equal(next.store.openUnits().length, 0);
  assert.equal(next.project.submit(second.name, "bob", bytesOf(honest(p, second)), p.now), "duplicate");
});

test("pages are visited again by change, age and links, one of ten", async () => {
  using p = openProject({ revisitMs: 0 }, { sites: 10 });
  const names = ["ann", "bob"];
  for (const name of names) p.project.register(name, p.now);
  for (let round = 0; round < 60; round++) {
    for (const name of names)
      for (const unit of p.project.assign(name, 1, p.now))
        p.project.submit(unit.name, name, bytesOf(honest(p, unit)), p.now);
    p.now += 60_000;
    await p.project.settle(p.now);
  }
  const seen = new Map<string, number>();
  for (const { origin, path } of p.work.taken) seen.set(origin + path, (seen.get(origin + path) ?? 0) + 1);
  const again = [...seen.values()].filter((times) => times > 1).length;
  assert.ok(again > 0 && again < seen.size / 3, `${again} of ${seen.size}`);
});
