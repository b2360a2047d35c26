const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as it stands in HTML and XML, also between quotation marks. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (character) => references[character] ?? character);
}
