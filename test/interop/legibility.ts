import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, ColourScheme } from "./browser.ts";

/** What is wrong with a text that a browser shows. */
export interface TextTrouble {
  readonly kind: "overlap" | "cut" | "contrast" | "small";
  readonly text: string;
  /** The other text, the box, or the ratio. */
  readonly against: string;
}

/** What a browser shows of a page's texts. */
export interface Legibility {
  readonly texts: number;
  /** Colours of texts, as the browser computes them. */
  readonly colours: readonly string[];
  readonly ground: string;
  readonly troubles: readonly TextTrouble[];
}

/**
 * Body of a function that looks at every text of the page that is open, by its boxes: no two may overlap, none may leave its
 * figure or the page, none may contrast with the ground by less than 4.5 to 1 (WCAG 2.2, 1.4.3), none may be under 10 pixels.
 */
export const legibilityScript: string = String.raw`
const troubles = [];
const parse = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
const luminance = ([r, g, b]) => {
  const linear = [r, g, b].map((one) => { const s = one / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const isOpaque = (colour) => { const [, , , alpha = 1] = parse(colour); return parse(colour).length >= 3 && alpha === 1; };
const groundOf = (element) => {
  for (let at = element; at !== null; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (isOpaque(backgroundColor)) return backgroundColor;
  }
  return "rgb(255, 255, 255)";
};
const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
const found = [];
const colours = new Set();
for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
  const element = node.parentElement;
  if (node.data.trim() === "" || ["STYLE", "TITLE", "SCRIPT", "title", "desc", "style"].includes(element.nodeName)) continue;
  if (element.getClientRects().length === 0) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const inFigure = element.ownerSVGElement !== undefined && element.ownerSVGElement !== null;
  const boxes = inFigure ? [element.getBoundingClientRect()] : [...range.getClientRects()];
  const text = node.data.trim().slice(0, 60);
  const style = getComputedStyle(element);
  const colour = inFigure ? style.fill : style.color;
  colours.add(colour);
  const opacity = inFigure ? Number(style.fillOpacity) : 1;
  const ratio = contrast(parse(colour), parse(groundOf(element)));
  if (ratio < 4.5 || opacity < 1) troubles.push({ kind: "contrast", text, against: ratio.toFixed(2) });
  const figure = inFigure ? element.ownerSVGElement : undefined;
  const scale = figure === undefined || figure.viewBox.baseVal === null || figure.viewBox.baseVal.width === 0
    ? 1 : figure.getBoundingClientRect().width / figure.viewBox.baseVal.width;
  const size = parseFloat(style.fontSize) * scale;
  if (size < 10) troubles.push({ kind: "small", text, against: size.toFixed(1) });
  const frame = (figure || document.documentElement).getBoundingClientRect();
  for (const box of boxes) {
    if (box.width === 0) continue;
    const scrolls = !inFigure && element.closest(".wide") !== null;
    const isCut = box.left < frame.left - 0.5 || (box.right > frame.right + 0.5 && !scrolls) ||
      box.top < frame.top - 0.5 || box.bottom > frame.bottom + 0.5;
    if (isCut) troubles.push({ kind: "cut", text, against: JSON.stringify([box.left, box.top, box.right, box.bottom]) });
    found.push({ text, box, element });
  }
}
for (let i = 0; i < found.length; i++) {
  for (let j = i + 1; j < found.length; j++) {
    const [a, b] = [found[i], found[j]];
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const along = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (across > 1 && along > 3) troubles.push({ kind: "overlap", text: a.text, against: b.text });
  }
}
return { texts: found.length, colours: [...colours], ground: groundOf(document.body || document.documentElement), troubles };
`;

/** Opens a file in a window as high as what it shows, and looks at its texts. */
export async function lookAt(browser: Browser, file: string, scheme: ColourScheme, width: number): Promise<Legibility> {
  const url = pathToFileURL(file).href;
  await browser.open(url, scheme, width, 600);
  const height = await browser.evaluate<number>("return document.documentElement.getBoundingClientRect().height");
  await browser.open(url, scheme, width, Math.max(600, Math.ceil(height)));
  return await browser.evaluate<Legibility>(legibilityScript);
}

/** What axe-core finds against WCAG in the page that is open, as the name of the rule and the first element. */
export async function findViolations(browser: Browser): Promise<string[]> {
  await browser.evaluate(axe.source);
  const violations = await browser.evaluateLater<{ id: string; nodes: { html: string }[] }[]>(
    "const done = arguments[0]; window.axe.run().then(({ violations }) => done(violations));",
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
