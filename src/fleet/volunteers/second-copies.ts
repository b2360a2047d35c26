import type { EpochMs } from "../../core/index.ts";
import { isProven, leastProven } from "./reputation.ts";
import { reputationIn, type StoredUnit, type VolunteerStore } from "./volunteer-store.ts";

/** So many volunteers with a record are enough to leave the second copies of others to them. */
const enoughProven = 3;
const secondsLookedAt = 20;

/** A unit of which a volunteer may have the second copy, the longest waiting first. @param isGood - whether he has a record */
export function findSecond(
  store: VolunteerStore,
  volunteer: string,
  isGood: boolean,
  now: EpochMs,
): StoredUnit | undefined {
  const needsGood = !isGood && store.countGood(leastProven) >= enoughProven;
  return store.secondsFor(volunteer, now, secondsLookedAt).find((unit) => {
    const copies = store.copiesOf(unit.id);
    return !needsGood || copies.some((copy) => isProven(reputationIn(store, copy.volunteer)));
  });
}
