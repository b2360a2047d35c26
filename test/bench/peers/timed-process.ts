import { spawn } from "node:child_process";
import { once } from "node:events";

/** What a process cost. */
export interface ProcessCost {
  readonly wallMs: number;
  /** User and system time of the process and its children, in milliseconds. */
  readonly cpuMs: number;
  readonly stdout: string;
}

/** Runs a program to its end under the shell's `time`. @throws if its exit code is not 0 */
export async function timeProcess(program: string, args: readonly string[]): Promise<ProcessCost> {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@"';
  const child = spawn("bash", ["-c", script, "bash", program, ...args], {
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr.slice(-2000)}${stdout.slice(-2000)}`);
  const [wall, user, system] = (stderr.trimEnd().split("\n").at(-1) ?? "").split(" ").map(Number);
  if (wall === undefined || user === undefined || system === undefined) throw new Error(`no times: ${stderr}`);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000, stdout };
}
