import { spawnSync } from "node:child_process";

/** What one run of a program took. */
export interface MeteredCost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** Largest resident set of any one process, in MiB. */
  readonly peakMiB: number;
  /** The end of what it printed. */
  readonly output: string;
}

// wait4(2) counts a process and all that it waited for; Node shows no such figure of a child.
const meter = `
import json, os, subprocess, sys, time
began = time.monotonic()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
tail = b""
while piece := child.stdout.read1(65536):
  tail = (tail + piece)[-4096:]
_, status, usage = os.wait4(child.pid, 0)
print(json.dumps({"wallSeconds": time.monotonic() - began, "cpuSeconds": usage.ru_utime + usage.ru_stime,
  "peakMiB": usage.ru_maxrss / 1024, "output": tail.decode(errors="replace"), "status": status}))
`;

/** Runs a program to its end. @throws if it fails */
export function meterProcess(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): MeteredCost {
  // What the one before left in memory is not to be written out on this one's time.
  spawnSync("sync");
  const run = spawnSync("python3", ["-c", meter, ...command], { encoding: "utf8", maxBuffer: 1 << 24, ...options });
  if (run.status !== 0) throw new Error(`python3 is needed to measure: ${run.stderr}`);
  const cost = JSON.parse(run.stdout) as MeteredCost & { status: number };
  if (cost.status !== 0) throw new Error(`${command.join(" ")} failed: ${run.stderr.slice(-2000)}${cost.output}`);
  return cost;
}
