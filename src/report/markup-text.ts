const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for HTML and XML, including attribute values. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (character) => references[character] ?? character);
}
