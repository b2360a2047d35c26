import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { applyMutant, type Mutant } from "./mutants.ts";

/** What became of a mutant: a test failed, ran for ever, or none noticed. */
export type Fate = "killed" | "timed out" | "survived";

interface Ended {
  readonly code: number | null;
  readonly cpuSeconds: number;
  readonly isLate: boolean;
}

/** What a shell gives for a child that its limit of processor time ended: by SIGXCPU, or by SIGKILL. */
const endedByCpuLimit: readonly (number | null)[] = [128 + 24, 128 + 9];
const mostWallMs = 120_000;

/** A copy of what is compiled, in which mutants live one at a time; the repository itself is never changed. */
export class Trial {
  readonly #folder: string;
  readonly #leastCpuSeconds: number;
  readonly #passing = new Map<string, Promise<number | undefined>>();

  /** @param options.leastCpuSeconds - what each test may take of processor time, at least; default 10 */
  constructor(repository: string, folder: string, options: { readonly leastCpuSeconds?: number } = {}) {
    this.#folder = folder;
    this.#leastCpuSeconds = options.leastCpuSeconds ?? 10;
    mkdirSync(join(folder, "dist"), { recursive: true });
    for (const name of readdirSync(repository))
      if (name !== "dist" && name !== ".git") symlinkSync(join(repository, name), join(folder, name));
    for (const name of ["src", "test", "lib"])
      cpSync(join(repository, "dist", name), join(folder, "dist", name), { recursive: true });
  }

  /** Runs tests of a module, one after the other, until one of them notices the mutant. */
  async run(module: string, mutant: Mutant, tests: readonly string[]): Promise<Fate> {
    const file = join(this.#folder, "dist", module);
    const source = readFileSync(file, "utf8");
    for (const test of tests) {
      const cpuSeconds = await this.#passes(test);
      // A test that fails without any mutant says nothing.
      if (cpuSeconds === undefined) continue;
      writeFileSync(file, applyMutant(source, mutant));
      try {
        const { code, isLate } = await this.#run(test, Math.max(this.#leastCpuSeconds, Math.ceil(5 * cpuSeconds)));
        if (isLate) return "timed out";
        if (code !== 0) return "killed";
      } finally {
        writeFileSync(file, source);
      }
    }
    return "survived";
  }

  /** Processor time of a test without a mutant, in seconds; undefined if it fails. */
  #passes(test: string): Promise<number | undefined> {
    const known = this.#passing.get(test);
    if (known !== undefined) return known;
    const passes = this.#run(test, 300).then(({ code, cpuSeconds }) => (code === 0 ? cpuSeconds : undefined));
    this.#passing.set(test, passes);
    return passes;
  }

  async #run(test: string, mostCpuSeconds: number): Promise<Ended> {
    // Processor time, not time: a busy machine kills no mutant. The group goes with what the test started.
    const command = 'ulimit -t "$1"; "$2" "$3" >/dev/null 2>&1; code=$?; times; exit $code';
    const args = ["-c", command, "sh", String(mostCpuSeconds), process.execPath, join("dist", test)];
    const child = spawn("sh", args, { cwd: this.#folder, stdio: ["ignore", "pipe", "ignore"], detached: true });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // Nothing of it is left.
      }
    };
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      end();
    }, mostWallMs);
    const [times, [code]] = await Promise.all([text(child.stdout), once(child, "close") as Promise<[number | null]>]);
    clearTimeout(timer);
    end();
    // The second line has what the shell's children took.
    const parts = [...(times.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
    const cpuSeconds = parts.reduce((sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds), 0);
    return { code, cpuSeconds, isLate: isOverdue || endedByCpuLimit.includes(code) };
  }
}
