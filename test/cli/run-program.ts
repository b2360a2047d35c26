import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Program, tidemark } from "../../src/cli/command-line.ts";
import { type Host, main } from "../../src/cli/main.ts";

const program = fileURLToPath(new URL("./program.js", import.meta.url));

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

/** A stream that keeps what is written. */
class Written extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** Runs a program to its end within this process, which saves the start of another, with this standard input. */
export async function runWithin(of: Program, input: string, ...args: string[]): Promise<Ended> {
  const [stdout, stderr] = [new Written(), new Written()];
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  const host: Host = Object.assign(new EventEmitter() as unknown as Host, streams, {
    argv: [process.execPath, program, ...args],
  });
  await main(host, of);
  return { code: Number(host.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text };
}

/** Runs `tidemark` to its end within this process, with this standard input. */
export function runProgramWith(input: string, ...args: string[]): Promise<Ended> {
  return runWithin(tidemark, input, ...args);
}

/** Runs the program to its end within this process, with nothing on its standard input. */
export function runProgram(...args: string[]): Promise<Ended> {
  return runProgramWith("", ...args);
}
