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

/** What came of the request for a page. */
export interface Outcome {
  readonly path: string;
  readonly kind: "kept" | "unchanged" | "link only" | "postponed" | "removed" | "gone for now" | "alias";
  readonly version: number;
  readonly more: boolean;
}

/** @param at - when it was asked for */
export function settlementOf(url: TrackedUrl, { kind, version, more, path }: Outcome, at: number): Settlement {
  const page = {
    path,
    sizeBytes: version,
    digest: `${version}\u00e9"\\`,
    lastModified: version,
    mediaType: "text/html",
  };
  const validators = more ? { etag: `"${version}'\u00e9"` } : {};
  const history = more ? [1, 2.5, at] : [];
  const interval = { rule: "step", intervalSeconds: 1.5, waitSeconds: 2 };
  const answered = {
    ...keptAs(url, page, { askedAt: at, validators, history, dueAt: at + 7 }),
    ...(more && { interval }),
  };
  if (kind === "kept") return answered;
  if (kind === "unchanged") return { ...answered, page: undefined, fullAt: undefined };
  if (kind === "link only") return { ...answered, page: undefined, isLinkOnly: true };
  if (kind === "postponed")
    return postponedAs(url, more ? "unavailable" : "disallowed", version, more ? "due" : "disallowed", at);
  if (kind === "alias") return { kind, url, askedAt: at, dueAt: at };
  const removed = { kind: "removed", url, reason: "gone", askedAt: more ? at : undefined, dueAt: at } as const;
  return kind === "removed" ? removed : { ...removed, postponed: { trouble: "gone", attempts: 1, state: "parked" } };
}
