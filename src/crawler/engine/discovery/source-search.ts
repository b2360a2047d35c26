import type { PassedOver } from "../../../core/index.ts";
import { warn } from "../visit/reading-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { ChangeSource, FoundSource } from "./source.ts";
import type { SourceMemory } from "./source-memory.ts";

/** What looking for a source came to. */
export interface SourceSearch {
  readonly found: FoundSource | undefined;
  readonly passedOver: readonly PassedOver[];
  /** Whether the site lacks what it was followed by and is left alone for now, its pages too. */
  readonly isLeftAlone: boolean;
}

/**
 * Asks sources in their order until one works. A site that is in trouble, or that lacks the source it was followed by, is
 * left alone for some visits and days before a worse source is used. What was absent a short while ago is not asked for,
 * unless nothing else is left.
 */
export async function findSource(
  visit: SourceVisit,
  sources: readonly ChangeSource[],
  memory: SourceMemory,
): Promise<SourceSearch> {
  const passedOver: PassedOver[] = [];
  let isLeftAlone = false;
  for (const source of sources) {
    const absence = source === sources.at(-1) ? undefined : memory.recall(source, visit.robots);
    if (absence !== undefined) {
      passedOver.push(absence);
      continue;
    }
    const look = await source.look(visit);
    const outcome = look.ok ? look.value : ({ kind: "trouble", problem: look.error } as const);
    if (outcome.kind !== "trouble")
      return { found: { name: source.name, look: outcome }, passedOver, isLeftAlone: false };
    const { code, message } = outcome.problem;
    passedOver.push({ source: source.name, code, why: message });
    memory.noteMissing(source.name, outcome.problem);
    const grace = memory.graceOf(source.name);
    // A site in trouble is not asked for all of its pages instead.
    if (look.ok && grace !== undefined) break;
    isLeftAlone = !look.ok && grace !== undefined && source !== sources.at(-1) && memory.isFollowedBy(source.name);
    if (!isLeftAlone) continue;
    warn(
      visit,
      "source-missing",
      `The site was followed by ${source.name}, which is missing today. The site is not visited and no worse source is used until ${grace}.`,
    );
    break;
  }
  memory.save();
  return { found: undefined, passedOver, isLeftAlone };
}
