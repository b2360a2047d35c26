import type { EpochSeconds } from "../../src/core/time.ts";
import { planReading } from "../../src/crawler/engine/discovery/reading-plan.ts";
import type { Publication } from "./virtual-publisher.ts";

const everything = { key: "", matches: () => true } as const;
const nothingAvoided = { intervals: new Set<string>(), chain: false } as const;

/**
 * What a visit costs that reads what changed: robots.txt, the index and the archives that the production crawler chooses.
 *
 * @param since - the publication that was read last
 * @param isRobotsKnown - whether robots.txt is as it was then
 * @param fieldsBytes - what the fields of an answer take
 * @returns bytes, those of fields included
 */
export function costOfReading(
  { index, indexBytes, robotsBytes, baseArchives }: Publication,
  since: EpochSeconds,
  isRobotsKnown: boolean,
  fieldsBytes: number,
): number {
  if (since === index.publication) return 2 * fieldsBytes;
  const cursor = { epoch: index.epoch, publication: since };
  const plan = planReading(index, { filter: everything, cursor, since: undefined }, nothingAvoided);
  if (plan.kind !== "chain" && plan.kind !== "base") throw new RangeError(`no way to read: ${plan.kind}`);
  const archives = [...(plan.kind === "base" ? [index.base, ...baseArchives] : []), ...plan.chain.flat()];
  const packed = archives.reduce((sum, { sizeBytes }) => sum + sizeBytes + fieldsBytes, 0);
  return packed + indexBytes + 2 * fieldsBytes + (isRobotsKnown ? 0 : robotsBytes);
}
