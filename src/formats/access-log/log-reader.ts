import { ok, type Result } from "../../core/index.ts";
import { JsonLineParser } from "./json-line.ts";
import { parseFormattedLine } from "./line-parser.ts";
import { compileLogFormat, type LogFormat } from "./log-format.ts";
import { LogLine } from "./log-line.ts";

/** Longest line that is read, in bytes; Apache's and nginx's limits for a request are below it. */
export const maxLogLineBytes: number = 64 * 1024;

/** Formats that have a name, in the order in which they are tried. */
const namedFormats = {
  vhost_combined: '%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"',
  combined: '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"',
  common: '%h %l %u %t "%r" %>s %b',
} as const;

/** Names that {@link readLogFormat} knows, beside formats that are written out. */
export const logFormatNames: readonly string[] = [...Object.keys(namedFormats), "json-lines"];

/** Formats of a log; a line is of the first that it fits. */
export interface LogFormats {
  readonly compiled: readonly LogFormat[];
  /** Whether lines may be JSON objects. */
  readonly json: boolean;
}

/**
 * The formats that a name or a format written out stands for.
 *
 * @param text - one of {@link logFormatNames}, a `LogFormat` or a `log_format`; undefined for all that have a name
 */
export function readLogFormat(text: string | undefined): Result<LogFormats> {
  if (text === "json-lines") return ok({ compiled: [], json: true });
  const wanted =
    text === undefined
      ? Object.values(namedFormats)
      : [Object.hasOwn(namedFormats, text) ? namedFormats[text as keyof typeof namedFormats] : text];
  const compiled: LogFormat[] = [];
  for (const one of wanted) {
    const format = compileLogFormat(one);
    if (!format.ok) return format;
    compiled.push(format.value);
  }
  return ok({ compiled, json: text === undefined });
}

/** Who is told of lines; what is given is valid until the function returns. */
export interface LogReceiver {
  onLine(line: LogLine): void;
  /** A line that is of none of the formats, or of which only the beginning was kept because it is too long. */
  onBadLine(bytes: Uint8Array, from: number, to: number): void;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const brace = 0x7b;

/** Reads a log that comes in chunks; holds no more of it than one line. */
export class LogReader {
  readonly #formats: LogFormats;
  readonly #receiver: LogReceiver;
  readonly #json = new JsonLineParser(maxLogLineBytes);
  readonly #line = new LogLine();
  /** The beginning of a line whose end is not there yet. */
  readonly #held = new Uint8Array(maxLogLineBytes);
  #heldBytes = 0;
  #isTooLong = false;

  constructor(formats: LogFormats, receiver: LogReceiver) {
    this.#formats = formats;
    this.#receiver = receiver;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(lineFeed, from);
      if (end < 0) break;
      if (this.#heldBytes === 0 && !this.#isTooLong && end - from <= maxLogLineBytes) this.#read(chunk, from, end);
      else {
        this.#hold(chunk, from, end);
        this.end();
      }
      from = end + 1;
    }
    this.#hold(chunk, from, chunk.length);
  }

  /** The log ends, if need be in the middle of a line. */
  end(): void {
    if (this.#isTooLong) this.#receiver.onBadLine(this.#held, 0, this.#heldBytes);
    else this.#read(this.#held, 0, this.#heldBytes);
    this.#heldBytes = 0;
    this.#isTooLong = false;
  }

  #hold(chunk: Uint8Array, from: number, to: number): void {
    const fitting = Math.min(to - from, maxLogLineBytes - this.#heldBytes);
    if (fitting < to - from) this.#isTooLong = true;
    this.#held.set(chunk.subarray(from, from + fitting), this.#heldBytes);
    this.#heldBytes += fitting;
  }

  #read(bytes: Uint8Array, from: number, end: number): void {
    const to = end > from && bytes[end - 1] === carriageReturn ? end - 1 : end;
    if (to === from) return;
    if (this.#parse(bytes, from, to)) this.#receiver.onLine(this.#line);
    else this.#receiver.onBadLine(bytes, from, to);
  }

  #parse(bytes: Uint8Array, from: number, to: number): boolean {
    const { compiled, json } = this.#formats;
    if (json && bytes[from] === brace && this.#json.parse(bytes, from, to, this.#line)) return true;
    return compiled.some((format) => parseFormattedLine(format, bytes, from, to, this.#line));
  }
}
