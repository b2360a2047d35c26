import { Buffer } from "node:buffer";
import { parseWorkResult, type WorkResult } from "../../formats/work-unit/index.ts";
import { type Allowance, allowanceOf, isAnswered } from "./judgement.ts";
import type { Report } from "./merge-results.ts";
import { isProven } from "./reputation.ts";
import { reputationIn, type StoredCopy, type StoredUnit, type VolunteerStore } from "./volunteer-store.ts";

/** A result that was accepted. */
export interface Accepted extends Report {
  readonly copy: StoredCopy;
}

/** The results of a unit that were accepted, in the order in which their copies were given out. */
export function acceptedOf(store: VolunteerStore, unit: StoredUnit): Accepted[] {
  return store.copiesOf(unit.id).flatMap((copy) => {
    if (copy.state !== "in" || copy.result === undefined) return [];
    const parsed = parseWorkResult(Buffer.from(copy.result, "latin1"));
    if (!parsed.ok) return [];
    const { volunteer } = copy;
    return [{ copy, volunteer, result: parsed.value, isProven: isProven(reputationIn(store, volunteer)) }];
  });
}

/** How far answers for the pages of a unit may lie apart, by what is known of each. */
export function allowanceIn(store: VolunteerStore, { origin }: StoredUnit): Allowance {
  return (path) => allowanceOf(store.page(origin + path)?.largest);
}

export function pathsOf({ pages }: StoredUnit): string[] {
  return pages.map(({ path }) => path);
}

/** Paths of a unit that a result does not answer. */
export function leftOf(unit: StoredUnit, { pages: done }: WorkResult): string[] {
  const answered = new Set(done.filter(isAnswered).map(({ path }) => path));
  return pathsOf(unit).filter((path) => !answered.has(path));
}

/** Whether all of some results say that the site cannot be reached. */
export function isUnreachable(reports: readonly { readonly result: WorkResult }[]): boolean {
  return reports.every(({ result }) => result.robots === "unreachable");
}

/** Paths of which some result says that there was no answer. */
export function unansweredIn(results: readonly WorkResult[]): Set<string> {
  const pages = results.flatMap((result) => result.pages.filter((page) => !isAnswered(page)));
  return new Set(pages.map(({ path }) => path));
}

export function shufflePaths(paths: readonly string[], random: () => number): string[] {
  const drawn = paths.map((path) => ({ path, order: random() }));
  return drawn.sort((a, b) => a.order - b.order).map(({ path }) => path);
}

/** The pages of a unit that the project looks at itself, one of ten, but two at least: those on which copies differ first. */
export function samplePages(
  unit: StoredUnit,
  differing: readonly string[],
  most: number,
  random: () => number,
): string[] {
  if (unit.isKnown) return pathsOf(unit);
  const others = pathsOf(unit).filter((path) => !differing.includes(path));
  const count = Math.min(most, Math.max(2, Math.ceil(unit.pages.length / 10)));
  return [...shufflePaths(differing, random), ...shufflePaths(others, random)].slice(0, count);
}
