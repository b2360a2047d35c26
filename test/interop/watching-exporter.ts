import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { findCli, type JsonEvent } from "./command.ts";

/** What the program printed, and when. */
export interface TimedEvent {
  readonly event: JsonEvent;
  /** On the clock of `performance.now`. */
  readonly atMs: number;
}

/** How a watch is started. */
export interface WatchingOptions {
  readonly docroot: string;
  readonly url: string;
  readonly state: string;
  /** More options of the command line. */
  readonly options?: readonly string[];
  /** A program and its first arguments that start the exporter; default none. */
  readonly under?: readonly string[];
}

/** `tidemark export --watch` as a child process. */
export class WatchingExporter {
  readonly startedMs: number = performance.now();
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Set<{
    readonly see: (timed: TimedEvent) => boolean;
    readonly fail: (error: Error) => void;
  }>();
  readonly #warnings: JsonEvent[] = [];
  readonly #rounds: TimedEvent[] = [];
  #complaint = "";
  #isOver = false;

  constructor({ docroot, url, state, options = [], under = [] }: WatchingOptions) {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1" };
    const own = ["export", docroot, "--base-url", url, "--state", state, "--watch", "--json", "--quiet", ...options];
    const [program = "", ...args] = [...under, process.execPath, findCli(), ...own];
    this.#child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close").then(() => this.#end());
    this.#child.stderr?.on("data", (chunk) => {
      this.#complaint = `${this.#complaint}${chunk}`.slice(-4096);
    });
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on("line", (line) => this.#take(line));
    }
  }

  /** Rounds so far, the oldest first. */
  get rounds(): readonly TimedEvent[] {
    return this.#rounds;
  }

  get warnings(): readonly JsonEvent[] {
    return this.#warnings;
  }

  /** Its own memory now, without what is shared or swapped out. */
  get residentMiB(): number {
    return this.#readMemory("VmRSS");
  }

  /** The most that it ever was. */
  get peakMiB(): number {
    return this.#readMemory("VmHWM");
  }

  /** Resolves with the next event that is wanted. @throws if the exporter ends before, or after so long */
  async next(what: string, isWanted: (timed: TimedEvent) => boolean, withinMs = 300_000): Promise<TimedEvent> {
    return await new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
      };
      const fail = (error: Error): void => {
        done();
        reject(error);
      };
      const see = (timed: TimedEvent): boolean => {
        if (!isWanted(timed)) return false;
        done();
        resolve(timed);
        return true;
      };
      const waiting = { see, fail };
      const late = (): void => fail(new Error(`${what}: nothing in ${withinMs} ms; ${this.describe()}`));
      const timer = setTimeout(late, withinMs);
      this.#waiting.add(waiting);
      if (this.#isOver) fail(new Error(`${what}: the exporter has ended; ${this.describe()}`));
    });
  }

  /** Resolves with the next round that is wanted. See {@link next}. */
  async nextRound(
    what: string,
    isWanted: (timed: TimedEvent) => boolean = () => true,
    withinMs?: number,
  ): Promise<TimedEvent> {
    return await this.next(what, (timed) => timed.event.event === "round" && isWanted(timed), withinMs);
  }

  /** What it said when it ended without having been asked to; undefined if it did not. */
  get endedByItself(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    if (signalCode !== null || exitCode === null) return undefined;
    return `exit code ${exitCode}; ${this.describe()}`;
  }

  /** Kills it, and waits until it is gone. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** Asks it to end. @returns its exit code */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    await this.#ended;
    return this.#child.exitCode;
  }

  /** What it said last, for complaints. */
  describe(): string {
    const rounds = this.#rounds.slice(-5).map(({ event }) => JSON.stringify(event));
    return [...rounds, ...this.#warnings.slice(-5).map((event) => JSON.stringify(event)), this.#complaint].join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) await this.kill();
  }

  #take(line: string): void {
    const atMs = performance.now();
    if (!line.startsWith("{")) return;
    let event: JsonEvent;
    try {
      event = JSON.parse(line) as JsonEvent;
    } catch {
      return; // The last line of one that was killed may be half a line.
    }
    const timed = { event, atMs };
    if (event.event === "warning") this.#warnings.push(event);
    if (event.event === "round") this.#rounds.push(timed);
    for (const { see } of [...this.#waiting]) see(timed);
  }

  #end(): void {
    this.#isOver = true;
    for (const { fail } of [...this.#waiting]) fail(new Error(`the exporter ended: ${this.describe()}`));
  }

  #readMemory(field: string): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "latin1");
    const kibibytes = new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1];
    return Math.round(Number(kibibytes) / 1024);
  }
}
