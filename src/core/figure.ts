/** How the numbers of an axis are written, and what they may be. */
export interface FigureAxis {
  /** What is measured, with its unit. */
  readonly label: string;
  /** Names are in the order of the marks. */
  readonly kind: "linear" | "log" | "names";
  /** Shares are written as percentages. @default "number" */
  readonly format?: "number" | "percent";
  /** First and last value that are drawn; default what the marks need. */
  readonly domain?: readonly [number, number];
}

/** A place in a figure; `x` is a name where the axis has names. */
export interface FigurePoint {
  readonly x: number | string;
  readonly y: number;
}

/**
 * What a figure shows. `theirs` are values that the paper prints, `ours` what was found; they are drawn so that nobody
 * takes one for the other. A `guide` is a line at one value of an axis, `band` the space between two.
 */
export type FigureMark =
  | {
      readonly kind: "line" | "dots" | "bars";
      readonly of: "ours" | "theirs";
      readonly name: string;
      readonly points: readonly FigurePoint[];
    }
  | {
      readonly kind: "guide";
      readonly of: "ours" | "theirs";
      readonly name: string;
      readonly axis: "x" | "y";
      readonly at: number;
    }
  | {
      readonly kind: "band";
      readonly of: "ours" | "theirs";
      readonly name: string;
      readonly axis: "x" | "y";
      readonly from: number;
      readonly to: number;
    };

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
