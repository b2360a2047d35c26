import { parentPort, workerData } from "node:worker_threads";
import { TidemarkError } from "../../src/core/error.ts";
import { experiments } from "../experiments.ts";
import { createLabPorts } from "./lab-ports.ts";
import type { LabAnswer, LabTask, LabThreadSettings } from "./lab-thread.ts";

const progressAfterMs = 100;

// The body of a thread that runs points of experiments for LabThread.
const { scratchFolder } = workerData as LabThreadSettings;
const ports = createLabPorts(scratchFolder);

function answer(message: LabAnswer): void {
  parentPort?.postMessage(message);
}

async function run({ experiment: name, point, values, seed }: LabTask): Promise<void> {
  const experiment = experiments.find((one) => one.name === name);
  if (experiment === undefined) throw new RangeError(`no experiment ${name}`);
  let toldMs = performance.now();
  const onProgress = (share: number): void => {
    const nowMs = performance.now();
    if (nowMs - toldMs < progressAfterMs) return;
    toldMs = nowMs;
    answer({ kind: "progress", share });
  };
  answer({ kind: "rows", rows: await experiment.run(point, values, { seed, ports, onProgress }) });
}

parentPort?.on("message", (task: LabTask) => {
  run(task).catch((error: unknown) => {
    if (error instanceof TidemarkError) {
      const { code, message, hint, details } = error;
      answer({ kind: "broken", code, message, hint, details });
    } else answer({ kind: "bug", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});
