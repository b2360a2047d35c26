/**
 * Splits a line of CSV. Quotes stand around a field, or are text of it.
 *
 * @returns the fields; undefined if a quote has no end, and the record goes on in the next line
 * @see RFC 4180 section 2
 */
export function splitCsvRecord(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(",");
  const fields: string[] = [];
  for (let at = 0; ; ) {
    if (text[at] !== '"') {
      const comma = text.indexOf(",", at);
      fields.push(text.slice(at, comma === -1 ? text.length : comma));
      if (comma === -1) return fields;
      at = comma + 1;
      continue;
    }
    const from = at + 1;
    let quote = text.indexOf('"', from);
    while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
    if (quote === -1) return undefined;
    const comma = text.indexOf(",", quote);
    const rest = text.slice(quote + 1, comma === -1 ? text.length : comma);
    fields.push(text.slice(from, quote).replaceAll('""', '"') + rest);
    if (comma === -1) return fields;
    at = comma + 1;
  }
}
