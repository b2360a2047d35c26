/**
 * Breaks a text at spaces; a word that is longer than a line stands on a line of its own.
 *
 * @param columns - width in characters, of lines with their indent
 * @param first - what the first line begins with
 * @param indent - what the others begin with
 */
export function wrapText(text: string, columns: number, first: string, indent: string): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/\s+/).filter((one) => one !== "")) {
    if (!isEmpty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return `${[...lines, line].map((one) => one.trimEnd()).join("\n")}\n`;
}
