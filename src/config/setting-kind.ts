import type { ZodType } from "zod";
import { parseHttpUrl } from "../core/index.ts";

/** The package zod, which is loaded only where a configuration is read. */
export type Zod = typeof import("zod");

/** What values a setting takes, on the command line and in a configuration file. */
export interface SettingKind<T> {
  /** What is expected, as "a whole number from 1 to 65536". */
  readonly expects: string;
  /** What to write instead of what is none, for the command line. */
  readonly hint?: string;
  /** How it is written on the command line: alone, with a value, or several times. */
  readonly form: "flag" | "value" | "values";
  /** What it means on the command line if its value is left out; without this, a value is needed. */
  readonly whenAlone?: T;
  /** Reads what stands on the command line, of `values` one or some at a time; undefined if it is not what is expected. */
  readonly parseText: (text: string) => T | (T extends ReadonlyArray<infer One> ? One : never) | undefined;
  /** What a file's value must be. */
  readonly schema: (zod: Zod) => ZodType<T>;
  /** Makes the paths in a value full, which in a file are relative to its folder; without this, there are none. */
  completePaths?(value: T, complete: (path: string) => string): T;
}

/** The error of a schema. */
export const mustBe = (expects: string): { readonly error: string } => ({ error: `must be ${expects}` });

/** Something that is so or not. */
export const flag: SettingKind<boolean> = {
  expects: "true or false",
  form: "flag",
  parseText: () => true,
  schema: (zod) => zod.boolean(mustBe(flag.expects)),
};

const words = "a text that is not empty";

/** The same on the command line and in a file, as another value; undefined if it cannot be one. */
export function converted<From, To>(
  kind: SettingKind<From>,
  convert: (value: From) => To | undefined,
): SettingKind<To> {
  const { expects, form, hint, schema, parseText } = kind;
  return {
    expects,
    form,
    ...(hint === undefined ? {} : { hint }),
    parseText: (given) => {
      const value = parseText(given);
      return value === undefined ? undefined : convert(value as From);
    },
    schema: (zod) => schema(zod).transform(convert as (value: From) => To),
  };
}

/** A whole number of a unit, as a number of something smaller. @param size - of the unit */
export function countOf(size: number, min: number, max: number): SettingKind<number> {
  return converted(wholeNumber(min, max), (value) => value * size);
}

/** A word. */
export const text: SettingKind<string> = {
  expects: words,
  form: "value",
  parseText: (given) => (given === "" ? undefined : given),
  schema: (zod) => zod.string(mustBe(words)).min(1, mustBe(words)),
};

/** A file or folder. */
export const path: SettingKind<string> = {
  ...text,
  expects: "a path",
  schema: (zod) => zod.string(mustBe("a path")).min(1, mustBe("a path")),
  completePaths: (value, complete) => complete(value),
};

const list = "a list of texts that are not empty";

/** Several words. */
export const texts: SettingKind<readonly string[]> = {
  expects: list,
  form: "values",
  parseText: (given) => given,
  schema: (zod) => zod.array(zod.string(mustBe(words)).min(1, mustBe(words)), mustBe(list)).max(10_000, mustBe(list)),
};

/** A folder that stands under a path of the site's URLs. */
export interface FolderMapping {
  /** Begins with `/`. */
  readonly urlPrefix: string;
  readonly folder: string;
}

const mappingList = "a list of objects with urlPrefix and folder";
const urlPath = "a path of the site, such as /static/";

