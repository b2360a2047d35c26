import type * as PlotLibrary from "@observablehq/plot";
import type { Figure, FigureMark } from "../core/index.ts";
import { dashesOf, seriesColours } from "./theme.ts";

/** How a mark is drawn, here and in the legend. */
export interface MarkLook {
  readonly mark: FigureMark;
  /** A colour of the theme. */
  readonly colour: string;
  readonly dashes: string;
}

/** Gives each mark its look: ours a colour and dashes of its own, theirs one colour for all. */
export function planLooks(figure: Figure): MarkLook[] {
  let series = 0;
  let published = 0;
  return figure.marks.map((mark) => {
    if (mark.of === "theirs") return { mark, colour: "var(--theirs)", dashes: dashesOf(2 + 3 * published++) };
    // Where colours come again, dashes are others than the first time.
    const dashes = dashesOf(series + Math.floor(series / seriesColours));
    const look = { mark, colour: `var(--series-${series % seriesColours})`, dashes };
    series += 1;
    return look;
  });
}

const layers: ReadonlyArray<FigureMark["kind"]> = ["band", "bars", "guide", "line", "dots"];

/** The looks in the order in which they are drawn: what would cover others first. */
export function inLayers(looks: readonly MarkLook[]): MarkLook[] {
  return looks.toSorted((a, b) => layers.indexOf(a.mark.kind) - layers.indexOf(b.mark.kind));
}

/** Whether names stand in groups of bars. */
export function hasBars(figure: Figure): boolean {
  return figure.marks.some(({ kind }) => kind === "bars");
}

/** What the library draws of a look. */
export function markOf(
  plot: typeof PlotLibrary,
  { mark, colour, dashes }: MarkLook,
  inGroups: boolean,
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
      return plot.barY(mark.points, { fx: "x", x: () => mark.name, y: "y", fill: colour, insetLeft: 1, insetRight: 1 });
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
