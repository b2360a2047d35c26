const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A time span such as `500ms`, `90s`, `30m`, `26h`, `2d`, `1w`, in milliseconds; undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhdw])$/.exec(text) ?? [];
  const unitMs = units[unit];
  return number === undefined || unitMs === undefined ? undefined : Math.round(Number(number) * unitMs);
}
