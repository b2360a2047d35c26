/** What the terminal can show. */
export interface View {
  readonly columns: number;
  /** Whether it shows more than ASCII. */
  readonly unicode: boolean;
}

/** Whether texts of a process may hold more than ASCII, by the variables of POSIX.1 section 8.2. */
export function isUtf8Locale(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = environment;
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || "");
}

/**
 * Lines up cells in columns, two spaces between.
 *
 * @param align - for each column `l` or `r`; the last one, if `l`, is not padded
 */
export function formatTable(rows: ReadonlyArray<readonly string[]>, align: string): string {
  const widths = [...align].map((_, at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (align[at] === "r" ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join("");
}

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
