/**
 * Uses about which a site can state a preference: training of generative models, input of such models, search.
 *
 * @see draft-ietf-aipref-vocab-08 section 4
 */
export const usages = ["train-ai", "ai-use", "search"] as const;
export type Usage = (typeof usages)[number];

/** What a site prefers for each use: `y` allows it, `n` disallows it, and nothing is known of a use that is missing. */
export type UsagePreferences = { readonly [Use in Usage]?: "y" | "n" };

/** The preferences that hold for a body. */
export interface PageUsage {
  /** Those of the response and the body itself. */
  readonly served: UsagePreferences;
  /** The same, combined with those of robots.txt at the time of the request. */
  readonly all: UsagePreferences;
}

/** No preference. */
export const noUsage: UsagePreferences = Object.freeze({});

/**
 * Combines statements of preference: `n` goes before `y`, and `y` before nothing. The order does not matter.
 *
 * @see draft-ietf-aipref-vocab-08 section 5.1
 */
export function combineUsage(...statements: readonly UsagePreferences[]): UsagePreferences {
  const stated = statements.filter((one) => one !== noUsage);
  if (stated.length <= 1) return stated[0] ?? noUsage;
  const combined: { -readonly [Use in Usage]?: "y" | "n" } = {};
  for (const use of usages) {
    const values = stated.map((one) => one[use]);
    const value = values.includes("n") ? "n" : values.find((one) => one !== undefined);
    if (value !== undefined) combined[use] = value;
  }
  return combined;
}

/** Writes preferences as a value of `Content-Usage`, such as `train-ai=n, search=y`; empty if there are none. */
export function formatUsage(preferences: UsagePreferences): string {
  if (preferences === noUsage) return "";
  return usages.flatMap((use) => (preferences[use] === undefined ? [] : [`${use}=${preferences[use]}`])).join(", ");
}

/** The first of these uses that a site disallows; undefined if it disallows none of them. */
export function findDisallowedUse(preferences: UsagePreferences, uses: readonly Usage[]): Usage | undefined {
  return uses.find((use) => preferences[use] === "n");
}
