import type { MarkLook } from "./figure-marks.ts";
import { escapeMarkup } from "./markup-text.ts";

/** Height of an entry, in pixels. */
export const legendLine = 19;

const swatchWidth = 26;

/**
 * Legend entries in a column from (0, 0), so that they cannot overlap.
 *
 * @param saysWhose - whether to distinguish our values from published ones
 */
export function drawLegend(looks: readonly MarkLook[], saysWhose: boolean): string {
  return looks
    .map((look, at) => {
      const whose = look.mark.of === "ours" ? "Ours: " : "Published: ";
      const name = escapeMarkup(`${saysWhose ? whose : ""}${look.mark.name}`);
      const text = `<text x="${swatchWidth + 8}" y="4">${name}</text>`;
      return `<g transform="translate(0,${at * legendLine + legendLine / 2})">${drawSwatch(look)}${text}</g>`;
    })
    .join("");
}

function drawSwatch({ mark, colour, dashes }: MarkLook): string {
  const dashed = dashes === "none" ? "" : ` stroke-dasharray="${dashes}"`;
  switch (mark.kind) {
    case "line":
    case "guide":
      return `<path d="M0,0H${swatchWidth}" fill="none" stroke="${colour}" stroke-width="2"${dashed} />`;
    case "bars":
      return `<rect x="7" y="-6" width="12" height="12" fill="${colour}" />`;
    case "band":
      return `<rect x="0" y="-6" width="${swatchWidth}" height="12" fill="${colour}" fill-opacity="0.2" />`;
    case "dots": {
      const middle = swatchWidth / 2;
      return mark.of === "theirs"
        ? `<path d="M${middle},-7L${middle + 5},0L${middle},7L${middle - 5},0Z" fill="${colour}" />`
        : `<circle cx="${middle}" cy="0" r="3.5" fill="${colour}" />`;
    }
  }
}
