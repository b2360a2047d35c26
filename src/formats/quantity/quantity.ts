const counts = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const binaryUnits = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A number with separators: `12,345`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** A number and its noun: `1 page`, `12,345 pages`. */
export function formatNoun(count: number, singular: string, plural: string = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** A size: `1 byte`, `999 bytes`, `12.3 KiB`, `4.0 MiB`. */
export function formatBytes(sizeBytes: number): string {
  let value = sizeBytes;
  let unit = 0;
  for (; value >= 1024 && unit < binaryUnits.length - 1; unit++) value /= 1024;
  if (unit === 0) return formatNoun(sizeBytes, "byte");
  return `${value >= 100 ? formatCount(value) : value.toFixed(1)} ${binaryUnits[unit]}`;
}

/** A time span: `0.24 s`, `12.3 s`, `3 min 5 s`. */
export function formatElapsed(elapsedMs: number): string {
  const seconds = elapsedMs / 1000;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${formatCount(Math.floor(seconds / 60))} min ${Math.floor(seconds % 60)} s`;
}

/** A moment in UTC: `2026-11-20 02:00:00Z`. */
export function formatMoment(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace("T", " ").replace(".000", "");
}

/** A span in few characters: `5 s`, `12 min`, `3 h`, `2 d`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 6000) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${formatCount(Math.round(seconds / 86_400))} d`;
}
