import { join } from "node:path";
import { createRandom, pickInteger } from "../../../src/core/index.ts";
import { distanceOf } from "../../../src/fleet/volunteers/judgement.ts";
import { isBarred } from "../../../src/fleet/volunteers/reputation.ts";
import { VolunteerProject } from "../../../src/fleet/volunteers/volunteer-project.ts";
import { VolunteerStore } from "../../../src/fleet/volunteers/volunteer-store.ts";
import type { WorkResult, WorkUnit } from "../../../src/formats/work-unit/index.ts";
import { type Lie, SimulatedVolunteer } from "./liars.ts";
import { bytesOf, readUnit, SimulatedWeb, SimulatedWork } from "./simulated-web.ts";

export interface TrialOptions {
  readonly volunteers: number;
  readonly liarShare: number;
  readonly lie: Lie;
  readonly sites: number;
  readonly pages: number;
  readonly seed: number;
}

/** What came of a crawl by volunteers. */
export interface TrialResult {
  /** Share of the links that reached the graph that no page has. */
  readonly falseShare: number;
  /** Share of the links that honest volunteers would have found that are missing. */
  readonly missingShare: number;
  readonly copiesPerUnit: number;
  /** Pages of the project's own visits, as a share of the pages in the graph. */
  readonly ownShare: number;
  readonly barredLiars: number;
  readonly barredHonest: number;
}

export const checks = ["none", "majority", "layers"] as const;
/** `none`: whatever comes is believed; `majority`: links that two of two or three copies have; `layers`: the program's own checks. */
export type Check = (typeof checks)[number];

const unitPages = 20;
const stepMs = 2000;

interface Taken {
  readonly links: number;
  readonly falseLinks: number;
  readonly pages: number;
}

const countTaken = (web: SimulatedWeb, pages: readonly { readonly links: readonly string[] }[]): Taken => {
  const links = pages.flatMap((page) => page.links);
  return { links: links.length, falseLinks: links.filter((link) => !web.isTrue(link)).length, pages: pages.length };
};

/** Links of a page in the mean, as honest volunteers find them. */
function meanLinks(web: SimulatedWeb): number {
  const pages = web.origins.flatMap((origin) => web.pathsOf().map((path) => web.answer(origin, path).length));
  return pages.reduce((sum, count) => sum + count, 0) / pages.length;
}

/** Lets volunteers crawl a simulated web. */
export async function runTrial(check: Check, options: TrialOptions, folder: string): Promise<TrialResult> {
  const { volunteers: count, liarShare, lie, sites, pages, seed } = options;
  const web = new SimulatedWeb({ sites, pagesPerSite: pages, linksPerPage: 20, mostRestless: 0.3, seed });
  const liars = Math.round(count * liarShare);
  const volunteers = Array.from(
    { length: count },
    (_, at) => new SimulatedVolunteer(`v${at}`, at < liars ? lie : undefined, seed),
  );
  const run = check === "layers" ? runLayers : runPlain;
  const { taken, copies, ownPages, barred } = await run(web, volunteers, check, seed, folder);
  const liarNames = new Set(volunteers.filter(({ isLiar }) => isLiar).map(({ name }) => name));
  const truth = meanLinks(web) * taken.pages;
  return {
    falseShare: taken.falseLinks / Math.max(1, taken.links),
    missingShare: 1 - (taken.links - taken.falseLinks) / Math.max(1, truth),
    copiesPerUnit: (copies * unitPages) / Math.max(1, taken.pages),
    ownShare: ownPages / Math.max(1, taken.pages),
    barredLiars: barred.filter((name) => liarNames.has(name)).length,
    barredHonest: barred.filter((name) => !liarNames.has(name)).length,
  };
}

interface Run {
  readonly taken: Taken;
  readonly copies: number;
  readonly ownPages: number;
  readonly barred: readonly string[];
}

