/** How the numbers of an axis are written, and what they may be. */
export interface FigureAxis {
  /** What is measured, with its unit. */
  readonly label: string;
  /** Names are in the order of the marks. Days are counted from 1970, in UTC; bars of several marks stand before each other, the first in the back. */
  readonly kind: "linear" | "log" | "names" | "days";
  /** Shares are written as percentages. @default "number" */
  readonly format?: "number" | "percent";
  /** First and last value that are drawn; default what the marks need. */
  readonly domain?: readonly [number, number];
}

/** A place in a figure; `x` is a name where the axis has names. */
export interface FigurePoint {
  readonly x: number | string;
  readonly y: number;
  /** Between which values it lies with 95 % confidence, where runs repeat; drawn as an error bar. */
  readonly range?: readonly [number, number];
}

/**
 * What a figure shows. `theirs` are values that the paper prints, `ours` what was found; they are drawn so that nobody
 * takes one for the other. A `guide` is a line at one value of an axis, `band` the space between two.
 */
export type FigureMark = { readonly of: "ours" | "theirs"; readonly name: string } & (
  | { readonly kind: "line" | "dots" | "bars"; readonly points: readonly FigurePoint[] }
  | { readonly kind: "guide"; readonly axis: "x" | "y"; readonly at: number }
  | { readonly kind: "band"; readonly axis: "x" | "y"; readonly from: number; readonly to: number }
);

/** A figure before anybody draws it. */
export interface Figure {
  /** Letters, digits and `-`: the file's name. */
  readonly name: string;
  readonly title: string;
  /** A sentence or two: what is seen, and where the paper has it. */
  readonly caption: string;
  readonly x: FigureAxis;
  readonly y: FigureAxis;
  readonly marks: readonly FigureMark[];
  /** Whether it may have published values, so that the legend says whose each is. @default true */
  readonly hasPublished?: boolean;
}

/** A row of what an experiment found: a value a column. Null where there is none. */
export type LabRow = Readonly<Record<string, number | string | null>>;

/** A column of rows. */
export interface LabColumn {
  readonly name: string;
  /** What the numbers mean, with their unit. */
  readonly meaning: string;
}

/**
 * What a tolerance is set from, never from our result:
 *
 * - `rounding`: half a step of the last digit that the paper prints
 * - `rounding and seeds`: the same, and two standard deviations of ours over twelve seeds
 * - `wording`: what a sentence of the paper says without a number; "small" and "close" are five percentage points
 * - `goal`: no paper prints the number, it is what we ask of ourselves
 */
export type ToleranceBasis = "rounding" | "rounding and seeds" | "wording" | "goal";

/** A published number, or a goal of ours, compared with our result. */
export interface PublishedVerdict {
  /** What it is the number of. */
  readonly name: string;
  /** Section or figure of the paper. */
  readonly where: string;
  /** As it is printed. */
  readonly theirs: string;
  /** Undefined where the experiment, with these parameters, does not say. */
  readonly ours: number | undefined;
  readonly format: "number" | "percent";
  /** Ours meets theirs from the first to the second, both included. */
  readonly tolerance: readonly [number, number];
  readonly basis: ToleranceBasis;
  /** `explained`: not met, and the experiment knows why ours is where it is. */
  readonly verdict: "met" | "explained" | "missed" | "not-measured";
  /** Why it is not met. */
  readonly why: string | undefined;
}

/** What an experiment came to. Nothing in it depends on when, where and by how many threads it was run. */
export interface LabResult {
  readonly name: string;
  readonly title: string;
  /** Authors, title, year and sections. */
  readonly paper: string;
  /** What was done, a few sentences. */
  readonly about: string;
  readonly seed: number;
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly columns: readonly LabColumn[];
  readonly rows: readonly LabRow[];
  readonly published: readonly PublishedVerdict[];
  /** What is to be said beside, sentences. */
  readonly notes?: readonly string[];
  readonly figures: readonly Figure[];
}
