const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/**
 * Draws a bar.
 *
 * @param value - 0 to `most`
 * @param width - characters of the longest bar
 * @param unicode - whether eighths of a character can be shown; `#` stands for whole ones otherwise
 * @returns at least the smallest mark if the value is not 0
 */
export function formatBar(value: number, most: number, width: number, unicode: boolean): string {
  if (value <= 0 || most <= 0) return "";
  if (!unicode) return "#".repeat(Math.max(1, Math.round((value / most) * width)));
  const length = Math.max(1, Math.round((value / most) * width * 8));
  return "█".repeat(Math.floor(length / 8)) + (eighths[length % 8] ?? "");
}
