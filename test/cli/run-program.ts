import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("program.js", import.meta.url));

/** How the program ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What starts the program, for those who start it by something else. */
export function commandOf(...args: string[]): { readonly program: string; readonly args: readonly string[] } {
  return { program: process.execPath, args: [program, ...args] };
}

/** Starts the program as a process of its own. */
export function startProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  const env = { ...process.env, ...environment };
  return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
}

/** Waits for the end of the program. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new TypeError("the program has no pipes");
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
  return { code, stdout: out, stderr: err };
}

/** Runs the program to its end with this standard input. */
export async function runProgramWith(input: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { stdio: "pipe" });
  child.stdin.on("error", () => undefined).end(input);
  return await endOf(child);
}

/** Runs the program to its end. */
export function runProgram(...args: string[]): Promise<Ended> {
  return endOf(startProgram(args));
}
