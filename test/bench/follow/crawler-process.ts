import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FollowStatus } from "../../../src/follow-status.ts";
import { findCli } from "../../interop/command.ts";
import { type CompressedTime, formatTime, timeVariable } from "./compressed-time.ts";

/** How much of the machine a crawler takes, at one moment. */
export interface ProcessUse {
  readonly memoryBytes: number;
  /** Since its start. */
  readonly processorSeconds: number;
}

const preload = fileURLToPath(new URL("compressed-process.js", import.meta.url));
/** Of Linux, whatever the machine. */
const ticksPerSecond = 100;

/** `tidemark crawl --sites FILE --forever` in compressed time. */
export class CrawlerProcess {
  readonly name: string;
  readonly into: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #said = "";

  /** @param name - is also what servers are told */
  constructor(name: string, into: string, sitesFile: string, time: CompressedTime) {
    this.name = name;
    this.into = into;
    const args = ["crawl", "--sites", sitesFile, "--forever", "--into", into, "--quiet", "--user-agent", name];
    this.#child = spawn(process.execPath, ["--import", preload, findCli(), ...args, "--timeout", "5"], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", [timeVariable]: formatTime(time) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.on("data", (chunk) => {
      this.#said = (this.#said + chunk).slice(-4000);
    });
    this.#exit = once(this.#child, "exit");
  }

  /** @throws with what it said if it has ended */
  use(): ProcessUse {
    this.#checkAlive();
    const file = `/proc/${this.#child.pid}`;
    const memory = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`${file}/status`, "utf8"))?.[1];
    // What stands in brackets may have spaces.
    const fields = readFileSync(`${file}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { memoryBytes: Number(memory) * 1024, processorSeconds: ticks / ticksPerSecond };
  }

  /** What it tells of itself; undefined before it does. */
  status(): FollowStatus | undefined {
    this.#checkAlive();
    try {
      return JSON.parse(readFileSync(join(this.into, ".tidemark", "follow.json"), "utf8")) as FollowStatus;
    } catch {
      return undefined;
    }
  }

  /** Ends it in order. @throws with what it said if it did not end well */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exit;
    if (this.#child.exitCode !== 0) throw new Error(`${this.name} ended with ${this.#child.exitCode}: ${this.#said}`);
  }

  /** Ends it at once, if it is still there. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #checkAlive(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) return;
    throw new Error(`${this.name} ended: ${this.#child.exitCode ?? this.#child.signalCode}: ${this.#said}`);
  }
}
