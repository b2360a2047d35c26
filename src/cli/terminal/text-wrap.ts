/**
 * Breaks a text at spaces; a word that is longer than a line stands on a line of its own, or is broken after its commas.
 *
 * @param columns - width in characters, of lines with their indent
 * @param first - what the first line begins with
 * @param indent - what the others begin with
 */
export function wrapText(text: string, columns: number, first: string, indent: string): string {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const { piece, glue } of piecesOf(text, columns - indent.length)) {
    const space = isEmpty ? "" : glue;
    if (!isEmpty && line.length + space.length + piece.length > columns) {
      lines.push(line);
      line = indent + piece;
    } else line += space + piece;
    isEmpty = false;
  }
  return `${[...lines, line].map((one) => one.trimEnd()).join("\n")}\n`;
}

function piecesOf(text: string, room: number): { readonly piece: string; readonly glue: string }[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return words.flatMap((word) =>
    (word.length > room ? word.split(/(?<=,)/) : [word]).map((piece, at) => ({ piece, glue: at === 0 ? " " : "" })),
  );
}
