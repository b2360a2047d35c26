import type { Page } from "../../../src/core/page.ts";
import type { HeldBody, Postponement, Settlement, TrackedUrl } from "../../../src/core/tracked-url.ts";

/** Its body is held from now on. */
export function keptAs(
  url: TrackedUrl,
  page: Page & HeldBody,
  more: Partial<Settlement & { kind: "answered" }> = {},
): Settlement & { kind: "answered" } {
  const validators = { etag: '"x"', lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" };
  const { askedAt = 1 } = more;
  const common = { kind: "answered", isLinkOnly: false, history: [], askedAt, dueAt: 0, fullAt: askedAt } as const;
  return { ...common, url, page, validators, ...more };
}

/** It is requested again. */
export function postponedAs(
  url: TrackedUrl,
  trouble: Postponement["trouble"],
  attempts: number,
  state: Postponement["state"] = "due",
  dueAt = 0,
): Settlement {
  return { kind: "postponed", url, postponed: { trouble, attempts, state }, dueAt };
}
