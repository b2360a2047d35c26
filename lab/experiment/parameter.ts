import { TidemarkError } from "../../src/core/error.ts";

/** A number that an experiment may be given. */
export interface NumberParameter {
  readonly kind: "whole" | "number";
  readonly default: number;
  /** What the quick setting takes; default the same. */
  readonly quick?: number;
  readonly min: number;
  readonly max: number;
  /** A phrase: what it is, with its unit. */
  readonly meaning: string;
}

/** A word, a file or a folder that an experiment may be given. */
export interface TextParameter {
  readonly kind: "text";
  readonly default: string;
  readonly quick?: string;
  readonly meaning: string;
  /** Whether what is given is data of one's own, in place of the paper's. Default not. */
  readonly isOwnData?: boolean;
}

/** One of some words. */
export interface ChoiceParameter {
  readonly kind: "choice";
  readonly default: string;
  readonly quick?: string;
  readonly choices: readonly string[];
  readonly meaning: string;
}

/** Some of some words, a comma between; none only where that is the default. */
export interface ChoicesParameter {
  readonly kind: "choices";
  readonly default: string;
  readonly quick?: string;
  readonly choices: readonly string[];
  readonly meaning: string;
}

/** Anything an experiment may be given. */
export type Parameter = NumberParameter | TextParameter | ChoiceParameter | ChoicesParameter;

/** Parameters by their names. */
export type ParameterTable = Readonly<Record<string, Parameter>>;

/** A value a parameter. */
export type Values<Table extends ParameterTable = ParameterTable> = {
  readonly [Name in keyof Table]: Table[Name] extends NumberParameter
    ? number
    : Table[Name] extends TextParameter | ChoiceParameter | ChoicesParameter
      ? string
      : number | string;
};

/** Whether data of one's own was given. */
export function hasOwnData(table: ParameterTable, values: Values): boolean {
  return Object.entries(table).some(
    ([name, parameter]) => parameter.kind === "text" && parameter.isOwnData === true && values[name] !== "",
  );
}

/** Finds the word that was probably meant. */
export type NearestWord = (typed: string, words: readonly string[]) => string | undefined;

/**
 * Reads what was given for an experiment's parameters.
 *
 * @param given - texts by name
 * @param setting - which values hold for what is not given
 * @throws TidemarkError `bad-option` for an unknown name or a value that is none
 */
export function readParameters(
  table: ParameterTable,
  given: ReadonlyMap<string, string>,
  setting: "quick" | "whole",
  nearestWord: NearestWord,
): Values {
  const names = Object.keys(table);
  for (const name of given.keys()) {
    if (names.includes(name)) continue;
    const near = nearestWord(name, names);
    const known = names.length === 0 ? "It has none." : `There are ${names.join(", ")}.`;
    throw new TidemarkError("bad-option", `--param ${name}: the experiment has no such parameter.`, {
      hint: near === undefined ? known : `Did you mean ${near}? ${known}`,
    });
  }
  return Object.fromEntries(
    Object.entries(table).map(([name, parameter]) => {
      const text = given.get(name);
      if (text !== undefined) return [name, readValue(name, parameter, text, nearestWord)];
      return [name, setting === "quick" ? (parameter.quick ?? parameter.default) : parameter.default];
    }),
  );
}

function readValue(name: string, parameter: Parameter, text: string, nearestWord: NearestWord): number | string {
  if (parameter.kind === "text") return text;
  if (parameter.kind === "choice") {
    if (parameter.choices.includes(text)) return text;
    throw notOneOf(`--param ${name}=${text}:`, text, parameter.choices, nearestWord);
  }
  if (parameter.kind === "choices") {
    if (text === parameter.default) return text;
    const words = text.split(",");
    const unknown = words.find((word) => !parameter.choices.includes(word));
    if (unknown !== undefined)
      throw notOneOf(`--param ${name}=${text}: "${unknown}" is`, unknown, parameter.choices, nearestWord);
    const again = words.find((word, at) => words.indexOf(word) < at);
    if (again === undefined) return text;
    throw new TidemarkError("bad-option", `--param ${name}=${text}: ${again} is given twice.`);
  }
  const value = Number(text);
  const { kind, min, max } = parameter;
  const isNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) && (kind === "number" || Number.isSafeInteger(value));
  if (isNumber && value >= min && value <= max) return value;
  const what = kind === "whole" ? "a whole number" : "a number";
  throw new TidemarkError("bad-option", `--param ${name}=${text}: not ${what} from ${min} to ${max}.`);
}

function notOneOf(what: string, word: string, words: readonly string[], nearestWord: NearestWord): TidemarkError {
  const near = nearestWord(word, words);
  return new TidemarkError("bad-option", `${what} not one of ${words.join(", ")}.`, {
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  });
}
