import { resolve } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import { readSideFile, sideFileIn, writeSideFile } from "../../fs/index.ts";
import { isPriority } from "./site-decision.ts";
import { defaultPriority } from "./site-scheduler.ts";

/** A site as it is listed, before what somebody decided. */
export interface ListedSite {
  readonly site: string;
  readonly priority: number;
}

const listName = "followed.txt";
const maxListBytes = 256 * 1024 * 1024;
const lineForm = /^(https?:\/\/[\w.:[\]-]{1,290}) (\d{1,2}(?:\.\d{1,3})?)$/;

/** Writes which sites are followed, a line each, for those who look at it later. */
export function writeFollowedList(into: string, sites: Iterable<ListedSite>): void {
  const lines: string[] = [];
  for (const { site, priority } of sites) lines.push(`${site} ${priority}\n`);
  writeSideFile(sideFileIn(resolve(into), listName), lines.join(""));
}

/**
 * Reads which sites are followed, or were when somebody followed last.
 *
 * @returns by their origins; undefined if nobody ever followed sites into this folder
 * @throws TidemarkError `state-corrupt`, `no-permission`, `io`
 */
export function readFollowedList(into: string): Map<string, ListedSite> | undefined {
  const file = sideFileIn(resolve(into), listName);
  const read = readSideFile(file, maxListBytes);
  if (read === "missing") return undefined;
  const sites = new Map<string, ListedSite>();
  const lines = typeof read === "string" ? [""] : read.text.split("\n");
  // What does not end with its line feed is torn.
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
