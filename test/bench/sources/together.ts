import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { DaysResult, FollowedDays } from "./run-days.ts";

/** Some of those who follow, through some of the days. */
export interface Part {
  /** A regular expression that their names match. */
  readonly only: string;
  /** The day at whose end they come first, and the one at whose end they come last. */
  readonly from: number;
  readonly until: number;
}

const partsOfHttrack = 3;
const daysOfWgetHead = 3;

/** Parts that fit on a machine at the same time, so that none of them takes much longer than the others. */
export function planParts(days: number): Part[] {
  const cut = (at: number): number => Math.round((days * at) / partsOfHttrack);
  return [
    { only: "^(?:archives|ResourceSync|sitemap|nothing|Scrapy)", from: 0, until: days },
    { only: "^(?:wget2|wget -m -N$)", from: 0, until: days },
    { only: "^wget .*--no-if", from: Math.max(0, days - daysOfWgetHead), until: days },
    ...Array.from({ length: partsOfHttrack }, (_, at) => ({ only: "^HTTrack", from: cut(at), until: cut(at + 1) })),
  ];
}

async function runPart(
  program: readonly string[],
  { only, from, until }: Part,
  signal: AbortSignal,
): Promise<DaysResult> {
  const args = [...program, "--only", only, "--from", `${from}`, "--until", `${until}`, "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  signal.addEventListener("abort", () => child.kill(), { once: true });
  let last = "";
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    last = line;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the part ${only} from day ${from} ended with ${code}`);
  return JSON.parse(last) as DaysResult;
}

// The first visit of each later part brings it to where the part before ended.
function join(parts: readonly FollowedDays[], days: number): FollowedDays {
  const [first, ...rest] = parts;
  if (first === undefined) throw new TypeError("no parts");
  const visits = [...first.visits, ...rest.flatMap((part) => part.visits.slice(1))];
  const seen = visits.length - 1;
  const name = seen === days ? first.name : `${first.name}, ${seen} of the days`;
  return { ...first, name, visits };
}

/**
 * Runs parts at the same time, each in a process of its own with the same site on a port of its own.
 *
 * @param program - arguments of Node that run one part
 */
export async function runTogether(
  program: readonly string[],
  parts: readonly Part[],
  days: number,
): Promise<DaysResult> {
  // Where one fails, the others would go on for an hour for nothing.
  const others = new AbortController();
  const results = await Promise.all(parts.map((part) => runPart(program, part, others.signal))).finally(() =>
    others.abort(),
  );
  const [first] = results;
  if (first === undefined) throw new TypeError("no parts");
  const byName = new Map<string, FollowedDays[]>();
  for (const one of results.flatMap(({ followed }) => followed))
    byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  return { ...first, followed: [...byName.values()].map((parted) => join(parted, days)) };
}
