import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FollowStatus } from "../../../src/crawler/follow/follow-status.ts";
import { findCli } from "../../interop/command.ts";
import { type CompressedTime, formatTime, heapVariable, timeVariable } from "./compressed-time.ts";

/** How much of the machine a crawler takes, at one moment. */
export interface ProcessUse {
  readonly memoryBytes: number;
  /** Of its heap, what was alive after the last whole collection; 0 before the first. */
  readonly heapBytes: number;
  /** Since its start. */
  readonly processorSeconds: number;
}

const preload = fileURLToPath(new URL("./compressed-process.js", import.meta.url));
/** All went well, or some page or site could not be had. */
const cleanExits: ReadonlySet<number | null> = new Set([0, 3, 6]);
/** Of Linux, whatever the machine. */
const ticksPerSecond = 100;

/** Who crawls, what, and by which clock. */
export interface CrawlerSettings {
  /** Is also what servers are told. */
  readonly name: string;
  readonly into: string;
  readonly sitesFile: string;
  readonly time: CompressedTime;
  /** Or each site is visited once. */
  readonly isForever: boolean;
}

/** `tidemark crawl --sites FILE` in compressed time. */
export class CrawlerProcess {
  readonly name: string;
  readonly into: string;
  readonly #heapFile: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #said = "";

  constructor({ name, into, sitesFile, time, isForever }: CrawlerSettings) {
    this.name = name;
    this.into = into;
    this.#heapFile = `${into}.heap`;
    rmSync(this.#heapFile, { force: true });
    const args = ["crawl", "--sites", sitesFile, "--into", into, "--quiet", "--user-agent", name, "--timeout", "5"];
    if (isForever) args.push("--forever");
    this.#child = spawn(process.execPath, ["--import", preload, findCli(), ...args], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NO_COLOR: "1",
        [timeVariable]: formatTime(time),
        [heapVariable]: this.#heapFile,
      },
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
    const heapBytes = this.#heapBytes();
    return { memoryBytes: Number(memory) * 1024, heapBytes, processorSeconds: ticks / ticksPerSecond };
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

  #heapBytes(): number {
    if (!existsSync(this.#heapFile)) return 0;
    return Number(readFileSync(this.#heapFile, "utf8").split("\n").at(-2) ?? 0);
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends it in order, if it has not ended. @throws with what it said if it did not end well */
  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.#child.kill("SIGTERM");
      await this.#exit;
    }
    if (!cleanExits.has(this.#child.exitCode))
      throw new Error(`${this.name} ended with ${this.#child.exitCode}: ${this.#said}`);
  }

  /** Ends it at once, if it is still there. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  #checkAlive(): void {
    if (!this.hasEnded) return;
    throw new Error(`${this.name} ended: ${this.#child.exitCode ?? this.#child.signalCode}: ${this.#said}`);
  }
}
