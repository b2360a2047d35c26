import { excerpt, ok, problem, type Result } from "../core/index.ts";

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

type Jsonc = Pick<typeof import("jsonc-parser"), "visit" | "printParseErrorCode">;

class SyntaxMistake extends Error {}

const badText = "a text that does not end on its line, or has an escape that JSON does not know";
const messages: Readonly<Record<string, string>> = {
  InvalidSymbol: "neither a value of JSON nor a text in double quotes",
  PropertyNameExpected: "a key in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing after the key",
  CommaExpected: "a comma or a closing bracket is missing",
  CloseBraceExpected: "a comma or } is missing",
  CloseBracketExpected: "a comma or ] is missing",
  EndOfFileExpected: "something stands after the end of the value",
  UnexpectedEndOfString: badText,
  InvalidUnicode: badText,
  InvalidEscapeCharacter: badText,
  InvalidCharacter: badText,
};

/**
 * Reads a JSON text that a person wrote (RFC 8259), with what `JSON.parse` does not tell: line and column of a
 * mistake, where each part stands, and keys that stand twice.
 */
export async function parseJsonDocument(source: string): Promise<Result<JsonDocument>> {
  // Loaded only where a configuration is read.
  const { default: jsonc } = await import("jsonc-parser");
  try {
    const places = findPlaces(jsonc, source);
    const positionOf = (path: ReadonlyArray<string | number>): Position => {
      for (let length = path.length; length > 0; length--) {
        const place = places.get(JSON.stringify(path.slice(0, length)));
        if (place !== undefined) return place;
      }
      return { line: 1, column: 1 };
    };
    return ok({ value: JSON.parse(source), positionOf });
  } catch (error) {
    if (!(error instanceof SyntaxMistake || error instanceof SyntaxError)) throw error;
    return problem("bad-json", error.message);
  }
}

/** @returns where each member and element begins, by its path as JSON */
function findPlaces(jsonc: Jsonc, source: string): Map<string, Position> {
  const places = new Map<string, Position>();
  let depth = 0;
  const refuse = (line: number, column: number, what: string): never => {
    throw new SyntaxMistake(`line ${line + 1}, column ${column + 1}: ${what}`);
  };
  type PathSupplier = () => ReadonlyArray<string | number>;
  const addElement = (line: number, column: number, pathSupplier: PathSupplier): void => {
    const path = pathSupplier();
    if (typeof path.at(-1) === "number") places.set(JSON.stringify(path), { line: line + 1, column: column + 1 });
  };
  const begin = (_: number, __: number, line: number, column: number, pathSupplier: PathSupplier): void => {
    addElement(line, column, pathSupplier);
    if (++depth > maxJsonDepth) refuse(line, column, `more than ${maxJsonDepth} levels`);
  };
  const end = (): void => {
    depth -= 1;
  };
  jsonc.visit(
    source,
    {
      onObjectBegin: begin,
      onArrayBegin: begin,
      onObjectEnd: end,
      onArrayEnd: end,
      onLiteralValue: (_, __, ___, line, column, pathSupplier) => addElement(line, column, pathSupplier),
      onObjectProperty(key, _, __, line, column, pathSupplier) {
        const path = JSON.stringify([...pathSupplier(), key]);
        if (places.has(path)) refuse(line, column, `the key ${excerpt(key)} stands twice`);
        places.set(path, { line: line + 1, column: column + 1 });
      },
      onError(code, offset, _, line, column) {
        refuse(line, column, describe(jsonc.printParseErrorCode(code), source, offset));
      },
    },
    { disallowComments: true },
  );
  return places;
}

function describe(code: string, source: string, offset: number): string {
  const what = messages[code] ?? `not JSON: ${code}`;
  const rest = source.slice(offset, offset + 100);
  if (rest === "") return `${what}: the text ends here`;
  if (/^(?:\/[/*]|#)/.test(rest)) return "JSON has no comments";
  const isAfterComma = /,\s*$/.test(source.slice(0, offset)) && /^[}\]]/.test(rest);
  if (isAfterComma) return `a comma stands before ${rest[0]}, and nothing after it`;
  return `${what}, here is ${excerpt(/^(?:\w+|.)/su.exec(rest)?.[0] ?? "", 20)}`;
}
