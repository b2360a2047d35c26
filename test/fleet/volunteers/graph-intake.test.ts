import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { GraphIntake } from "../../../src/fleet/volunteers/graph-intake.ts";
import type { BelievedPage } from "../../../src/fleet/volunteers/merge-results.ts";
import { VolunteerStore } from "../../../src/fleet/volunteers/volunteer-store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

test("no more than a thousand sites wait on the word of a volunteer, however many one unit names", () => {
  using folder = makeTempFolder();
  using store = new VolunteerStore(join(folder.path, "volunteers.db"));
  const work = {
    ...{ next: () => undefined, end: () => undefined, take: () => undefined, again: () => undefined },
    knows: () => false,
  };
  const intake = new GraphIntake(store, work, 0);
  const origin = "https://a.example";
  const pages = ["/1", "/2", "/3"].map((path) => ({ path, note: "" }));
  const sites = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, at) => `https://new${from + at}.example/`);
  const volunteers = ["ann", "bob"];
  const believe = (links: readonly string[][]): Map<string, BelievedPage> =>
    new Map(
      pages.map(({ path }, at) => {
        const page = { path, answer: 200, at: 1, body: undefined, links: links[at] ?? [] };
        return [path, { page, links: page.links, isDoubtful: true, volunteers }];
      }),
    );
  const unit = { id: 1, origin, pages, stage: "out", isKnown: false, notBefore: 0, ends: 0 } as const;
  // Five are brought; the same 500 sites on two pages count once.
  intake.take(unit, believe([sites(0, 505), sites(5, 500), []]), 1);
  for (const name of volunteers) assert.equal(store.countQuarantined(name), 500);
  intake.take(unit, believe([sites(1000, 900), sites(2000, 900), sites(3000, 900)]), 2);
  for (const name of volunteers) assert.equal(store.countQuarantined(name), 1000);
});
