import type * as PlotLibrary from "@observablehq/plot";
import type { Figure, FigureAxis } from "../core/index.ts";
import type * as DrawingLibrary from "./drawing-library.ts";
import { drawLegend, hasGroups, inLayers, legendLine, markOf, planLooks } from "./figure-marks.ts";
import { cleanText, escapeMarkup, formatNumber } from "./figure-text.ts";
import { themeClass, themeRules } from "./theme.ts";

/** Width of a figure, in pixels. */
const broad = 720;
const plotHeight = 380;
const marginLeft = 64;
const marginTop = 36;
/** An axis of logarithms ends with a number as long as 100,000, of which one half is beside the plot. */
const marginRightOf = ({ x }: Figure): number => (x.kind === "log" ? 32 : 24);
const marginBottom = 46;
/** Most pixels of a letter in a name below bars. */
const letterWidth = 7.5;
const headHeight = 34;
/** Distance between the legend and the plot. */
const gap = 12;

/**
 * Renders a figure as one SVG file that adapts to light and dark. Deterministic. The first figure of a process loads
 * the library, which takes about half a second.
 *
 * @param width - in pixels; names of marks must fit into it
 */
export async function drawFigure(figure: Figure, width: number = broad): Promise<string> {
  const plot = await import("./drawing-library.ts");
  const { document } = plot.parseHTML("<!doctype html><html><body></body></html>");
  const looks = planLooks(figure);
  const inGroups = hasGroups(figure);
  const upright = inGroups ? uprightNames(figure, width) : 0;
  const height = plotHeight + upright;
  const drawn = plot.plot({
    document: document as never,
    width,
    height,
    ...{ marginLeft, marginTop, marginRight: marginRightOf(figure) },
    marginBottom: marginBottom + upright,
    className: "plot",
    ...scalesOf(figure, inGroups),
    marks: [
      ...framesOf(plot, figure, inGroups, upright > 0, width),
      ...inLayers(looks).map((look) => markOf(plot, look, inGroups, dayInset(figure, width))),
    ],
  }) as unknown as { readonly innerHTML: string };
  const legendHeight = looks.length * legendLine;
  const wholeHeight = headHeight + legendHeight + gap + height;
  // The figure is one image with one label; those of its groups have no role to stand for.
  const plain = cleanText(drawn.innerHTML)
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/ aria-(?:label|hidden)="[^"]*"/g, "");
  const inner = nameMarkers(plain, width === broad ? figure.name : `${figure.name}-${width}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="${themeClass}" viewBox="0 0 ${width} ${wholeHeight}" width="${width}" height="${wholeHeight}"`,
    ` role="img" aria-label="${escapeMarkup(figure.title)}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="12"`,
    ` fill="currentColor">`,
    `<title>${escapeMarkup(figure.title)}</title><desc>${escapeMarkup(figure.caption)}</desc>`,
    `<style>${themeRules(`.${themeClass}`)}.${themeClass}{color:var(--ink);background:var(--background)}`,
    `.${themeClass} text{white-space:pre}</style>`,
    `<rect width="100%" height="100%" fill="var(--background)" />`,
    `<text x="16" y="24" font-size="15" font-weight="600">${escapeMarkup(figure.title)}</text>`,
    `<g transform="translate(16,${headHeight})">${drawLegend(looks, figure.hasPublished !== false)}</g>`,
    `<g transform="translate(0,${headHeight + legendHeight + gap})" text-anchor="middle">${inner}</g>`,
    `</svg>\n`,
  ].join("");
}

/** Names markers after their figure: the library numbers all that the process drew. */
function nameMarkers(svg: string, figure: string): string {
  const places = new Map<string, number>();
  return svg.replace(/\bplot-marker-(\d+)/g, (_, number: string) => {
    const place = places.get(number) ?? places.size;
    places.set(number, place);
    return `${figure}-marker-${place}`;
  });
}

function namesOf(figure: Figure): unknown[] {
  return [...new Set(figure.marks.flatMap((mark) => ("points" in mark ? mark.points.map((point) => point.x) : [])))];
}

