/** Formats with three significant digits: `0.27`, `1,230`, `22.4 %`. */
export function formatNumber(value: number, format: "number" | "percent" = "number"): string {
  const scaled = format === "percent" ? value * 100 : value;
  const text = scaled.toLocaleString("en-US", { maximumSignificantDigits: 3 });
  return format === "percent" ? `${text} %` : text;
}

/** A range, or a single number if both ends are equal. */
export function formatRange([from, to]: readonly [number, number], format: "number" | "percent"): string {
  if (from === to) return formatNumber(from, format);
  const first = formatNumber(from, format).replace(/ %$/, "");
  return `${first} to ${formatNumber(to, format)}`;
}

const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for HTML and XML, including attribute values. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (character) => references[character] ?? character);
}
