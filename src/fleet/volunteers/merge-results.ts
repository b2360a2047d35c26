import type { WorkPage, WorkResult } from "../../formats/work-unit/index.ts";
import { isAnswered } from "./judgement.ts";

/** A result, and whether its volunteer has a record of right ones. */
export interface Report {
  readonly volunteer: string;
  readonly result: WorkResult;
  readonly isProven: boolean;
}

/** What is believed of a page. */
export interface BelievedPage {
  readonly page: WorkPage;
  readonly links: readonly string[];
  /** Whether only volunteers without a record say so. */
  readonly isDoubtful: boolean;
  /** Who says so. */
  readonly volunteers: readonly string[];
}

/**
 * What is believed of the pages of a unit: what the project's own visit saw; else links that both copies have, and those that a volunteer
 * with a record has alone; of one copy all. A page that only one of two copies answers is believed if its volunteer has a record.
 *
 * @param reports - the copies that were not found wrong
 * @param own - of the project itself, some pages
 * @returns pages by path; those that are to be requested again are missing
 */
export function mergeResults(reports: readonly Report[], own: WorkResult | undefined): Map<string, BelievedPage> {
  const believed = new Map<string, BelievedPage>();
  for (const page of own?.pages ?? [])
    if (isAnswered(page)) believed.set(page.path, { page, links: page.links, isDoubtful: false, volunteers: [] });
  const answers = reports.map((report) => ({
    ...report,
    pages: new Map(report.result.pages.map((one) => [one.path, one])),
  }));
  for (const path of answers.flatMap(({ pages }) => [...pages.keys()])) {
    if (believed.has(path)) continue;
    const told = answers.flatMap(({ pages, isProven, volunteer }) => {
      const page = pages.get(path);
      return page !== undefined && isAnswered(page) ? [{ page, isProven, volunteer }] : [];
    });
    const latest = told.reduce((a, b) => (b.page.at > a.page.at ? b : a), told[0] as (typeof told)[number]);
    if (latest === undefined) continue;
    const isDoubtful = told.every(({ isProven }) => !isProven);
    if (isDoubtful && told.length < answers.length) continue;
    const counts = new Map<string, number>();
    for (const { page, isProven } of told)
      for (const link of page.links) counts.set(link, (counts.get(link) ?? 0) + (isProven ? told.length : 1));
    const links = [...counts].filter(([, count]) => count >= told.length).map(([link]) => link);
    believed.set(path, { page: latest.page, links, isDoubtful, volunteers: told.map(({ volunteer }) => volunteer) });
  }
  return believed;
}
