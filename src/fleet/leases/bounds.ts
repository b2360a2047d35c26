import { maxPathLength } from "../../formats/url/index.ts";
import type { HandedUrl } from "./site-leases.ts";

/** URLs that wait for a site at most: what links lead to beyond that is dropped, and found again by later visits. */
export const handedBound = 10_000;

const maxOriginLength = 300;
const maxTextLength = 8000;
const maxPriority = 255;
const centuryMs = 100 * 365 * 86_400_000;

/** Text as both databases hold it: without NUL, without half characters, of bounded length. */
export function boundText(text: string, longest: number = maxTextLength): string {
  return text.slice(0, longest).replace(/[\0\p{Surrogate}]/gu, "\ufffd");
}

/** A whole number that both databases hold. */
export function boundInteger(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.trunc(Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, value)));
}

/** Priorities of sites are few, so that a claim reads an index a priority. */
export function boundPriority(value: number): number {
  return Math.min(maxPriority, Math.max(0, boundInteger(Math.round(value))));
}

/** A wait in milliseconds. @returns undefined for one that is endless */
export function boundWait(ms: number): number | undefined {
  if (Number.isNaN(ms) || ms <= 0) return 0;
  return ms > centuryMs ? undefined : Math.ceil(ms);
}

/** Whether a site can be kept. */
export function isOrigin(origin: string): boolean {
  return origin.length <= maxOriginLength && !origin.includes("\0");
}

/** URLs by site and path, each once, and without those that are too long: sorted, so that transactions lock in one order. */
export function boundHanded(urls: readonly HandedUrl[]): HandedUrl[] {
  const known = new Map<string, HandedUrl>();
  for (const url of urls) {
    if (!isOrigin(url.origin) || url.path.length > maxPathLength) continue;
    const key = `${url.origin} ${url.path}`;
    if (known.has(key)) continue;
    const priority = Number.isFinite(url.priority) ? url.priority : 0;
    known.set(key, { origin: url.origin, path: boundText(url.path), note: boundText(url.note), priority });
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, url]) => url);
}