/** Extra height in pixels for names that are too long to stand side by side; 0 if they fit. */
function uprightNames(figure: Figure, width: number): number {
  const names = namesOf(figure);
  const longest = Math.max(0, ...names.map((name) => String(name).length)) * letterWidth;
  const room = width - marginLeft - marginRightOf(figure);
  return names.length * (longest + letterWidth) > room ? Math.ceil(longest) : 0;
}

function scalesOf(figure: Figure, inGroups: boolean): PlotLibrary.PlotOptions {
  const { kind } = figure.x;
  const x =
    kind === "names" ? { type: "point" as const } : kind === "days" ? { type: "utc" as const } : scaleOf(figure.x);
  if (!inGroups) return { x, y: scaleOf(figure.y) };
  const series = figure.marks.flatMap((mark) => (mark.kind === "bars" ? [mark.name] : []));
  return {
    fx: { domain: namesOf(figure) as string[], label: figure.x.label, padding: 0.16 },
    x: { type: "band", domain: series, axis: null, padding: 0 },
    y: scaleOf(figure.y),
  };
}

function scaleOf({ kind, domain }: FigureAxis): PlotLibrary.ScaleOptions {
  return {
    type: kind === "log" ? "log" : "linear",
    ...(domain === undefined ? { nice: true } : { domain: [...domain] }),
    ...(kind === "linear" && domain === undefined && { zero: false }),
  };
}

// Grid, axes and frame are styled one by one, so that each can use the theme's colours.
function framesOf(
  plot: typeof DrawingLibrary,
  figure: Figure,
  inGroups: boolean,
  areUpright: boolean,
  width: number,
): PlotLibrary.Markish[] {
  const look = { fontSize: 12, color: "var(--quiet)" };
  const ticks = ({ kind, format }: FigureAxis) =>
    kind === "names" || kind === "days" ? {} : { tickFormat: (value: unknown) => formatNumber(Number(value), format) };
  const spacing = figure.x.kind === "log" ? { ticks: 5 } : figure.x.kind === "days" ? daysBetween(figure, width) : {};
  const xAxis = inGroups
    ? plot.axisFx({
        ...look,
        label: figure.x.label,
        anchor: "bottom",
        labelArrow: "none",
        ...(areUpright && { tickRotate: -90 }),
      })
    : plot.axisX({
        ...look,
        ...ticks(figure.x),
        ...spacing,
        label: figure.x.label,
        labelAnchor: "center",
        labelArrow: "none",
      });
  return [
    plot.gridY(gridOf(figure.y)),
    ...(inGroups ? [] : [plot.gridX(gridOf(figure.x))]),
    plot.axisY({ ...look, ...ticks(figure.y), label: figure.y.label, labelOffset: marginLeft - 13 }),
    xAxis,
  ];
}

/** Of an axis of many decades only their bounds have lines. */
function gridOf({ kind }: FigureAxis): PlotLibrary.GridXOptions {
  return { stroke: "var(--quiet)", strokeOpacity: 0.2, ...(kind === "log" && { ticks: 5 }) };
}

/** Days from the first to the last, whether or not all have marks. */
function countDays(figure: Figure): number {
  const days = namesOf(figure).map(Number);
  return 1 + days.reduce((last, day) => Math.max(last, day), 0) - days.reduce((first, day) => Math.min(first, day));
}

/** A tick a day where they have room: the library would go on with hours. */
function daysBetween(figure: Figure, width: number): { readonly ticks: number | string } {
  const room = width / 100;
  return { ticks: countDays(figure) <= room ? "day" : room };
}

/** Pixels between a day's bar and the bounds of the day; less than none where a day has less than a pixel, which its bar needs. */
function dayInset(figure: Figure, width: number): number {
  if (figure.x.kind !== "days") return 0;
  const dayWidth = (width - marginLeft - marginRightOf(figure)) / countDays(figure);
  return Math.min(0.5, (dayWidth - 1) / 2);
}
