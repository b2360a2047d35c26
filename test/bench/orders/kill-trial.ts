import { join } from "node:path";
import { runOrder } from "./run-process.ts";

/** How an order began again after it was killed. */
export interface Restart {
  /** From opening the journal to the first turn. */
  readonly restartMs: number;
  /** Pages that it still had. */
  readonly waiting: number;
}

/** Kills an order with a journal in the middle of its work, lets another go on, and checks that no page was lost. */
export async function killAndRestart(args: readonly string[], folder: string, pages: number): Promise<Restart> {
  const withJournal = [...args, "--journal", join(folder, "pages.journal")];
  const finishedIn = (line: string): number => (JSON.parse(line) as { finished?: number }).finished ?? 0;
  const lines = await runOrder(withJournal, (line) => finishedIn(line) >= pages / 4);
  const durable = finishedIn(lines.at(-1) ?? "{}");
  const after = await runOrder([...withJournal, "--resume"]);
  const restart = JSON.parse(after[0] ?? "") as Restart;
  const { left } = JSON.parse(after.at(-1) ?? "") as { left: number };
  // What was finished after the last flush of which we were told may be durable too.
  if (restart.waiting > pages - durable || restart.waiting === 0 || left !== 0)
    throw new Error(`${restart.waiting} of ${pages} pages wait after ${durable} were finished, ${left} at the end`);
  return restart;
}
