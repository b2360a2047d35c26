import { closeSync, createReadStream, openSync } from "node:fs";
import { rm } from "node:fs/promises";
import { writeWhole } from "./durable-file.ts";

const defaultRunCharacters = 16 * 1024 * 1024;

function* chunksOf(lines: readonly string[]): Generator<string, void, void> {
  for (let at = 0; at < lines.length; at += 1000) yield `${lines.slice(at, at + 1000).join("\n")}\n`;
}

/** Sorts ASCII lines by their bytes in bounded memory: sorted runs in files, merged as they are read. */
export class LineSort implements AsyncDisposable {
  readonly #newFile: () => string;
  #lines: string[] = [];
  #characters = 0;
  readonly #runs: string[] = [];
  readonly #maxRunCharacters: number;

  /**
   * @param newFile - names a file that is not there yet
   * @param maxRunCharacters - so much is sorted in memory at a time
   */
  constructor(newFile: () => string, maxRunCharacters: number = defaultRunCharacters) {
    this.#newFile = newFile;
    this.#maxRunCharacters = maxRunCharacters;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= this.#maxRunCharacters) this.#spill();
  }

  /** All lines, in order. */
  async *sorted(): AsyncGenerator<string, void, void> {
    const runs: (AsyncIterable<string> | Iterable<string>)[] = this.#runs.map((file) => linesOf(file));
    yield* mergeLines([...runs, this.#lines.sort()]);
  }

  #spill(): void {
    const file = this.#newFile();
    this.#runs.push(file);
    const fd = openSync(file, "wx");
    try {
      for (const chunk of chunksOf(this.#lines.sort())) writeWhole(fd, Buffer.from(chunk, "latin1"));
    } finally {
      closeSync(fd);
    }
    this.#lines = [];
    this.#characters = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#runs) await rm(file, { force: true });
  }
}

/** The lines of an ASCII file. */
export async function* linesOf(file: string): AsyncGenerator<string, void, void> {
  let rest = "";
  for await (const chunk of createReadStream(file, "latin1") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** Merges sorted lists of lines into one. */
export async function* mergeLines(
  lists: readonly (AsyncIterable<string> | Iterable<string>)[],
): AsyncGenerator<string, void, void> {
  const open: { readonly rest: AsyncIterator<string> | Iterator<string>; line: string }[] = [];
  try {
    for (const list of lists) {
      const rest = Symbol.asyncIterator in list ? list[Symbol.asyncIterator]() : list[Symbol.iterator]();
      const first = await rest.next();
      if (first.done !== true) open.push({ rest, line: first.value });
    }
    while (open.length > 0) {
      let least = open[0];
      for (const one of open) if (least === undefined || one.line < least.line) least = one;
      if (least === undefined) return;
      yield least.line;
      const next = await least.rest.next();
      if (next.done === true) open.splice(open.indexOf(least), 1);
      else least.line = next.value;
    }
  } finally {
    for (const { rest } of open) await rest.return?.();
  }
}
