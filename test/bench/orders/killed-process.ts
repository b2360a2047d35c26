import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { makeTempFolder } from "../../temp-folder.ts";

/** Runs `orders-run.ts`; see {@link runProgram}. */
export function runOrder(args: readonly string[], killWhen?: (line: string) => boolean): Promise<string[]> {
  return runProgram("orders-run.js", args, killWhen);
}

/**
 * Runs a program beside this one in a process of its own.
 *
 * @param killWhen - told of each line; once it says so the process is killed without warning
 * @returns the lines that it printed
 */
async function runProgram(
  name: string,
  args: readonly string[],
  killWhen?: (line: string) => boolean,
): Promise<string[]> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  const lines: string[] = [];
  let isKilled = false;
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (isKilled || killWhen?.(line) !== true) continue;
    isKilled = true;
    child.kill("SIGKILL");
  }
  const end = await ended;
  if (end !== (isKilled ? "SIGKILL" : 0)) throw new Error(`${name} ended with ${end}`);
  return lines;
}

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

interface Stage {
  readonly stage?: string;
  readonly count: number;
  readonly perCpuSecond: number;
  readonly perSecond: number;
}

interface Facts {
  readonly reopenMs?: number;
  readonly waiting: number;
  readonly known: number;
  readonly peakMiB: number;
  readonly diskBytes: number;
  readonly added?: number;
  readonly finished?: number;
}

const parse = (line: string | undefined): Stage & Facts => JSON.parse(line ?? "{}") as Stage & Facts;

/** Fills a queue on disk, asks for what it has, empties part of it; then the same with two kills. @returns rows of a table */
export async function tryQueue(urls: number, sites: number, memoryMiB: number): Promise<string> {
  using temp = makeTempFolder();
  const args = ["--urls", `${urls}`, "--sites", `${sites}`, "--memory", `${memoryMiB}`];
  const most = Math.min(urls, 5_000_000);
  const folder = join(temp.path, "queue");
  const run = (more: readonly string[], killWhen?: (line: string) => boolean): Promise<string[]> =>
    runProgram("queue-run.js", [...args, "--folder", folder, ...more], killWhen);

  // Killed as it is filled, and filled by another: what was told to be durable is there.
  const first = await run([], (line) => (parse(line).added ?? 0) >= urls * 0.6);
  const durable = parse(first.at(-1)).added ?? 0;
  const filled = await run(["--repeats", `${most / 5}`]);
  const [begun, full] = [parse(filled[0]), parse(filled.at(-1))];
  if (begun.known < durable || begun.waiting !== begun.known)
    throw new Error(`${begun.waiting} of ${begun.known} URLs wait after ${durable} were durable`);
  if (full.known !== urls || full.waiting !== urls) throw new Error(`${full.known} URLs are known of ${urls}`);

  // Killed as it is emptied, and emptied by another.
  const emptied = await run(["--take", `${most}`], (line) => (parse(line).finished ?? 0) >= most * 0.3);
  const finished = parse(emptied.at(-1)).finished ?? 0;
  const last = await run(["--take", `${most}`]);
  const [again, end] = [parse(last[0]), parse(last.at(-1))];
  if (again.waiting > urls - finished || again.known !== urls || end.waiting !== Math.max(0, again.waiting - most))
    throw new Error(`${again.waiting} of ${urls} URLs wait after ${finished} were finished, ${end.waiting} at the end`);

  const stages = [...filled, ...last].map(parse).filter(({ stage }) => stage !== undefined);
  const rates = stages.map(
    ({ stage, perSecond, perCpuSecond }) => `${stage}: ${perSecond.toFixed(0)}/s, ${perCpuSecond.toFixed(0)}/CPU s`,
  );
  return [
    `${urls} URLs of ${sites} sites on disk, ${memoryMiB} MiB for URLs: ${rates.join("; ")};`,
    `peak ${full.peakMiB.toFixed(0)} MiB as it was filled, ${end.peakMiB.toFixed(0)} as it was emptied;`,
    `${(full.diskBytes / 1024 ** 3).toFixed(2)} GiB on disk; opened after kill -9 in ${((begun.reopenMs ?? 0) / 1000).toFixed(1)} s`,
    `(${begun.known} URLs) and ${((again.reopenMs ?? 0) / 1000).toFixed(1)} s (${again.waiting} waiting).\n`,
  ].join("\n");
}
