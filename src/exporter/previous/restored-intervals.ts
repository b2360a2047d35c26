import { ok, problem, type Result } from "../../core/index.ts";
import type { ArchiveEntry } from "../../formats/archive/index.ts";
import type { Interval, SegmentArchive } from "../publish/ledger.ts";
import { compareIntervals, keptPerTier } from "../publish/tiers.ts";

/** An archive of a tier, with the first and the last of its paths. */
export interface RangedArchive {
  readonly entry: ArchiveEntry;
  readonly firstPath: string;
  readonly lastPath: string;
}

/** Far more than sixteen intervals of each tier of any site. */
const maxIntervals = 4096;
/** Most changes of a segment: merging reads one at a time. */
const maxSegmentChanges = 65_536;

/**
 * Works out from names and paths what a ledger says of the intervals that an index lists.
 *
 * - All paths of a segment are less than those of the next.
 * - An interval inside another was merged.
 * - Tiers follow from the retention: of each tier the newest {@link keptPerTier} stay, and at a publication intervals of
 *   consecutive tiers end, from the lowest that is kept there.
 *
 * The tier of an interval that stays only for its base may come out too high. Tiers decide what is merged and kept, not
 * what a reader reads.
 *
 * @param archives - in the order of the index
 */
export function restoreIntervals(archives: readonly RangedArchive[]): Result<Interval[]> {
  const bySpan = new Map<string, RangedArchive[]>();
  for (const archive of archives) {
    const { from, to } = archive.entry.name;
    const span = `${from} ${to}`;
    const some = bySpan.get(span);
    if (some === undefined) bySpan.set(span, [archive]);
    else some.push(archive);
  }
  if (bySpan.size > maxIntervals) return problem("too-large", `more than ${maxIntervals} intervals`);
  const names = [...bySpan.values()].map((some) => some[0]?.entry.name ?? { from: 0, to: 0 });
  const spans: Omit<Interval, "tier">[] = [];
  for (const some of bySpan.values()) {
    const { from, to } = some[0]?.entry.name ?? { from: 0, to: 0 };
    const segments = restoreSegments(some);
    if (!segments.ok) return segments;
    const merged = names.some((name) => name.from <= from && name.to >= to && (name.from < from || name.to > to));
    spans.push({ from, to, archives: segments.value, merged });
  }
  return ok(withTiers(spans).sort(compareIntervals));
}

/** Cuts wherever all paths before are less than all that follow. The order of the index stays. */
function restoreSegments(archives: readonly RangedArchive[]): Result<SegmentArchive[]> {
  const leastFrom: string[] = [];
  for (let at = archives.length - 1, least: string | undefined; at >= 0; at--) {
    const first = archives[at]?.firstPath ?? "";
    if (least === undefined || first < least) least = first;
    leastFrom[at] = least;
  }
  const restored: SegmentArchive[] = [];
  let segment = 0;
  let greatest = "";
  let changes = 0;
  for (const [at, { entry, lastPath }] of archives.entries()) {
    if (at > 0 && (leastFrom[at] ?? "") > greatest) {
      segment += 1;
      changes = 0;
    }
    if (lastPath > greatest) greatest = lastPath;
    changes += entry.changes;
    if (changes > maxSegmentChanges) return problem("too-large", `a segment of more than ${maxSegmentChanges} changes`);
    restored.push({ ...entry, segment });
  }
  return ok(restored);
}

function withTiers(spans: readonly Omit<Interval, "tier">[]): Interval[] {
  // Newest first, of one end the shortest first.
  const ordered = [...spans].sort((a, b) => b.to - a.to || b.from - a.from);
  const counts: number[] = [];
  const intervals: Interval[] = [];
  let tier = 0;
  for (const [at, span] of ordered.entries()) {
    if (ordered[at - 1]?.to === span.to) tier += 1;
    else for (tier = 0; (counts[tier] ?? 0) >= keptPerTier; ) tier += 1;
    counts[tier] = (counts[tier] ?? 0) + 1;
    intervals.push({ ...span, tier });
  }
  return intervals;
}
