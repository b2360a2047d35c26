import { ok, type Problem, problem, type Result } from "../../core/index.ts";
import { splitCsvRecord } from "./csv-record.ts";
import {
  columnOf,
  detectListFormat,
  isUnsaid,
  type ListColumn,
  type ListFormat,
  plainColumns,
  readHeader,
} from "./list-columns.ts";
import { maxListLineBytes } from "./list-lines.ts";
import { parseListedDigest, parseListedSize, parseListedTime, parseListedType } from "./listed-field.ts";
import type { ListedPage } from "./listed-page.ts";
import { parseListedUrl } from "./listed-url.ts";

/** Who is told what the lines of a list are. Numbers of lines begin with 1. */
export interface RowSink {
  page(page: ListedPage): void;
  /** A page of which a field is not understood, as in a line whose columns are shifted: nothing of the line is believed. */
  unreadable(path: string): void;
  /** A line that is no page, or a field that is not understood. */
  problem(line: number, problem: Problem): void;
}

/** Lines that one record of CSV may span. */
const maxRecordLines = 16;

/** Reads the lines of a list, in any of its forms. */
export class ListRows {
  readonly #origin: string;
  readonly #name: string;
  readonly #sink: RowSink;
  #format: ListFormat | undefined;
  #columns: readonly (ListColumn | undefined)[] | undefined;
  #line = 0;
  /** Whether a field of the line is not understood. */
  #isMisread = false;
  /** Lines of a record of CSV whose quote has no end yet. */
  #open: string[] = [];
  readonly #knownKeys: Map<string, ListColumn | undefined> = new Map();
  readonly #knownTypes: Map<string, string> = new Map();

  /** @param format - if undefined, it is found by the name and the first line */
  constructor(origin: string, name: string, format: ListFormat | undefined, sink: RowSink) {
    this.#origin = origin;
    this.#name = name;
    this.#format = format;
    this.#sink = sink;
  }

  /** Takes the next line, one character a byte; undefined stands for one that is too long. */
  add(line: string | undefined): void {
    if (line === undefined) this.#abandon();
    this.#line += 1;
    if (line === undefined) {
      this.#sink.problem(this.#line, { code: "bad-line", message: `a line of more than ${maxListLineBytes} bytes` });
      return;
    }
    const text = this.#line === 1 && line.startsWith("\xef\xbb\xbf") ? line.slice(3) : line;
    if (this.#open.length > 0) {
      this.#continue(text);
      return;
    }
    if (text === "" || text.charCodeAt(0) === 35 || text.trim() === "") return;
    this.#format ??= detectListFormat(this.#name, text);
    if (this.#format === "jsonl") this.#object(text);
    else if (this.#format === "tsv") this.#fields(text.split("\t"), true);
    else this.#record(text);
  }

  /** There are no more lines. */
  end(): void {
    this.#abandon();
  }

  #record(text: string): void {
    const fields = splitCsvRecord(text);
    if (fields === undefined) this.#open = [text];
    else this.#fields(fields, true);
  }

  #continue(text: string): void {
    this.#open.push(text);
    const whole = this.#open.join("\n");
    const fields = splitCsvRecord(whole);
    if (fields !== undefined) {
      this.#open = [];
      this.#fields(fields, true);
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
      this.#sink.problem(this.#line, { code: "bad-line", message: "a quote without an end" });
      this.#line += 1;
      for (let at = 0; at < rest.length; at++, this.#line++) {
        const fields = splitCsvRecord(rest[at] ?? "");
        if (fields === undefined) {
          this.#open = rest.slice(at);
          break;
        }
        if (rest[at] !== "") this.#fields(fields, true);
      }
      this.#line = last;
    }
  }

  #fields(fields: readonly string[], isBytes: boolean): void {
    if (this.#columns === undefined) {
      const header = readHeader(fields);
      this.#columns = header ?? plainColumns;
      if (header !== undefined) return;
    }
    let url = "";
    let lastModified: string | undefined;
    let size: string | undefined;
    let digest: string | undefined;
    let type: string | undefined;
    const count = Math.min(fields.length, this.#columns.length);
    for (let at = 0; at < count; at++) {
      const field = fields[at] ?? "";
      switch (this.#columns[at]) {
        case "url":
          url = field;
          break;
        case "lastModified":
          lastModified = field;
          break;
        case "size":
          size = field;
          break;
        case "digest":
          digest = field;
          break;
        case "type":
          type = field;
          break;
      }
    }
    this.#page(url, isBytes, lastModified, size, digest, type);
  }

  #object(text: string): void {
    const object = parseObject(text);
    if (!object.ok) {
      this.#sink.problem(this.#line, object.error);
      return;
    }
    const said: Partial<Record<ListColumn, string>> = {};
    for (const [key, value] of Object.entries(object.value)) {
      if (typeof value !== "string" && typeof value !== "number") continue;
      const column = this.#columnOf(key);
      if (column !== undefined) said[column] ??= String(value);
    }
    this.#page(said.url ?? "", false, said.lastModified, said.size, said.digest, said.type);
  }

  #columnOf(key: string): ListColumn | undefined {
    const known = this.#knownKeys.get(key);
    if (known !== undefined || this.#knownKeys.has(key)) return known;
    const column = columnOf(key);
    if (this.#knownKeys.size < 256) this.#knownKeys.set(key, column);
    return column;
  }

  #page(
    url: string,
    isBytes: boolean,
    lastModified: string | undefined,
    size: string | undefined,
    digest: string | undefined,
    type: string | undefined,
  ): void {
    const path = parseListedUrl(url, this.#origin, isBytes);
    if (!path.ok) {
      this.#sink.problem(this.#line, path.error);
      return;
    }
    this.#isMisread = false;
    const page = {
      path: path.value,
      sizeBytes: this.#field(size, parseListedSize),
      lastModified: this.#field(lastModified, parseListedTime),
      mediaType: this.#mediaType(type),
      digest: this.#field(digest, parseListedDigest),
    };
    if (this.#isMisread) this.#sink.unreadable(page.path);
    else this.#sink.page(page);
  }

  #mediaType(text: string | undefined): string | undefined {
    const known = this.#knownTypes.get(text ?? "");
    if (known !== undefined) return known;
    const type = this.#field(text, parseListedType);
    if (type !== undefined && this.#knownTypes.size < 256) this.#knownTypes.set(text ?? "", type);
    return type;
  }

  #field<T>(text: string | undefined, parse: (text: string) => Result<T>): T | undefined {
    if (text === undefined || isUnsaid(text)) return undefined;
    const result = parse(text.trim());
    if (result.ok) return result.value;
    const { code, message } = result.error;
    this.#sink.problem(this.#line, { code, message: `${message}; what was published of this page stays as it was` });
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
