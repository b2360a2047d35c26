import { type Codec, findDisallowedUse, type PageFilter, type Usage } from "../../../core/index.ts";
import { type Robots, type RobotsAgent, robotsUsage, robotsUsageText } from "../../../formats/robots/index.ts";

/**
 * The same pages without those of which robots.txt disallows one of some uses. With other rules it has another key, so that
 * pages leave and come back as with other patterns of URLs.
 */
export function respectRobotsUsage(
  filter: PageFilter,
  uses: readonly Usage[],
  { robots, agent, codec }: { readonly robots: Robots; readonly agent: RobotsAgent; readonly codec: Codec },
): PageFilter {
  if (uses.length === 0) return filter;
  const text = robotsUsageText(robots, agent);
  const rules = text === "" ? "" : codec.digestOf(new TextEncoder().encode(text));
  const key = `usage ${[...uses].sort().join(",")} ${rules}`;
  const withUses = (of: string): string => (of === "" ? key : `${of} ${key}`);
  const isAllowed = (path: string): boolean => findDisallowedUse(robotsUsage(robots, agent, path), uses) === undefined;
  return {
    key: withUses(filter.key),
    urlsKey: withUses(filter.urlsKey),
    matches: filter.matches,
    admits: (path) => filter.admits(path) && isAllowed(path),
  };
}
