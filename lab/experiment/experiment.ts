import type { Figure, LabColumn, LabRow } from "../../src/core/lab-result.ts";
import type { ParameterTable, Values } from "./parameter.ts";
import type { LabPorts } from "./ports.ts";
import type { PublishedNumber } from "./published.ts";

/** A part of an experiment that runs by itself, on any thread. Its name is also what its randomness is made from. */
export interface Point {
  readonly name: string;
  /** How much of the experiment's work it is, beside the others. @default 1 */
  readonly weight?: number;
}

/** What a running point is given beside its parameters. */
export interface PointContext {
  readonly seed: number;
  readonly ports: LabPorts;
  /** Tells how much of the point is done, from 0 to 1. Cheap enough to be called a thousand times a second. */
  readonly onProgress: (share: number) => void;
}

/**
 * An experiment: a pure function of its parameters and a seed to rows. To add one, write a module that defines it and
 * name it in `experiments.ts`; command line, threads, files, table and page follow.
 *
 * What it gives may depend on nothing else: not on the time, not on the order in which points run, not on what another
 * point did. What it needs from outside comes through {@link LabPorts}.
 */
export interface Experiment<Table extends ParameterTable = ParameterTable> {
  /** Lower-case letters, digits and `-`. */
  readonly name: string;
  /** A few words for headings. */
  readonly title: string;
  /** Authors, title, year and sections. */
  readonly paper: string;
  /** What it does and how to read it, a few sentences. */
  readonly about: string;
  readonly parameters: Table;
  readonly columns: readonly LabColumn[];
  readonly published: readonly PublishedNumber[];
  /** The parts that it is made of, in the order of their rows. */
  points(values: Values<Table>): readonly Point[];
  /** Runs one part. */
  run(point: Point, values: Values<Table>, context: PointContext): readonly LabRow[] | Promise<readonly LabRow[]>;
  /** What is to be said of all rows beside the published numbers: sentences. Default nothing. */
  notes?(rows: readonly LabRow[]): readonly string[];
  /** What is drawn of all rows. */
  figures(rows: readonly LabRow[], values: Values<Table>): readonly Figure[];
}

/** Defines an experiment, so that the types of its parameters follow from their table. */
export function defineExperiment<const Table extends ParameterTable>(experiment: Experiment<Table>): Experiment {
  // Its functions are only ever given values that were read by its own table.
  return experiment as unknown as Experiment;
}
