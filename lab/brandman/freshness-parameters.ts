/** Parameters of the experiments of Figure 6; the defaults are the paper's. */
export const freshnessParameters = {
  pages: { kind: "whole", default: 10_000, min: 100, max: 1_000_000, meaning: "pages of the repository" },
  days: { kind: "whole", default: 100, min: 1, max: 10_000, meaning: "days of crawling" },
  levels: { kind: "whole", default: 100, min: 10, max: 1000, meaning: "levels of bandwidth over none" },
  metadata: {
    kind: "whole",
    default: 32,
    min: 0,
    max: 1_000_000,
    meaning: "meta-data a day, in pages: 8 for each of 4 sites",
  },
  slowest: { kind: "number", default: 365, min: 120, max: 100_000, meaning: "longest change interval, in days" },
} as const;
