/** What crawlers are for. */
export const purposes = [
  "search",
  "ai-training",
  "ai-answers",
  "archive",
  "seo",
  "monitor",
  "feed",
  "preview",
  "advertising",
  "research",
  "scanner",
  "tool",
  "unknown",
] as const;

export type Purpose = (typeof purposes)[number];

/** By the first tag of `crawler-user-agents`. */
const byTag: Readonly<Record<string, Purpose>> = {
  "search-engine": "search",
  "ai-crawler": "ai-training",
  archiver: "archive",
  seo: "seo",
  monitoring: "monitor",
  "feed-reader": "feed",
  "social-preview": "preview",
  advertising: "advertising",
  academic: "research",
  scanner: "scanner",
  "http-library": "tool",
  "browser-automation": "tool",
};

/** Words of a name or a description that tell of pages that are fetched to answer somebody, not to train a model. */
const answering = /user|search|answer|assistant|question|real-?time|citation|notebook|deep.research|agent\b|RAG\b/i;

/** The purpose of a crawler of `crawler-user-agents`, which does not tell training from answering. */
export function purposeOf(pattern: string, tags: readonly string[], description: string): Purpose {
  const purpose = byTag[tags[0] ?? ""] ?? "unknown";
  if (purpose !== "ai-training") return purpose;
  const isAnswering = tags.includes("search-engine") || answering.test(`${pattern} ${description}`);
  // "GPTBot: OpenAI GPT web crawler bot" says neither: training is what the operators give these for.
  return isAnswering && !/training/i.test(description) ? "ai-answers" : "ai-training";
}
