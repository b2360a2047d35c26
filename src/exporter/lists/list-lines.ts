/** Longest line of a list, in bytes. */
export const maxListLineBytes: number = 64 * 1024;

/** Cuts bytes into lines, ended by LF or CRLF, one character a byte. */
export class ListLines {
  readonly #onLine: (line: string | undefined) => void;
  #rest = "";
  #isTooLong = false;

  /** @param onLine - is given each line; undefined for one that is longer than {@link maxListLineBytes} */
  constructor(onLine: (line: string | undefined) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Buffer): void {
    const text = this.#rest + chunk.toString("latin1");
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      this.#give(text, from, to);
      from = to + 1;
    }
    this.#rest = from === 0 ? text : text.slice(from);
    if (this.#rest.length <= maxListLineBytes) return;
    this.#isTooLong = true;
    this.#rest = "";
  }

  /** Gives the last line, if it has no end. */
  end(): void {
    if (this.#rest !== "" || this.#isTooLong) this.#give(this.#rest, 0, this.#rest.length);
    this.#rest = "";
  }

  #give(text: string, from: number, to: number): void {
    const isTooLong = this.#isTooLong || to - from > maxListLineBytes;
    this.#isTooLong = false;
    const end = to > from && text.charCodeAt(to - 1) === 13 ? to - 1 : to;
    this.#onLine(isTooLong ? undefined : text.slice(from, end));
  }
}
