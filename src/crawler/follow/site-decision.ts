import { parseUrl } from "../../core/index.ts";
import { highestPriority } from "./site-scheduler.ts";

/** A decision about a followed site; omitted properties stay unchanged. */
export interface SiteDecision {
  /** Its origin. */
  readonly site: string;
  readonly isPaused?: boolean;
  /** From 0 to 10. */
  readonly priority?: number;
}

export function isPriority(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= highestPriority;
}

export function formatDecision(decision: SiteDecision): string {
  return `${JSON.stringify(decision)}\n`;
}

/** Parses a decision; any process may have written it. @returns undefined if it is invalid */
export function parseDecision(text: string): SiteDecision | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { site, isPaused, priority, ...others } = value as Readonly<Record<string, unknown>>;
  if (typeof site !== "string" || parseUrl(site)?.origin !== site || !/^https?:/.test(site)) return undefined;
  if (Object.keys(others).length > 0) return undefined;
  if (isPaused !== undefined && typeof isPaused !== "boolean") return undefined;
  if (priority !== undefined && !isPriority(priority)) return undefined;
  if (isPaused === undefined && priority === undefined) return undefined;
  return { site, ...(isPaused === undefined ? {} : { isPaused }), ...(priority === undefined ? {} : { priority }) };
}
