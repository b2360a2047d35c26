import { spawn, spawnSync } from "node:child_process";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

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

/**
 * Runs a program to its end.
 *
 * @param codes - that it may end with
 * @param input - what it reads from its standard input
 * @throws if it ends with another code
 */
export async function meterProcess(
  command: readonly string[],
  codes: readonly number[] = [0],
  input: Iterable<Uint8Array> = [],
): Promise<MeteredCost> {
  // What the one before left in memory is not to be written out on this one's time.
  spawnSync("sync");
  const child = spawn("python3", ["-c", meter, ...command], { stdio: "pipe" });
  // A program that does not read all of it ends with its own error.
  const sent = pipeline(Readable.from(input), child.stdin).catch(() => undefined);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), sent]);
  if (stdout === "") throw new Error(`python3 is needed to measure: ${stderr}`);
  const cost = JSON.parse(stdout) as MeteredCost & { status: number };
  if (!codes.some((code) => cost.status === code << 8))
    throw new Error(`${command.join(" ")} failed: ${stderr.slice(-2000)}${cost.output}`);
  return cost;
}
