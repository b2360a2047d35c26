import type { Writable } from "node:stream";
import { wrapSystemError } from "../../core/index.ts";

const flushAtLength = 64 * 1024;
const flushAfterMs = 100;

/** A standard stream that collects small writes, and remembers that its reader went away instead of throwing. */
export class Output {
  readonly #onClosed: () => void;
  readonly #stream: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  #pending = "";
  #flushedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #error: Error | undefined;
  #isHeld = false;

  /**
   * @param stream - whoever made it closes it
   * @param onClosed - called once, when the stream cannot be written any more
   */
  constructor(
    stream: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number },
    onClosed: () => void,
  ) {
    this.#stream = stream;
    this.#onClosed = onClosed;
    stream.on("error", (error) => this.#fail(error));
  }

  /** Whether a person watches. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  /** Width in characters; 80 where there is none, or a terminal says 0. */
  get columns(): number {
    return this.#stream.columns || 80;
  }

  /** Height in lines; 24 where there is none, or a terminal says 0. */
  get rows(): number {
    return this.#stream.rows || 24;
  }

  /** Whether the reader went away, as `head` does. */
  get readerLeft(): boolean {
    return this.#error !== undefined && (this.#error as { code?: unknown }).code === "EPIPE";
  }

  /** Whether writers should wait for {@link ready}. */
  get isFull(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /** Adds text; it reaches the stream within a tenth of a second, or at once if there is much of it. */
  write(text: string): void {
    if (this.#error !== undefined) return;
    this.#pending += text;
    if (this.#isHeld) return;
    if (this.#pending.length >= flushAtLength || performance.now() - this.#flushedAt > flushAfterMs) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), flushAfterMs);
  }

  /** Adds an object as a line of JSON. */
  writeJson(value: object): void {
    this.write(`${JSON.stringify(value)}\n`);
  }

  /** Keeps what is written from now on, until somebody takes it. */
  hold(): void {
    this.#flush();
    this.#isHeld = true;
  }

  /** Gives what was kept, and keeps no more. */
  takeHeld(): string {
    if (!this.#isHeld) return "";
    const text = this.#pending;
    this.#pending = "";
    this.#isHeld = false;
    return text;
  }

  /** Resolves when the stream takes more. */
  async ready(): Promise<void> {
    if (this.#error !== undefined || !this.#stream.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#stream.off("drain", done).off("error", done).off("close", done);
        resolve();
      };
      this.#stream.on("drain", done).on("error", done).on("close", done);
    });
  }

  /**
   * Resolves when everything written so far has left the process.
   *
   * @throws TidemarkError if it could not, unless the reader went away: see {@link readerLeft}
   */
  async flush(): Promise<void> {
    if (this.#error === undefined) await new Promise<void>((resolve) => this.#flush(() => resolve()));
    if (this.#error !== undefined && !this.readerLeft) throw wrapSystemError(this.#error, "write the output");
  }

  #flush(done?: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#pending;
    this.#pending = "";
    this.#flushedAt = performance.now();
    if (text !== "" || done !== undefined) {
      this.#stream.write(text, (error) => {
        // The stream's own "error" comes after this.
        if (error) this.#fail(error);
        done?.();
      });
    }
  }

  #fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#pending = "";
    this.#onClosed();
  }
}
