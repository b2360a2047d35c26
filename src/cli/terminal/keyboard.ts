import type { ReadStream } from "node:tty";

const interrupt = "\u0003";

/** The keys of a terminal, each as it is pressed; given back as it was when it is disposed of. */
export class Keyboard implements Disposable {
  readonly #stream: ReadStream;
  readonly #onData = (bytes: Buffer): void => this.#take(bytes.toString("latin1"));
  #onEnd: (() => void) | undefined;

  constructor(stream: ReadStream) {
    this.#stream = stream;
    stream.setRawMode(true);
    stream.on("data", this.#onData);
    stream.resume();
  }

  /** Calls when somebody presses q or Ctrl-C, which is a key like others now. */
  onEnd(act: () => void): void {
    this.#onEnd = act;
  }

  #take(keys: string): void {
    // What begins with an escape is a key of another name, such as an arrow.
    if (keys.includes(interrupt) || /^q/i.test(keys)) this.#onEnd?.();
  }

  [Symbol.dispose](): void {
    this.#stream.off("data", this.#onData);
    this.#stream.setRawMode(false);
    this.#stream.pause();
  }
}
