import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";
import { cleanAfter, listBuilders } from "./peers/list-builders.ts";
import { type MeteredCost, meterProcess } from "./peers/metered-process.ts";

// ext4 does not give out an inode again within 5 s of its file's removal, and searches past it until then.
const restAfterRemovalMs = 5_500;

function rest(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** A site of small files, 100 in a folder; made once. */
function makeSite(docroot: string, files: number): string[] {
  const paths: string[] = [];
  for (let number = 0; number < files; number++) {
    const folder = Math.floor(number / 100);
    const ending = number % 10 < 7 ? "html" : number % 10 < 9 ? "png" : "css";
    const path = join(docroot, `section-${Math.floor(folder / 50)}`, `part-${folder}`, `page-${number}.${ending}`);
    if (number % 100 === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `<p>Page ${number} of a site.</p>\n`.repeat(1 + (number % 37)));
    const modified = 1_500_000_000 + ((number * 7_919) % 200_000_000);
    utimesSync(path, modified, modified);
    paths.push(path);
  }
  return paths;
}

/** Writes a list of pages that are no files, in no order, each once. */
function writeList(path: string, lines: number): void {
  // A prime that divides no such number.
  const stride = 6_700_417;
  const file = openSync(path, "w");
  let piece = "";
  for (let line = 0; line < lines; line++) {
    const page = (line * stride) % lines;
    const modified = new Date(1_750_000_000_000 - ((page * 7919) % 200_000_000) * 1000).toISOString();
    const folder = Math.floor(page / 1000);
    piece += `http://localhost/list-${folder % 97}/part-${folder}/page-${page}.html\t${modified}\t${1000 + (page % 65_521)}\n`;
    if (piece.length < 1_000_000 && line < lines - 1) continue;
    writeSync(file, piece);
    piece = "";
  }
  closeSync(file);
}

const heading = `${"".padEnd(44)}${"wall s".padStart(8)}${"cpu s".padStart(8)}${"peak MiB".padStart(10)}${"ratio".padStart(8)}`;

function row(name: string, costs: readonly MeteredCost[], reference: number | undefined): string {
  const wall = medianOf(costs.map((cost) => cost.wallSeconds));
  const cpu = medianOf(costs.map((cost) => cost.cpuSeconds));
  const peak = Math.max(...costs.map((cost) => cost.peakMiB));
  const ratio = reference === undefined ? "" : `${(wall / reference).toFixed(2)}`;
  return `${name.padEnd(44)}${wall.toFixed(2).padStart(8)}${cpu.toFixed(2).padStart(8)}${peak.toFixed(0).padStart(10)}${ratio.padStart(8)}`;
}

/** A site, and what of it is exported. */
class ExportTrial {
  readonly #folder: string;
  readonly docroot: string;
  /** Costs by what was measured, in the order in which it was measured first. */
  readonly costs = new Map<string, MeteredCost[]>();

  constructor(folder: string) {
    this.#folder = folder;
    this.docroot = join(folder, "site");
    mkdirSync(this.docroot);
  }

  add(name: string, cost: MeteredCost): void {
    this.costs.set(name, [...(this.costs.get(name) ?? []), cost]);
  }

  /** Exports once. @throws if the summary does not have so many pages in a field */
  async run(name: string, field: string, wanted: number, ...options: string[]): Promise<void> {
    const program = join(repositoryFolder(), "bin/tidemark.js");
    const state = join(this.#folder, "state");
    const args = ["export", this.docroot, "--base-url", "http://localhost/", "--state", state, "--json", "--quiet"];
    const cost = await meterProcess([process.execPath, program, ...args, ...options]);
    const summary = JSON.parse(cost.output.trimEnd().split("\n").at(-1) ?? "{}") as Record<string, number>;
    if (summary[field] !== wanted)
      throw new Error(`${field} is ${summary[field]}, not ${wanted}: the runs do not agree`);
    this.add(name, cost);
  }

  forget(): void {
    rmSync(join(this.docroot, ".well-known"), { recursive: true, force: true });
    rmSync(join(this.docroot, "robots.txt"), { force: true });
    rmSync(join(this.#folder, "state"), { recursive: true, force: true });
    rest(restAfterRemovalMs);
  }

  /** The least work that makes a list of all files. */
  async runPipeline(files: number): Promise<void> {
    const out = join(this.#folder, "pipeline");
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out);
    this.forget();
    const pipeline = `set -o pipefail; find '${this.docroot}' -type f -printf '%T@\\t%s\\t%P\\n' | sort -n | split -l 2000 --filter='gzip -6 > $FILE.gz'`;
    this.add("find | sort | split | gzip", await meterProcess(["bash", "-c", `cd '${out}' && ${pipeline}`]));
    const lines = spawnSync("bash", ["-c", `cat '${out}'/*.gz | gunzip | wc -l`], { encoding: "utf8" });
    if (Number(lines.stdout) !== files)
      throw new Error(`the pipeline lists ${lines.stdout.trim()} files, not ${files}`);
  }
}

/** One run of each builder of others, at the largest size that it manages. */
async function racePeers(docroot: string, files: number, folder: string): Promise<string[]> {
  const rows: string[] = [];
  for (const builder of listBuilders) {
    const pages = builder.pagesOf(files);
    log(`${builder.name}: ${pages} pages`);
    try {
      const cost = await meterProcess(builder.prepare(docroot, pages, folder));
      rows.push(`${row(builder.name, [cost], undefined)}  ${pages} pages`);
    } catch (error) {
      const why = String(error).slice(0, 80).replaceAll("\n", " ");
      rows.push(`${builder.name.padEnd(44)}fails at ${pages} pages: ${why}`);
    } finally {
      cleanAfter(builder, docroot);
    }
  }
  return rows;
}

export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- export [--files 200000] [--rounds 3] [--changes 1000] [--lines 0] [--peers]
Exports of a large site, in turn with a shell pipeline that does the least possible work.
--lines: so many pages from a list instead of files, exported twice. --peers: once the builders of others, too.
`,
  options: { files: 200_000, rounds: 3, changes: 1000, lines: 0, peers: false },
  run: async ({ files, rounds, changes, lines, peers }) => {
    using temp = makeTempFolder();
    process.once("SIGINT", () => {
      temp[Symbol.dispose]();
      process.exit(130);
    });
    const trial = new ExportTrial(temp.path);
    if (lines > 0) {
      const list = join(temp.path, "list.tsv");
      writeList(list, lines);
      await trial.run(`first export of ${lines} lines`, "created", lines, "--urls", list);
      await trial.run("second export, unchanged", "unchanged", lines, "--urls", list);
      const rows = [...trial.costs].map(([name, costs]) => row(name, costs, undefined));
      process.stdout.write(`Node ${process.version}\n\n${[heading, ...rows].join("\n")}\n`);
      return;
    }
    log(`making ${files} files`);
    const paths = makeSite(trial.docroot, files);
    for (let round = 0; round < rounds; round++) {
      log(`round ${round + 1} of ${rounds}`);
      await trial.runPipeline(files);
      for (const digest of ["none", "all"]) {
        trial.forget();
        await trial.run(`first export, --digest ${digest}`, "created", files, "--digest", digest);
        await trial.run(`second export, unchanged, --digest ${digest}`, "unchanged", files, "--digest", digest);
      }
      for (let number = 0; number < changes; number++) {
        const path = paths[Math.floor((number * files) / changes)] ?? "";
        writeFileSync(path, `<p>Version ${round} of page ${number}.</p>\n`);
      }
      await trial.run(`export with ${changes} changes, --digest all`, "updated", changes);
    }
    const [pipeline = []] = trial.costs.values();
    const reference = medianOf(pipeline.map((cost) => cost.wallSeconds));
    const sizeMiB = paths.reduce((sum, path) => sum + readFileSync(path).length, 0) / 1024 / 1024;
    const table = [
      `${files} files, ${sizeMiB.toFixed(0)} MiB; median of ${rounds} rounds, in turn; Node ${process.version}`,
      "",
      heading,
      ...[...trial.costs].map(([name, costs]) => row(name, costs, reference)),
      "",
      "Ratio: wall time over that of the pipeline. Peak: largest resident set of one process.",
    ];
    if (peers) table.push("", ...(await racePeers(trial.docroot, files, temp.path)));
    process.stdout.write(`${table.join("\n")}\n`);
  },
});
