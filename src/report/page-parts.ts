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

/** The answer in a sentence or two, before all else. */
export function formatLead(text: string): string {
  return `<p class="lead">${escapeMarkup(text)}</p>\n`;
}

/** The few numbers that count. @param tiles - name, number, and what it is to be compared with */
export function formatTiles(tiles: ReadonlyArray<readonly [string, string, string]>): string {
  const tile = ([name, number, beside]: readonly [string, string, string]): string =>
    `<div><dt>${escapeMarkup(name)}</dt><dd><strong>${escapeMarkup(number)}</strong> <span class="quiet">${escapeMarkup(beside)}</span></dd></div>`;
  return `<dl class="tiles">${tiles.map(tile).join("")}</dl>\n`;
}

/** A table; columns whose head begins with # hold numbers, with @ moments, with / addresses, which may be broken anywhere. @param name - what it has, for those who do not see it */
export function formatTable(name: string, head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const classes: Readonly<Record<string, string>> = { "#": ' class="n"', "@": ' class="at"', "/": ' class="address"' };
  const classOf = (at: number): string => classes[head[at]?.[0] ?? ""] ?? "";
  const line = (cells: readonly string[], tag: "th" | "td"): string =>
    `<tr>${cells.map((cell, at) => `<${tag}${classOf(at)}>${escapeMarkup(tag === "th" ? cell.replace(/^[#@/]/, "") : cell)}</${tag}>`).join("")}</tr>\n`;
  const heading = head.some((cell) => cell.length > 1) ? `<thead>${line(head, "th")}</thead>` : "";
  return `<div class="wide" role="group" tabindex="0" aria-label="${escapeMarkup(name)}"><table>${heading}<tbody>\n${rows.map((row) => line(row, "td")).join("")}</tbody></table></div>\n`;
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");
export const formatShare = (part: number, whole: number): string =>
  formatNumber(whole === 0 ? 0 : part / whole, "percent");
