import type { Mutant } from "./mutants.ts";
import type { Fate } from "./trial.ts";

/** A mutant that was tried. */
export interface Tried {
  readonly module: string;
  readonly mutant: Mutant;
  readonly fate: Fate;
  /** Place in the source, such as `src/format/a.ts:12`. */
  readonly place: string;
  /** What stood there, and what stood there instead. */
  readonly change: string;
}

/** The room of a module: `src/format`. */
export function roomOf(module: string): string {
  return module.split("/").slice(0, 2).join("/");
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

/** A table of the rooms' scores in Markdown, and of all. */
export function formatScores(tried: readonly Tried[], mutantsOf: ReadonlyMap<string, number>): string {
  const row = (name: string, of: readonly Tried[], mutants: number): string => {
    const noticed = of.filter(({ fate }) => fate !== "survived").length;
    const [least, most] = wilson(noticed, of.length).map((share) => Math.round(100 * share));
    const score = Math.round((100 * noticed) / of.length);
    return `| ${name} | ${mutants} | ${of.length} | ${noticed} | ${score} % | ${least} to ${most} % |`;
  };
  const rooms = [...mutantsOf].filter(([room]) => tried.some(({ module }) => roomOf(module) === room));
  const all = rooms.reduce((sum, [, count]) => sum + count, 0);
  return [
    "| room | mutants | tried | noticed | score | 95 % interval |",
    "|---|---|---|---|---|---|",
    ...rooms.map(([room, count]) =>
      row(
        `\`${room}\``,
        tried.filter(({ module }) => roomOf(module) === room),
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
