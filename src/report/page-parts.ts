import type { Figure } from "../core/index.ts";
import { drawFigure } from "./figure-svg.ts";
import { escapeMarkup, formatNumber } from "./figure-text.ts";
import { pageRules } from "./page-rules.ts";

/** Width of a figure that fits a telephone, in pixels. */
const narrow = 356;

/**
 * A page that needs nothing from elsewhere and runs nothing: its policy forbids scripts, whatever a text of the Web holds.
 *
 * @param body - markup; texts in it are escaped
 */
export function formatPage(title: string, version: string, body: readonly string[]): string {
  return [
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`,
    `<title>${escapeMarkup(title)}</title><style>${pageRules}</style></head>\n<body><main>`,
    `<h1>${escapeMarkup(title)}</h1>\n`,
    ...body,
    `<p class="quiet">Made by tidemark ${escapeMarkup(version)}.</p></main></body></html>\n`,
  ].join("");
}

/** A figure with its caption, once for a desk and once for a telephone; what is wider scrolls. */
export async function formatFigure(figure: Figure): Promise<string> {
  const [drawing, small] = await Promise.all([drawFigure(figure), drawFigure(figure, narrow)]);
  const boxOf = (svg: string, kind: string): string =>
    `<div class="${kind}" role="group" tabindex="0" aria-label="${escapeMarkup(figure.title)}">${svg.trim()}</div>`;
  const caption = `<figcaption>${escapeMarkup(figure.caption)}</figcaption>`;
  return `<figure>${boxOf(drawing, "wide desk")}${boxOf(small, "wide telephone")}${caption}</figure>\n`;
}

/** A table; columns whose head begins with # hold numbers. */
export function formatTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const classOf = (at: number): string => (head[at]?.startsWith("#") ? ' class="n"' : "");
  const line = (cells: readonly string[], tag: "th" | "td"): string =>
    `<tr>${cells.map((cell, at) => `<${tag}${classOf(at)}>${escapeMarkup(tag === "th" ? cell.replace(/^#/, "") : cell)}</${tag}>`).join("")}</tr>\n`;
  const heading = head.some((cell) => cell.length > 1) ? `<thead>${line(head, "th")}</thead>` : "";
  return `<div class="wide"><table>${heading}<tbody>\n${rows.map((row) => line(row, "td")).join("")}</tbody></table></div>\n`;
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");
export const formatShare = (part: number, whole: number): string =>
  formatNumber(whole === 0 ? 0 : part / whole, "percent");
