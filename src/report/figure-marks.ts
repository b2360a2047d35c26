import type * as PlotLibrary from "@observablehq/plot";
import type { Figure, FigureMark, FigurePoint } from "../core/index.ts";
import type * as DrawingLibrary from "./drawing-library.ts";
import { escapeMarkup } from "./figure-text.ts";
import { dashesOf, seriesColours } from "./theme.ts";

export interface MarkLook {
  readonly mark: FigureMark;
  /** A colour of the theme. */
  readonly colour: string;
  readonly dashes: string;
}

/** Assigns looks: each of our series gets a colour and dashes, all published values one colour. */
export function planLooks(figure: Figure): MarkLook[] {
  let series = 0;
  let published = 0;
  return figure.marks.map((mark) => {
    if (mark.of === "theirs") return { mark, colour: "var(--theirs)", dashes: dashesOf(2 + 3 * published++) };
    // When colours repeat, the dashes differ.
    const dashes = dashesOf(series + Math.floor(series / seriesColours));
    const look = { mark, colour: `var(--series-${series % seriesColours})`, dashes };
    series += 1;
    return look;
  });
}

const layers: ReadonlyArray<FigureMark["kind"]> = ["band", "bars", "guide", "line", "dots"];

/** The looks in drawing order: those that would cover others first. */
export function inLayers(looks: readonly MarkLook[]): MarkLook[] {
  return looks.toSorted((a, b) => layers.indexOf(a.mark.kind) - layers.indexOf(b.mark.kind));
}

/** Whether names are shown in groups of bars. */
export function hasGroups(figure: Figure): boolean {
  return figure.x.kind !== "days" && figure.marks.some(({ kind }) => kind === "bars");
}

/** The day that an axis of days counts. */
export function dateOf(day: number | string): Date {
  return new Date(Number(day) * 86_400_000);
}

/** @param dayInset - pixels on both sides of a day's bar */
export function markOf(
  plot: typeof DrawingLibrary,
  look: MarkLook,
  inGroups: boolean,
  dayInset: number,
): PlotLibrary.Markish {
  const drawn = drawMark(plot, look, inGroups, dayInset);
  const { mark, colour } = look;
  if (!("points" in mark)) return drawn;
  const points = mark.points.filter(({ range }) => range !== undefined);
  if (points.length === 0) return drawn;
  const isBar = mark.kind === "bars";
  const place = isBar ? { fx: "x", x: () => mark.name } : inGroups ? { fx: "x" } : { x: "x" };
  const ends = { y1: ({ range }: FigurePoint) => range?.[0], y2: ({ range }: FigurePoint) => range?.[1] };
  const stroke = isBar ? "var(--ink)" : colour;
  const tips = { markerStart: "tick", markerEnd: "tick" } as const;
  return [drawn, plot.ruleX(points, { ...place, ...ends, stroke, strokeWidth: 1.5, ...tips })];
}

/** Error bars are to be seen in bars, in light and in dark. */
function opacityOfBars(mark: FigureMark): number {
  return "points" in mark && mark.points.some(({ range }) => range !== undefined) ? 0.5 : 1;
}

function drawMark(
  plot: typeof DrawingLibrary,
  { mark, colour, dashes }: MarkLook,
  inGroups: boolean,
  dayInset: number,
): PlotLibrary.Markish {
  const dashed = dashes === "none" ? {} : { strokeDasharray: dashes };
  switch (mark.kind) {
    case "line":
      return plot.line(mark.points, { x: "x", y: "y", stroke: colour, strokeWidth: 2, ...dashed });
    case "dots": {
      const place = inGroups ? { fx: "x", frameAnchor: "middle" as const } : { x: "x" };
      const look = mark.of === "theirs" ? { symbol: "diamond" as const, r: 6 } : { r: 3.5 };
      return plot.dot(mark.points, {
        ...place,
        y: "y",
        ...look,
        fill: colour,
        stroke: "var(--background)",
        strokeWidth: 1.5,
      });
    }
    case "bars":
      if (!inGroups)
        return plot.rectY(mark.points, {
          ...{
            x: ({ x }: FigurePoint) => dateOf(x),
            y: "y",
            interval: "day",
            insetLeft: dayInset,
            insetRight: dayInset,
          },
          ...{ fill: colour, fillOpacity: opacityOfBars(mark) },
        });
      return plot.barY(mark.points, {
        ...{ fx: "x", x: () => mark.name, y: "y", insetLeft: 1, insetRight: 1 },
        ...{ fill: colour, fillOpacity: opacityOfBars(mark) },
      });
    case "guide":
      return mark.axis === "x"
        ? plot.ruleX([mark.at], { stroke: colour, strokeWidth: 1.5, ...dashed })
        : plot.ruleY([mark.at], { stroke: colour, strokeWidth: 1.5, ...dashed });
    case "band": {
      const space = [{ from: mark.from, to: mark.to }];
      const look = { fill: colour, fillOpacity: 0.12 };
      return mark.axis === "x"
        ? plot.rect(space, { x1: "from", x2: "to", ...look })
        : plot.rect(space, { y1: "from", y2: "to", ...look });
    }
  }
}

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
      return `<rect x="7" y="-6" width="12" height="12" fill="${colour}" fill-opacity="${opacityOfBars(mark)}" />`;
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