/** Folders under paths of the site's URLs: `/static/=/srv/static` each on the command line, objects in a file. */
export const folderMappings: SettingKind<readonly FolderMapping[]> = {
  expects: "a path of the site, = and a folder, such as /static/=/srv/static",
  form: "values",
  parseText: (given) => {
    const [, urlPrefix, folder] = /^(\/[^=]*)=(.+)$/s.exec(given) ?? [];
    return urlPrefix === undefined || folder === undefined ? undefined : { urlPrefix, folder };
  },
  schema: (zod) =>
    zod
      .array(
        zod.strictObject(
          {
            urlPrefix: zod.string(mustBe(urlPath)).regex(/^\//, mustBe(urlPath)),
            folder: zod.string(mustBe("a path")).min(1, mustBe("a path")),
          },
          mustBe("an object with urlPrefix and folder"),
        ),
        mustBe(mappingList),
      )
      .max(10_000, mustBe(mappingList)),
  completePaths: (value, complete) => value.map(({ urlPrefix, folder }) => ({ urlPrefix, folder: complete(folder) })),
};

/** The address of a site. */
export const siteUrl: SettingKind<string> = {
  expects: "an http or https URL",
  hint: "Write the whole address, such as https://example.org/.",
  form: "value",
  parseText: (given) => (isHttpUrl(given) ? given : undefined),
  schema: (zod) =>
    zod.string(mustBe(siteUrl.expects)).refine(isHttpUrl, mustBe(siteUrl.expects)).meta({ format: "uri" }),
};

const urlList = "a list of http or https URLs";

/** Several addresses of sites. */
export const siteUrls: SettingKind<readonly string[]> = {
  expects: siteUrl.expects,
  hint: "Write the whole address, such as https://example.org/.",
  form: "values",
  parseText: (given) => (isHttpUrl(given) ? given : undefined),
  schema: (zod) => zod.array(siteUrl.schema(zod), mustBe(urlList)).max(10_000, mustBe(urlList)),
};

function isHttpUrl(given: string): boolean {
  return parseHttpUrl(given) !== undefined;
}

/** A whole number of a range. */
export function wholeNumber(min: number, max: number): SettingKind<number> {
  const expects = `a whole number from ${min} to ${max}`;
  return {
    expects,
    form: "value",
    parseText: (given) => {
      const value = Number(given);
      return /^\d{1,15}$/.test(given) && value >= min && value <= max ? value : undefined;
    },
    schema: (zod) => zod.int(mustBe(expects)).min(min, mustBe(expects)).max(max, mustBe(expects)),
  };
}

/** One of some words. */
export function choice<const T extends string>(...choices: readonly [T, ...T[]]): SettingKind<T> {
  const expects = `one of ${choices.join(", ")}`;
  return {
    expects,
    form: "value",
    parseText: (given) => choices.find((one) => one === given),
    schema: (zod) =>
      zod.enum(choices as readonly T[] as readonly [T, ...T[]], mustBe(expects)) as unknown as ZodType<T>,
  };
}

/** A number of a range. @param whenAlone - what it means on the command line without a value */
export function numberBetween(min: number, max: number, whenAlone?: number): SettingKind<number> {
  const expects = `a number from ${min} to ${max}`;
  return {
    expects,
    form: "value",
    ...(whenAlone === undefined ? {} : { whenAlone }),
    parseText: (given) => {
      const value = Number(given);
      return /^(?:\d+(?:\.\d*)?|\.\d+)(?:e-\d{1,2})?$/.test(given) && value >= min && value <= max ? value : undefined;
    },
    schema: (zod) => zod.number(mustBe(expects)).min(min, mustBe(expects)).max(max, mustBe(expects)),
  };
}

const rateUnits: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes a second: on the command line with `K`, `M` or `G` for the powers of 1024, or without. */
export const byteRate: SettingKind<number> = {
  expects: "a number of bytes a second, such as 500K or 20M",
  form: "value",
  parseText: (given) => {
    const [, number, unit = ""] = /^(\d{1,12}(?:\.\d+)?)([kmg]?)$/i.exec(given) ?? [];
    return number === undefined ? undefined : Math.round(Number(number) * (rateUnits[unit.toLowerCase()] ?? 1));
  },
  schema: (zod) => zod.int(mustBe("a number of bytes a second")).min(1, mustBe("a number of bytes a second")),
};
