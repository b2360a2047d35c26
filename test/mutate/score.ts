import type { Mutant } from "./mutants.ts";
import type { Fate } from "./trial.ts";

/** A mutant that was tried. */
export interface Tried {
  readonly module: string;
  readonly mutant: Mutant;
  readonly fate: Fate;
  /** Place in the source, such as `src/formats/a.ts:12`. */
  readonly place: string;
  /** What stood there, and what stood there instead. */
  readonly change: string;
}

/** The folder of a module: `src/formats`, or of the engine `src/crawler/engine/pipeline`. */
export function folderOf(module: string): string {
  return /^src\/(?:crawler\/engine\/[^/]+|[^/]+)/.exec(module)?.[0] ?? module;
}

/** Bounds of a share of which `hits` of `all` were seen, at 95 %, by E. B. Wilson's interval of 1927. */
export function wilson(hits: number, all: number): readonly [number, number] {
  const z = 1.96;
  const share = hits / all;
  const middle = share + (z * z) / (2 * all);
  const half = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const scale = 1 + (z * z) / all;
  return [Math.max(0, (middle - half) / scale), Math.min(1, (middle + half) / scale)];
}

/** A table of the folders' scores in Markdown, and of all. */
export function formatScores(tried: readonly Tried[], mutantsOf: ReadonlyMap<string, number>): string {
  const row = (name: string, of: readonly Tried[], mutants: number): string => {
    const noticed = of.filter(({ fate }) => fate !== "survived").length;
    const [least, most] = wilson(noticed, of.length).map((share) => Math.round(100 * share));
    const score = Math.round((100 * noticed) / of.length);
    return `| ${name} | ${mutants} | ${of.length} | ${noticed} | ${score} % | ${least} to ${most} % |`;
  };
  const folders = [...mutantsOf].filter(([folder]) => tried.some(({ module }) => folderOf(module) === folder));
  const all = folders.reduce((sum, [, count]) => sum + count, 0);
  return [
    "| folder | mutants | tried | noticed | score | 95 % interval |",
    "|---|---|---|---|---|---|",
    ...folders.map(([folder, count]) =>
      row(
        `\`${folder}\``,
        tried.filter(({ module }) => folderOf(module) === folder),
        count,
      ),
    ),
    row("all", tried, all),
    "",
  ].join("\n");
}

/** The mutants that no test noticed, a line each, by place. */
export function formatSurvivors(tried: readonly Tried[]): string {
  return tried
    .filter(({ fate }) => fate === "survived")
    .map(({ place, mutant, change }) => `${place} ${mutant.kind}: ${change}\n`)
    .sort()
    .join("");
}
