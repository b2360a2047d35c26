/** Formats with three significant digits, or as many as are given: `0.27`, `1,230`, `22.4 %`. */
export function formatNumber(value: number, format: "number" | "percent" = "number", digits = 3): string {
  const scaled = format === "percent" ? value * 100 : value;
  const text = scaled.toLocaleString("en-US", { maximumSignificantDigits: digits });
  return format === "percent" ? `${text} %` : text;
}

const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Replaces characters that XML 1.0, section 2.2, does not allow with U+FFFD. */
export function cleanText(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

/** Escapes text for HTML and XML, including attribute values. */
export function escapeMarkup(text: string): string {
  return cleanText(text).replace(/[&<>"]/g, (character) => references[character] ?? character);
}
