import type { Clock, EpochSeconds } from "../../core/index.ts";
import { readSideFile, writeDurably } from "../../fs/index.ts";

/** When a crawl began, as its first run wrote it down: pages that were answered since then are done. */
export async function beginOf(file: string, clock: Clock): Promise<EpochSeconds> {
  const kept = readSideFile(file, 1024);
  const found = typeof kept === "object" ? /^{"since":(\d{1,12})}$/.exec(kept.text.trim()) : null;
  if (found !== null) return Number(found[1]);
  const since = Math.floor(clock() / 1000);
  await writeDurably(file, `{"since":${since}}\n`);
  return since;
}
