import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { requireProgram } from "./programs.ts";

/** A system call as `strace` wrote it. */
export interface SystemCall {
  readonly name: string;
  /** Its arguments as text; strings are in hexadecimal. */
  readonly args: string;
  /** What it returned; below 0 if it failed. */
  readonly result: number;
  /** The call was entered after this many lines of the trace. */
  readonly begunAt: number;
  /** It had returned after this many lines. */
  readonly endedAt: number;
  /** Whether it was made by the program itself, and not by a program that it started. */
  readonly isOwn: boolean;
}

const traced = [
  "open,openat,creat,close,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile",
  "rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat",
  "fsync,fdatasync,sync,syncfs,utimensat,dup,dup2,dup3,lseek,clone,clone3,fork,vfork",
].join(",");

/**
 * Runs Node under `strace`, with the program it is given, and writes what it asks of the file system to a file.
 *
 * @returns its exit code and what it printed
 */
export async function recordSystemCalls(
  traceFile: string,
  args: readonly string[],
): Promise<{ readonly exitCode: number | null; readonly output: string }> {
  const strace = ["-f", "-qq", "-xx", "-s", String(64 * 1024 * 1024), "-e", `trace=${traced}`, "-e", "signal=none"];
  // Without io_uring, whose work no system call shows.
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", UV_USE_IO_URING: "0" };
  const child = spawn(requireProgram("strace"), [...strace, "-o", traceFile, process.execPath, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, output };
}

interface Line {
  readonly pid: string;
  readonly text: string;
  readonly at: number;
}

async function* readLines(file: string): AsyncGenerator<Line> {
  let at = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const [, pid = "", text = ""] = /^(\d+)\s+(.*)$/s.exec(line) ?? [];
    at += 1;
    if (pid !== "") yield { pid, text, at };
  }
}

const unfinished = " <unfinished ...>";

/** Reads a trace: calls in the order in which they returned. */
export async function readSystemCalls(file: string): Promise<SystemCall[]> {
  const open = new Map<string, { readonly text: string; readonly at: number }>();
  const calls: (Omit<SystemCall, "isOwn"> & { readonly pid: string })[] = [];
  let main: string | undefined;
  for await (const { pid, text, at } of readLines(file)) {
    main ??= pid;
    if (text.endsWith(unfinished)) {
      open.set(pid, { text: text.slice(0, -unfinished.length), at });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(text);
    const begun = resumed === null ? undefined : open.get(pid);
    const whole = resumed === null ? text : `${begun?.text ?? ""}${resumed[1]}`;
    const match = /^(\w+)\((.*)\)\s+= (-?\d+)/s.exec(whole);
    if (match === null) continue;
    const [, name = "", args = "", result = ""] = match;
    calls.push({ pid, name, args, result: Number(result), begunAt: begun?.at ?? at, endedAt: at });
  }
  // A program that was started has descriptors of its own.
  const threads = new Set([main]);
  for (const { name, args, result } of calls)
    if (name.startsWith("clone") && args.includes("CLONE_THREAD")) threads.add(String(result));
  return calls.map(({ pid, ...call }) => ({ ...call, isOwn: threads.has(pid) }));
}

/** The strings among the arguments of a call. */
export function stringsOf(args: string): Buffer[] {
  return [...args.matchAll(/"([\\x0-9a-f]*)"/g)].map(([, hex = ""]) => Buffer.from(hex.replaceAll("\\x", ""), "hex"));
}
