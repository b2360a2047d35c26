import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { repositoryFolder } from "../repository-folder.ts";

/** A case that comes out otherwise than its source says. */
export interface Difference {
  readonly name: string;
  /** Why that is intended; undefined if it is not. */
  readonly why: string | undefined;
}

/** What a suite came to. */
export interface SuiteResult {
  /** Assertions that were made. */
  readonly total: number;
  readonly passed: number;
  readonly differences: readonly Difference[];
  /** Why the suite, or a part of it, was not run. */
  readonly skipped?: string;
}

/** Cases from one source. A module in `test/conformance/suites/` exports some as `suites`. */
export interface Suite {
  readonly name: string;
  /** Where the cases are from. */
  readonly source: string;
  /** Whether it needs programs that are not part of this project, so that `npm test` leaves it out. */
  readonly external?: boolean;
  /** The least number of assertions. @default 1 */
  readonly least?: number;
  run(): Promise<SuiteResult> | SuiteResult;
}

/** All suites, in the order of their modules' names. */
export async function loadSuites(): Promise<Suite[]> {
  const folder = fileURLToPath(new URL("./suites/", import.meta.url));
  const names = readdirSync(folder).filter((name) => /\.[jt]s$/.test(name) && !name.endsWith(".d.ts"));
  const modules = names.sort().map((name) => import(new URL(`./suites/${name}`, import.meta.url).href));
  return ((await Promise.all(modules)) as { suites: readonly Suite[] }[]).flatMap(({ suites }) => suites);
}

/** The cases of a file in `fixtures/conformance/`: one a line, as JSON. */
export function readCases<Case>(file: string): Case[] {
  const text = readFileSync(join(repositoryFolder(), "fixtures", "conformance", file), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case);
}

/** Counts assertions and collects those that fail. */
export class Assertions {
  #total = 0;
  readonly #differences: Difference[] = [];

  /**
   * @param why - why the case is meant to come out otherwise; undefined if it is not. If it comes out as its source
   *   says all the same, that is a difference that nobody intended
   */
  check(name: string, holds: boolean, why?: string): void {
    this.#total++;
    if (!holds) this.#differences.push({ name, why });
    else if (why !== undefined) this.#differences.push({ name: `${name}: is no difference`, why: undefined });
  }

  result(): SuiteResult {
    const { length } = this.#differences;
    return { total: this.#total, passed: this.#total - length, differences: this.#differences };
  }
}
