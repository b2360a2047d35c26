import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

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
export async function runProgram(
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
