import { ok, problem, type Result } from "../../core/index.ts";
import { maxListLineBytes } from "./list-bytes.ts";
import {
  columnOf,
  detectListFormat,
  isUnsaid,
  type ListColumn,
  type ListFormat,
  plainColumns,
  readHeader,
  splitCsvRecord,
} from "./list-format.ts";
import { parseListedDigest, parseListedSize, parseListedTime, parseListedType, parseListedUrl } from "./listed-page.ts";
import type { ListedIntake } from "./listed-pages.ts";

/** What a line says, as text. */
type Said = Record<ListColumn, string | undefined>;

// With all its members from the beginning: the engine stores them faster.
function sayNothing(): Said {
  return { url: undefined, lastModified: undefined, size: undefined, digest: undefined, type: undefined };
}

/** Lines that one record of CSV may span. */
const maxRecordLines = 16;

/** Reads the lines of a list, in any of its forms. */
export class ListRows {
  readonly #origin: string;
  readonly #name: string;
  readonly #intake: ListedIntake;
  #format: ListFormat | undefined;
  #columns: readonly (ListColumn | undefined)[] | undefined;
  #line = 0;
  /** Whether a field of the line is not understood. */
  #isMisread = false;
  /** Lines of a record of CSV whose quote has no end yet. */
  #open: string[] = [];

  /** @param format - if undefined, it is found by the name and the first line */
  constructor(origin: string, name: string, format: ListFormat | undefined, intake: ListedIntake) {
    this.#origin = origin;
    this.#name = name;
    this.#format = format;
    this.#intake = intake;
  }

  /** Takes the next line, one character a byte; undefined stands for one that is too long. */
  add(line: string | undefined): void {
    if (line === undefined) this.#abandon();
    this.#line += 1;
    if (line === undefined) {
      this.#complain("bad-line", `a line of more than ${maxListLineBytes} bytes`);
      return;
    }
    const text = this.#line === 1 && line.startsWith("\xef\xbb\xbf") ? line.slice(3) : line;
    if (this.#open.length > 0) {
      this.#record(text);
      return;
    }
    if (text === "" || text.charCodeAt(0) === 35 || text.trim() === "") return;
    this.#format ??= detectListFormat(this.#name, text);
    if (this.#format === "jsonl") this.#object(text);
    else if (this.#format === "tsv") this.#fields(text.split("\t"));
    else this.#record(text);
  }

  end(): void {
    this.#abandon();
  }

  /** Takes a line of CSV, which may begin a record, or continue one. */
  #record(text: string): void {
    this.#open.push(text);
    const whole = this.#open.join("\n");
    const fields = splitCsvRecord(whole);
    if (fields !== undefined) {
      this.#open = [];
      this.#fields(fields);
    } else if (this.#open.length >= maxRecordLines || whole.length > maxListLineBytes) {
      this.#abandon();
    }
  }

  // The line that began it is wrong; those after it may be pages.
  #abandon(): void {
    while (this.#open.length > 0) {
      const [, ...rest] = this.#open;
      const last = this.#line;
      this.#open = [];
      this.#line = last - rest.length;
      this.#complain("bad-line", "a quote without an end");
      this.#line += 1;
      for (let at = 0; at < rest.length; at++, this.#line++) {
        const fields = splitCsvRecord(rest[at] ?? "");
        if (fields === undefined) {
          this.#open = rest.slice(at);
          break;
        }
        if (rest[at] !== "") this.#fields(fields);
      }
      this.#line = last;
    }
  }

  #fields(fields: readonly string[]): void {
    if (this.#columns === undefined) {
      const header = readHeader(fields);
      this.#columns = header ?? plainColumns;
      if (header !== undefined) return;
    }
    const said = sayNothing();
    const count = Math.min(fields.length, this.#columns.length);
    for (let at = 0; at < count; at++) {
      const column = this.#columns[at];
      if (column !== undefined) said[column] = fields[at];
    }
    this.#page(said, true);
  }

  #object(text: string): void {
    const object = parseObject(text);
    if (!object.ok) {
      this.#complain(object.error.code, object.error.message);
      return;
    }
    const said = sayNothing();
    for (const [key, value] of Object.entries(object.value)) {
      if (typeof value !== "string" && typeof value !== "number") continue;
      const column = columnOf(key);
      if (column !== undefined) said[column] ??= String(value);
    }
    this.#page(said, false);
  }

  #page(said: Said, isBytes: boolean): void {
    const path = parseListedUrl(said.url ?? "", this.#origin, isBytes);
    if (!path.ok) {
      this.#complain(path.error.code, path.error.message);
      return;
    }
    this.#isMisread = false;
    const page = {
      path: path.value,
      sizeBytes: this.#field(said.size, parseListedSize),
      lastModified: this.#field(said.lastModified, parseListedTime),
      mediaType: this.#field(said.type, parseListedType),
      digest: this.#field(said.digest, parseListedDigest),
    };
    // As in a line whose columns are shifted: nothing of it is believed.
    if (this.#isMisread) this.#intake.keep(page.path);
    else this.#intake.add(page);
  }

  #complain(code: string, message: string): void {
    this.#intake.problem(`${this.#name}:${this.#line}`, { code, message });
  }

  #field<T>(text: string | undefined, parse: (text: string) => Result<T>): T | undefined {
    if (text === undefined || isUnsaid(text)) return undefined;
    const result = parse(text.trim());
    if (result.ok) return result.value;
    const { code, message } = result.error;
    this.#complain(code, `${message}; what was published of this page stays as it was`);
    this.#isMisread = true;
    return undefined;
  }
}

function parseObject(line: string): Result<object> {
  try {
    const text = /^[\0-\x7f]*$/.test(line) ? line : Buffer.from(line, "latin1").toString("utf8");
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return ok(value);
    return problem("bad-line", "not an object of JSON");
  } catch (error) {
    return problem("bad-line", `not JSON: ${(error as Error).message}`);
  }
}
