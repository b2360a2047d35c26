import { resolve } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import { readSideFile, sideFileIn, writeSideFile } from "../../fs/index.ts";
import { isPriority } from "./site-decision.ts";
import { defaultPriority } from "./site-scheduler.ts";

/** A site as listed, before decisions apply. */
export interface ListedSite {
  readonly site: string;
  readonly priority: number;
}

const listName = "followed.txt";
const maxListBytes = 256 * 1024 * 1024;
const lineForm = /^(https?:\/\/[\w.:[\]-]{1,290}) (\d{1,2}(?:\.\d{1,3})?)$/;

/** Writes the followed sites, one per line, for programs that read them later. */
export function writeFollowedList(into: string, sites: Iterable<ListedSite>): void {
  const lines: string[] = [];
  for (const { site, priority } of sites) lines.push(`${site} ${priority}\n`);
  writeSideFile(sideFileIn(resolve(into), listName), lines.join(""));
}

/**
 * Reads which sites are followed, or were followed last.
 *
 * @returns by origin; undefined if sites were never followed into this folder
 * @throws TidemarkError `state-corrupt`, `no-permission`, `io`
 */
export function readFollowedList(into: string): Map<string, ListedSite> | undefined {
  const file = sideFileIn(resolve(into), listName);
  const read = readSideFile(file, maxListBytes);
  if (read === "missing") return undefined;
  const sites = new Map<string, ListedSite>();
  const lines = typeof read === "string" ? [""] : read.text.split("\n");
  // A line without a final line feed is incomplete.
  const isWhole = lines.pop() === "" && typeof read !== "string";
  for (const line of lines) {
    const [, site, priority] = lineForm.exec(line) ?? [];
    if (site === undefined || !isWhole)
      throw new TidemarkError("state-corrupt", `${file} is not what a follower writes.`, {
        hint: "Remove it: it is written anew when sites are followed again.",
        details: { file },
      });
    const number = Number(priority);
    sites.set(site, { site, priority: isPriority(number) ? number : defaultPriority });
  }
  return sites;
}
