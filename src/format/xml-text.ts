const special = /[&<>"']/;
const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/**
 * Writes text so that it may stand in an element or in an attribute: the five characters that sitemaps.org/protocol
 * names become references. What XML cannot hold at all (control characters, halves of surrogate pairs) is the caller's
 * to keep away.
 */
export function escapeXml(text: string): string {
  return special.test(text) ? text.replace(/[&<>"']/g, (character) => references[character] ?? "") : text;
}
