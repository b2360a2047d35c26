import type { WorkPage, WorkResult } from "../../formats/work-unit/index.ts";

/** How far two honest answers for a page may lie apart, from 0 to 1. */
export type Allowance = (path: string) => number;

/** How much two answers for some pages differ. */
export interface Difference {
  /** Links that only one of them has, as a share of those that either has: one less their Jaccard index; 0 if nothing could be compared. */
  readonly distance: number;
  /** The distance that is allowed, in the mean over the compared pages. */
  readonly allowed: number;
  /** Pages that both answered. */
  readonly pages: number;
  /** Those that lie farther apart than is allowed. */
  readonly differing: readonly string[];
}

/** Whether an answer says what another visit should find too. Others (`left`, `failed`, 429, 5xx) are temporary: the page is requested again. */
export function isAnswered({ answer }: WorkPage): boolean {
  return typeof answer === "number"
    ? answer < 500 && answer !== 429
    : answer === "disallowed" || answer === "too-large";
}

const kindOf = ({ answer }: WorkPage): string =>
  typeof answer === "number" ? String(Math.floor(answer / 100)) : answer;

/** One less the Jaccard index of two sets; 0 if both are empty. O(a + b) */
export function distanceOf(a: readonly string[], b: readonly string[]): number {
  const ofB = new Set(b);
  const both = a.reduce((sum, link) => sum + (ofB.has(link) ? 1 : 0), 0);
  const either = a.length + b.length - both;
  return either === 0 ? 0 : 1 - both / either;
}

/** Compares what two results say of the pages that both have. A page that only one of them answered differs. A page with many links weighs more. */
export function compareResults(a: WorkResult, b: WorkResult, allow: Allowance): Difference {
  const others = new Map(b.pages.map((page) => [page.path, page]));
  let [weights, distances, allowances, pages] = [0, 0, 0, 0];
  const differing: string[] = [];
  for (const page of a.pages) {
    const other = others.get(page.path);
    if (other === undefined || (!isAnswered(page) && !isAnswered(other))) continue;
    const areBoth = isAnswered(page) && isAnswered(other);
    const distance = areBoth && kindOf(page) === kindOf(other) ? distanceOf(page.links, other.links) : 1;
    const weight = 1 + Math.max(page.links.length, other.links.length);
    const allowed = allow(page.path);
    if (distance > allowed) differing.push(page.path);
    weights += weight;
    distances += weight * distance;
    allowances += weight * allowed;
    if (areBoth) pages++;
  }
  if (weights === 0) return { distance: 0, allowed: 0, pages, differing };
  return { distance: distances / weights, allowed: allowances / weights, pages, differing };
}

/** What a visit of the project's own says of a volunteer's result. */
export type Verdict = "right" | "wrong" | "unclear";

/** Whether so many of a number of pages are enough to judge all. */
export const isMost = (part: number, all: number): boolean => part * 2 > all;

/** What is allowed beside what the pages themselves change. */
const excess = 0.15;
/** Pages that change more than so are not judged. */
const mostUsual = 0.5;

/**
 * Judges a result by two visits of the project's own, one after the other: what these differ by is the pages' own. It is wrong if it has more
 * links that neither visit has, or lacks more that both have, than pages do that change so. It is right only if it answers most of its pages, and
 * most of those that were visited.
 *
 * @param again - the second visit; undefined if there was none
 */
export function judgeResult(
  result: WorkResult,
  own: WorkResult,
  again: WorkResult | undefined,
  allow: Allowance,
): Verdict {
  const { distance, allowed, pages } = compareResults(result, own, allow);
  if (pages === 0) return "unclear";
  if (distance <= allowed) {
    const answered = result.pages.filter(isAnswered).length;
    return isMost(pages, own.pages.length) && isMost(answered, result.pages.length) ? "right" : "unclear";
  }
  if (again === undefined) return "unclear";
  const told = new Map(result.pages.map((page) => [page.path, page]));
  const second = new Map(again.pages.map((page) => [page.path, page]));
  const counts = { links: 0, unknown: 0, lasting: 0, missing: 0, own: 0, passing: 0 };
  for (const page of own.pages) {
    const [one, other] = [told.get(page.path), second.get(page.path)];
    if (one === undefined || other === undefined || ![page, one, other].every(isAnswered)) continue;
    if (kindOf(page) !== kindOf(other)) continue;
    // One more than its links: what it is.
    const isSame = kindOf(page) === kindOf(one);
    const [a, b, c] = [new Set(page.links), new Set(other.links), new Set(one.links)];
    const lasting = page.links.filter((link) => b.has(link));
    counts.own += page.links.length + 1;
    counts.passing += page.links.length - lasting.length;
    counts.links += one.links.length + 1;
    counts.unknown += one.links.filter((link) => !a.has(link) && !b.has(link)).length + (isSame ? 0 : 1);
    counts.lasting += lasting.length + 1;
    counts.missing += lasting.filter((link) => !c.has(link)).length + (isSame ? 0 : 1);
  }
  if (counts.own === 0) return "unclear";
  const usual = counts.passing / counts.own;
  if (usual > mostUsual) return "unclear";
  const most = excess + 1.5 * usual;
  return counts.unknown / counts.links > most || counts.missing / counts.lasting > most ? "wrong" : "unclear";
}

const unknownAllowance = 0.2;
const leastAllowance = 0.05;
const mostAllowance = 0.8;

/**
 * How far two answers for a page may lie apart that come in one time slot.
 *
 * @param largestChange - the largest change of its links between two visits so far, K. Chen's C; undefined if it was not visited twice
 * @see K. Chen, "An Open Solution to Discover the Graph Structure of World Wide Web", section 4.3.1, Equation 4.2 and chapter 6
 */
export function allowanceOf(largestChange: number | undefined): number {
  if (largestChange === undefined) return unknownAllowance;
  return Math.min(mostAllowance, leastAllowance + 1.5 * largestChange);
}
