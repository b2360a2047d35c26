import { readFileSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "../interop/random.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { ModuleGraph } from "./mirror-tests.ts";
import { findMutants, type Mutant } from "./mutants.ts";
import { folderOf, formatScores, formatSurvivors, type Tried } from "./score.ts";
import { Trial } from "./trial.ts";

const usage = `npm run mutate -- [PATH...] [--sample N] [--seed N] [--tests N] [--jobs N] [--write]

Changes the compiled modules below each PATH, one small change at a time, and runs the quick tests that are nearest to
the module. Prints each folder's share of changes that a test noticed, and those that none did. Default paths:
src/formats src/exporter/publish and the discovery, pipeline and revisit of src/crawler/engine. Works on a copy: the repository is never changed.

--sample  so many mutants of each path, drawn by --seed; 0 for all (default 40)
--seed    (default 1)
--tests   at most so many test files a mutant (default 8)
--jobs    mutants at a time (default: one a processor)
--write   puts the table into docs/mutation.md
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", default: "8" },
    jobs: { type: "string", default: String(availableParallelism()) },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

interface Task {
  readonly module: string;
  readonly mutant: Mutant;
}

const repository = repositoryFolder();
const dist = join(repository, "dist");
const graph = new ModuleGraph(dist);

/** All mutants below a path of the sources, which may be a module. */
function tasksBelow(path: string): Task[] {
  const modules = path.endsWith(".ts") ? [path.replace(/\.ts$/, ".js")] : graph.below(path);
  return modules.flatMap((module) =>
    findMutants(readFileSync(join(dist, module), "utf8"))
      .map((mutant) => ({ module, mutant }))
      .filter((task) => lineOf(task) !== undefined),
  );
}

const maps = new Map<string, SourceMap>();

/** The line of the source that a mutant lies in; undefined for what the compiler added. */
function lineOf({ module, mutant }: Task): number | undefined {
  const map = maps.get(module) ?? new SourceMap(JSON.parse(readFileSync(join(dist, `${module}.map`), "utf8")));
  maps.set(module, map);
  const entry = map.findEntry(mutant.line - 1, mutant.column);
  return "originalLine" in entry ? entry.originalLine + 1 : undefined;
}

/** Where a mutant lies in the source, and what it changes. */
function describe(task: Task): { readonly place: string; readonly change: string } {
  const { module, mutant } = task;
  const was = readFileSync(join(dist, module), "utf8")
    .slice(mutant.start, mutant.end)
    .replaceAll(/\s+/g, " ")
    .slice(0, 70);
  const place = `${module.replace(/\.js$/, ".ts")}:${lineOf(task)}`;
  return { place, change: `${was || "nothing"} -> ${mutant.text || "nothing"}` };
}

async function run(tasks: readonly Task[], jobs: number): Promise<Tried[]> {
  const tried: Tried[] = [];
  const queue = tasks.values();
  const work = async (): Promise<void> => {
    using temp = makeTempFolder();
    const trial = new Trial(repository, temp.path);
    for (const task of queue) {
      const fate = await trial.run(task.module, task.mutant, graph.testsOf(task.module, Number(values.tests)));
      const one = { ...task, fate, ...describe(task) };
      tried.push(one);
      process.stderr.write(
        `${tried.length}/${tasks.length} ${fate}: ${one.place} ${task.mutant.kind}: ${one.change}\n`,
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return tried;
}

const engine = ["discovery", "pipeline", "revisit"].map((name) => `src/crawler/engine/${name}`);
const defaultPaths = ["src/formats", "src/exporter/publish", ...engine];

if (values.help) process.stdout.write(usage);
else {
  const paths = positionals.length > 0 ? positionals : defaultPaths;
  const random = createRandom(Number(values.seed));
  const mutantsOf = new Map<string, number>();
  const tasks = paths.flatMap((path) => {
    const all = tasksBelow(path);
    const folder = folderOf(path);
    mutantsOf.set(folder, (mutantsOf.get(folder) ?? 0) + all.length);
    return values.sample === "0" ? all : random.sample(all, Number(values.sample));
  });
  const tried = await run(tasks, Number(values.jobs));
  const scores = formatScores(tried, mutantsOf);
  process.stdout.write(`${scores}\nNot noticed:\n${formatSurvivors(tried)}`);
  if (values.write) {
    const file = join(repository, "docs", "mutation.md");
    const command = `npm run mutate -- --sample ${values.sample} --seed ${values.seed}`;
    const [before = ""] = readFileSync(file, "utf8").split("<!-- scores -->");
    writeFileSync(file, `${before}<!-- scores -->\n\nPrinted by \`${command} --write\`:\n\n${scores}`);
  }
}
