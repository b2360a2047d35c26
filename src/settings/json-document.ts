import { excerpt, ok, problem, type Result } from "../model/index.ts";

/** Deepest nesting that is read. */
export const maxJsonDepth = 64;

/** A place in a text. */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters of UTF-16. */
  readonly column: number;
}

/** A JSON text's value, and where its parts stand. */
export interface JsonDocument {
  readonly value: unknown;
  /** Where a member or an element begins; if there is none, where the nearest part around it does. */
  readonly positionOf: (path: ReadonlyArray<string | number>) => Position;
}

/**
 * Reads a JSON text that a person wrote (RFC 8259), with what `JSON.parse` does not tell: line and column of a
 * mistake, where each part stands, and keys that stand twice.
 */
export function parseJsonDocument(source: string): Result<JsonDocument> {
  const reader = new Reader(source);
  try {
    return ok(reader.read());
  } catch (error) {
    if (!(error instanceof SyntaxMistake)) throw error;
    const { line, column } = positionAt(source, error.at);
    return problem("bad-json", `line ${line}, column ${column}: ${error.message}`);
  }
}

class SyntaxMistake extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

function positionAt(source: string, at: number): Position {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const blank = /[ \t\r\n]*/y;
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const word = /true|false|null/y;

class Reader {
  readonly #source: string;
  readonly #places = new Map<string, number>();
  readonly #path: Array<string | number> = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): JsonDocument {
    const value = this.#value();
    this.#skipBlank();
    if (this.#at < this.#source.length) throw this.#mistake("something stands after the end of the value");
    return { value, positionOf: (path) => this.#positionOf(path) };
  }

  #positionOf(path: ReadonlyArray<string | number>): Position {
    for (let length = path.length; length > 0; length--) {
      const at = this.#places.get(JSON.stringify(path.slice(0, length)));
      if (at !== undefined) return positionAt(this.#source, at);
    }
    return { line: 1, column: 1 };
  }

  #value(): unknown {
    this.#skipBlank();
    const first = this.#source[this.#at];
    if (first === "{") return this.#nested(() => this.#object());
    if (first === "[") return this.#nested(() => this.#array());
    if (first === '"') return this.#string();
    const literal = this.#match(number) ?? this.#match(word);
    if (literal === undefined) throw this.#mistake("a value is missing");
    return JSON.parse(literal);
  }

  #nested<T>(read: () => T): T {
    if (this.#path.length >= maxJsonDepth) throw this.#mistake(`more than ${maxJsonDepth} levels`);
    return read();
  }

  #object(): object {
    const members = new Map<string, unknown>();
    this.#at += 1;
    this.#skipBlank();
    if (this.#take("}")) return {};
    do {
      this.#skipBlank();
      const keyAt = this.#at;
      if (this.#source[keyAt] !== '"') throw this.#mistake("a key in double quotes is missing");
      const key = this.#string();
      if (members.has(key)) throw new SyntaxMistake(keyAt, `the key ${excerpt(key)} stands twice`);
      this.#skipBlank();
      if (!this.#take(":")) throw this.#mistake("a colon is missing after the key");
      this.#path.push(key);
      this.#places.set(JSON.stringify(this.#path), keyAt);
      members.set(key, this.#value());
      this.#path.pop();
      this.#skipBlank();
    } while (this.#take(","));
    if (!this.#take("}")) throw this.#mistake("a comma or } is missing");
    return Object.fromEntries(members);
  }

  #array(): unknown[] {
    const elements: unknown[] = [];
    this.#at += 1;
    this.#skipBlank();
    if (this.#take("]")) return elements;
    do {
      this.#skipBlank();
      this.#path.push(elements.length);
      this.#places.set(JSON.stringify(this.#path), this.#at);
      elements.push(this.#value());
      this.#path.pop();
      this.#skipBlank();
    } while (this.#take(","));
    if (!this.#take("]")) throw this.#mistake("a comma or ] is missing");
    return elements;
  }

  #string(): string {
    const literal = this.#match(string);
    if (literal === undefined) {
      throw this.#mistake("a text that does not end on its line, or has an escape that JSON does not know");
    }
    return JSON.parse(literal);
  }

  #skipBlank(): void {
    this.#match(blank);
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at;
    const found = form.exec(this.#source)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #mistake(what: string): SyntaxMistake {
    const rest = this.#source.slice(this.#at);
    if (rest === "") return new SyntaxMistake(this.#at, `${what}: the text ends here`);
    if (/^(?:\/[/*]|#)/.test(rest)) return new SyntaxMistake(this.#at, "JSON has no comments");
    const isAfterComma = /,\s*$/.test(this.#source.slice(0, this.#at)) && /^[}\]]/.test(rest);
    if (isAfterComma) return new SyntaxMistake(this.#at, `a comma stands before ${rest[0]}, and nothing after it`);
    return new SyntaxMistake(this.#at, `${what}, here is ${excerpt(/^(?:\w+|.)/su.exec(rest)?.[0] ?? "", 20)}`);
  }
}
