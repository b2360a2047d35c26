import type { PublishedVerdict } from "../../src/core/lab-result.ts";
import { formatNumber } from "../../src/report/figure-text.ts";

type Judged = Pick<PublishedVerdict, "theirs" | "format" | "tolerance">;

/** A bound, without what its sum made of it. */
function formatBound(value: number, format: Judged["format"]): string {
  return formatNumber(Number(value.toPrecision(6)), format);
}

/** The number that stands in what a paper prints. */
function readPrinted(theirs: string): string | undefined {
  return /\d[\d,]*(?:\.\d+)?/.exec(theirs)?.[0];
}

/** A tolerance in words: `within 0.005 of 0.62`, `at most 22`, `from 0.15 to 0.25`. */
export function formatTolerance({ theirs, format, tolerance: [from, to] }: Judged): string {
  const [first, last] = [from, to].map((bound) => formatBound(bound, format));
  if (from === to) return `exactly ${first}`;
  const scale = format === "percent" ? 100 : 1;
  const middle = (scale * (from + to)) / 2;
  const reach = Number(((scale * (to - from)) / 2).toPrecision(6));
  const printed = from === -to ? "0" : readPrinted(theirs);
  if (printed !== undefined && Math.abs(Number(printed.replaceAll(",", "")) - middle) < 1e-6 * reach)
    return format === "percent"
      ? `within ${formatBound(reach, "number")} ${reach === 1 ? "point" : "points"} of ${printed} %`
      : `within ${formatBound(reach, "number")} of ${printed}`;
  if (format === "percent" && to === 1) return `at least ${first}`;
  if (from === 0) return `at most ${last}`;
  return format === "percent" ? `from ${first?.replace(/ %$/, "")} to ${last}` : `from ${first} to ${last}`;
}

/** Our number, with the digits that its tolerance makes a difference of. */
export function formatOurs(ours: number, { format, tolerance: [from, to] }: Judged): string {
  const scaled = format === "percent" ? 100 * ours : ours;
  const reach = ((format === "percent" ? 100 : 1) * (to - from)) / 2;
  const decimals = reach > 0 ? Math.ceil(-Math.log10(reach)) : 0;
  const digits = Math.floor(Math.log10(Math.abs(scaled) || 1)) + 1 + decimals;
  return formatNumber(ours, format, Math.min(15, Math.max(3, digits)));
}
