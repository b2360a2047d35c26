import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { TidemarkError } from "../../src/core/error.ts";
import type { LabResult, LabRow } from "../../src/core/lab-result.ts";
import type { Experiment, Point } from "../experiment/experiment.ts";
import { hasOwnData, type Values } from "../experiment/parameter.ts";
import { judgePublished } from "../experiment/published.ts";
import { LabThread } from "./lab-thread.ts";

/** An experiment and what it is given. */
export interface PlannedExperiment {
  readonly experiment: Experiment;
  readonly values: Values;
}

/** How far a run is. */
export interface LabProgress {
  /** The experiment that a point was run of. */
  readonly experiment: string;
  readonly point: string;
  readonly pointsDone: number;
  readonly points: number;
  /** Of all work, 0 to 1. */
  readonly share: number;
}

/** How experiments are to be run. */
export interface RunLabOptions {
  /** 0 to 2^32 - 1. */
  readonly seed: number;
  /** Threads that run points; they change nothing but the time it takes. Default as many as there are processors. */
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LabProgress) => void;
}

interface Task {
  readonly plan: PlannedExperiment;
  readonly point: Point;
  rows: readonly LabRow[];
  share: number;
}

/**
 * Runs experiments, their points side by side on threads.
 *
 * @returns results in the order of the plans; the same for the same plans and seed, byte by byte
 * @throws TidemarkError `aborted`, and what a point throws, such as `not-found` for a file it was given
 */
export async function runLab(plans: readonly PlannedExperiment[], options: RunLabOptions): Promise<LabResult[]> {
  const { seed, signal } = options;
  const tasks = plans.flatMap((plan) =>
    plan.experiment.points(plan.values).map((point): Task => ({ plan, point, rows: [], share: 0 })),
  );
  // Long points first, so that none is left alone at the end.
  const queue = tasks.toSorted((a, b) => weightOf(b) - weightOf(a));
  const scratchFolder = await mkdtemp(join(tmpdir(), "tidemark-lab-"));
  const threads: LabThread[] = [];
  const stop = (): void => {
    for (const thread of threads) void thread[Symbol.asyncDispose]();
  };
  signal?.addEventListener("abort", stop);
  try {
    if (signal?.aborted === true) throw new TidemarkError("aborted", "Stopped before the end.");
    const count = Math.max(1, Math.min(options.threads ?? availableParallelism(), tasks.length));
    for (let at = 0; at < count; at++) threads.push(new LabThread({ scratchFolder }));
    await Promise.all(
      threads.map(async (thread) => {
        for (let task = queue.shift(); task !== undefined; task = queue.shift())
          await runTask(thread, task, seed, () => options.onProgress?.(measureProgress(tasks, task as Task)));
      }),
    );
  } finally {
    signal?.removeEventListener("abort", stop);
    await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
    await rm(scratchFolder, { recursive: true, force: true });
  }
  return plans.map((plan) =>
    resultOf(
      plan,
      seed,
      tasks.filter((task) => task.plan === plan).flatMap(({ rows }) => rows),
    ),
  );
}

async function runTask(thread: LabThread, task: Task, seed: number, onProgress: () => void): Promise<void> {
  const { experiment, values } = task.plan;
  onProgress();
  task.rows = await thread.run({ experiment: experiment.name, point: task.point, values, seed }, (share) => {
    task.share = Math.min(share, 0.99);
    onProgress();
  });
  task.share = 1;
  onProgress();
}

function weightOf({ point }: Task): number {
  return point.weight ?? 1;
}

function measureProgress(tasks: readonly Task[], { plan, point }: Task): LabProgress {
  let done = 0;
  let all = 0;
  for (const task of tasks) {
    done += task.share * weightOf(task);
    all += weightOf(task);
  }
  return {
    experiment: plan.experiment.name,
    point: point.name,
    pointsDone: tasks.filter(({ share }) => share === 1).length,
    points: tasks.length,
    share: done / all,
  };
}

function resultOf({ experiment, values }: PlannedExperiment, seed: number, rows: readonly LabRow[]): LabResult {
  const { name, title, paper, about, columns } = experiment;
  const isOwnData = hasOwnData(experiment.parameters, values);
  const notes = experiment.notes?.(rows) ?? [];
  return {
    name,
    title,
    paper,
    about,
    seed,
    parameters: values,
    columns,
    rows,
    published: experiment.published.map((number) => judgePublished(number, rows, { isOwnData })),
    ...(notes.length > 0 && { notes }),
    figures: experiment.figures(rows, values),
  };
}
