import { parseArgs } from "node:util";

/** A benchmark on the command line: `npm run bench -- NAME [options]`. */
export interface Benchmark {
  /** What `--help` prints. */
  readonly help: string;
  readonly main: (args: readonly string[]) => Promise<void>;
}

type Value = number | string | boolean;

/** Values of options: a number, a text or a flag, as their defaults are. */
type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends number
    ? number
    : Options[Name] extends boolean
      ? boolean
      : string;
};

/** What a benchmark is made of. */
interface BenchmarkParts<Options extends Readonly<Record<string, Value>>> {
  readonly help: string;
  /** Its options, each with its default. */
  readonly options: Options;
  /** @param rest - what stands on the command line beside options */
  readonly run: (values: ValuesOf<Options>, rest: readonly string[]) => Promise<void>;
}

/** Makes a benchmark. */
export function defineBenchmark<const Options extends Readonly<Record<string, Value>>>(
  parts: BenchmarkParts<Options>,
): Benchmark {
  const entries = Object.entries<Value>(parts.options);
  const options = Object.fromEntries(
    entries.map(([name, value]) => [name, { type: value === false ? ("boolean" as const) : ("string" as const) }]),
  );
  return {
    help: parts.help,
    main: async (args) => {
      const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
      const read = entries.map(([name, usual]) => {
        const given = values[name] ?? usual;
        const value = typeof usual === "number" ? Number(given) : given;
        if (Number.isNaN(value)) throw new Error(`--${name} must be a number, not ${given}`);
        return [name, value];
      });
      await parts.run(Object.fromEntries(read) as ValuesOf<Options>, positionals);
    },
  };
}

/** The middle of numbers; of an even count, the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Says on standard error how far the work is. */
export function log(line: string): void {
  process.stderr.write(`${line}\n`);
}