async function runLayers(
  web: SimulatedWeb,
  volunteers: readonly SimulatedVolunteer[],
  _: Check,
  seed: number,
  folder: string,
): Promise<Run> {
  const work = new SimulatedWork(web, { unitPages, restMs: stepMs });
  const random = createRandom(seed, "volunteers");
  let now = 1_795_600_000_000;
  using store = new VolunteerStore(join(folder, `${seed}.db`));
  const project = new VolunteerProject(
    { userAgent: "tidemark/1.0", crawlDelayMs: 0, restMs: stepMs },
    {
      store,
      work,
      random: createRandom(seed, "project"),
      clock: () => now,
      visit: async (unit) => web.visit(unit, now),
    },
  );
  for (const { name } of volunteers) project.register(name, now);
  const all = web.options.sites * web.options.pagesPerSite;
  // What waits for a check at the end counts as not believed.
  for (let idle = 0; work.taken.length < all && idle < volunteers.length * 20; ) {
    const volunteer = volunteers[pickInteger(random, volunteers.length)] as SimulatedVolunteer;
    const units = project.assign(volunteer.name, 1, now);
    for (const unit of units) {
      const parsed = readUnit(unit.bytes);
      const result = volunteer.tell(web, parsed.origin, web.visit(parsed, now));
      project.submit(unit.name, volunteer.name, bytesOf(result), now);
    }
    idle = units.length > 0 ? 0 : idle + 1;
    now += stepMs / 4;
    await project.settle(now);
  }
  const { assigned, ownPages } = project.counts;
  const barred = [...store.volunteers()].filter(([, reputation]) => isBarred(reputation)).map(([name]) => name);
  return { taken: countTaken(web, work.taken), copies: assigned, ownPages, barred };
}

async function runPlain(
  web: SimulatedWeb,
  volunteers: readonly SimulatedVolunteer[],
  check: Check,
  seed: number,
): Promise<Run> {
  const random = createRandom(seed, "volunteers");
  const pages: { readonly links: readonly string[] }[] = [];
  let copies = 0;
  const ask = (origin: string, paths: readonly string[], asked: Set<SimulatedVolunteer>): WorkResult => {
    let volunteer = volunteers[pickInteger(random, volunteers.length)] as SimulatedVolunteer;
    while (asked.has(volunteer)) volunteer = volunteers[pickInteger(random, volunteers.length)] as SimulatedVolunteer;
    asked.add(volunteer);
    copies++;
    const unit: WorkUnit = {
      ...{ nonce: "0".repeat(32), issuedAt: 1_795_600_000, deadline: 1_795_603_600, origin, userAgent: "x" },
      ...{ crawlDelayMs: 0, pageBytes: 1e6, timeMs: 1e6, pageLinks: 1000, paths },
    };
    return volunteer.tell(web, origin, web.visit(unit, 1_795_600_000_000));
  };
  for (let from = 0; from < web.options.pagesPerSite; from += unitPages)
    for (const origin of web.origins) {
      const paths = web.pathsOf().slice(from, from + unitPages);
      const asked = new Set<SimulatedVolunteer>();
      const first = ask(origin, paths, asked);
      if (check === "none") {
        pages.push(...first.pages);
        continue;
      }
      const results = [first, ask(origin, paths, asked)];
      const [a, b] = results as [WorkResult, WorkResult];
      const isEqual = a.pages.every(({ links }, at) => distanceOf(links, b.pages[at]?.links ?? []) === 0);
      if (!isEqual) results.push(ask(origin, paths, asked));
      for (const at of paths.keys()) {
        const counts = new Map<string, number>();
        for (const link of results.flatMap((result) => result.pages[at]?.links ?? []))
          counts.set(link, (counts.get(link) ?? 0) + 1);
        pages.push({ links: [...counts].filter(([, count]) => count >= 2).map(([link]) => link) });
      }
    }
  return { taken: countTaken(web, pages), copies, ownPages: 0, barred: [] };
}
