/** Names of the feeds in the published folder. */
export const feedNames = { atom: "feed.atom", json: "feed.json" } as const;
