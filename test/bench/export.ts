import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { findRepositoryRoot } from "../interop/repository.ts";
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

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function row(name: string, costs: readonly MeteredCost[], reference: number | undefined): string {
  const wall = median(costs.map((cost) => cost.wallSeconds));
  const cpu = median(costs.map((cost) => cost.cpuSeconds));
  const peak = Math.max(...costs.map((cost) => cost.peakMiB));
  const ratio = reference === undefined ? "" : `${(wall / reference).toFixed(2)}`;
  return `${name.padEnd(44)}${wall.toFixed(2).padStart(8)}${cpu.toFixed(2).padStart(8)}${peak.toFixed(0).padStart(10)}${ratio.padStart(8)}`;
}

/** What `--help` prints. */
export const help: string = `npm run bench -- export [--files 200000] [--rounds 3] [--changes 1000] [--peers]
--peers: once the builders of others, too.
`;

/** Exports of a large site, in turn with a shell pipeline that does the least possible work. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      files: { type: "string", default: "200000" },
      rounds: { type: "string", default: "3" },
      changes: { type: "string", default: "1000" },
      peers: { type: "boolean", default: false },
    },
  });
  const [files, rounds, changes] = [Number(values.files), Number(values.rounds), Number(values.changes)];
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("SIGINT", () => {
    clean();
    process.exit(130);
  });
  try {
    benchmark(folder, files, rounds, changes, values.peers);
  } finally {
    clean();
  }
}

function benchmark(folder: string, files: number, rounds: number, changes: number, peers: boolean): void {
  const docroot = join(folder, "site");
  process.stderr.write(`making ${files} files\n`);
  const paths = makeSite(docroot, files);
  const program = join(findRepositoryRoot(), "bin/tidemark.js");
  const published = join(docroot, ".well-known");
  const exportOnce = (state: string, digest: string) =>
    meterProcess([
      process.execPath,
      program,
      "export",
      docroot,
      "--base-url",
      "http://localhost/",
      "--state",
      join(folder, state),
      "--digest",
      digest,
      "--json",
      "--quiet",
    ]);
  const summaryOf = (cost: MeteredCost) =>
    JSON.parse(cost.output.trimEnd().split("\n").at(-1) ?? "{}") as Record<string, number>;
  const forget = (state: string): void => {
    rmSync(published, { recursive: true, force: true });
    rmSync(join(docroot, "robots.txt"), { force: true });
    rmSync(join(folder, state), { recursive: true, force: true });
    rest(restAfterRemovalMs);
  };
  const expect = (cost: MeteredCost, field: string, wanted: number): void => {
    const found = summaryOf(cost)[field];
    if (found !== wanted) throw new Error(`${field} is ${found}, not ${wanted}: the runs do not agree`);
  };
  const pipelineOut = join(folder, "pipeline");
  const pipeline = `set -o pipefail; find '${docroot}' -type f -printf '%T@\\t%s\\t%P\\n' | sort -n | split -l 2000 --filter='gzip -6 > $FILE.gz'`;
  const results: Record<string, MeteredCost[]> = {
    pipeline: [],
    first: [],
    firstDigests: [],
    unchanged: [],
    unchangedDigests: [],
    changed: [],
  };
  let version = 0;
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    rmSync(pipelineOut, { recursive: true, force: true });
    mkdirSync(pipelineOut);
    forget("none");
    results.pipeline?.push(meterProcess(["bash", "-c", `cd '${pipelineOut}' && ${pipeline}`]));
    const lines = spawnSync("bash", ["-c", `cat '${pipelineOut}'/*.gz | gunzip | wc -l`], { encoding: "utf8" });
    if (Number(lines.stdout) !== files)
      throw new Error(`the pipeline lists ${lines.stdout.trim()} files, not ${files}`);
    forget("none");
    const first = exportOnce("none", "none");
    expect(first, "created", files);
    results.first?.push(first);
    const unchanged = exportOnce("none", "none");
    expect(unchanged, "unchanged", files);
    results.unchanged?.push(unchanged);
    forget("all");
    const digested = exportOnce("all", "all");
    expect(digested, "created", files);
    results.firstDigests?.push(digested);
    const again = exportOnce("all", "all");
    expect(again, "unchanged", files);
    results.unchangedDigests?.push(again);
    version += 1;
    for (let number = 0; number < changes; number++) {
      writeFileSync(
        paths[Math.floor((number * files) / changes)] ?? "",
        `<p>Version ${version} of page ${number}.</p>\n`,
      );
    }
    const changed = exportOnce("all", "all");
    expect(changed, "updated", changes);
    results.changed?.push(changed);
  }
  const reference = median((results.pipeline ?? []).map((cost) => cost.wallSeconds));
  const sizeMiB = paths.reduce((sum, path) => sum + readFileSync(path).length, 0) / 1024 / 1024;
  const table = [
    `${files} files, ${sizeMiB.toFixed(0)} MiB; median of ${rounds} rounds, in turn; Node ${process.version}`,
    "",
    `${"".padEnd(44)}${"wall s".padStart(8)}${"cpu s".padStart(8)}${"peak MiB".padStart(10)}${"ratio".padStart(8)}`,
    row("find | sort | split | gzip", results.pipeline ?? [], undefined),
    row("first export, --digest none", results.first ?? [], reference),
    row("second export, unchanged, --digest none", results.unchanged ?? [], reference),
    row("first export, --digest all", results.firstDigests ?? [], reference),
    row("second export, unchanged, --digest all", results.unchangedDigests ?? [], reference),
    row(`export with ${changes} changes, --digest all`, results.changed ?? [], reference),
    "",
    "Ratio: wall time over that of the pipeline. Peak: largest resident set of one process.",
  ];
  if (peers) table.push("", ...racePeers(docroot, files, folder));
  process.stdout.write(`${table.join("\n")}\n`);
}

/** One run of each, at the largest size that it manages. */
function racePeers(docroot: string, files: number, folder: string): string[] {
  return listBuilders.map((builder) => {
    const pages = builder.pagesOf(files);
    process.stderr.write(`${builder.name}: ${pages} pages\n`);
    try {
      const cost = meterProcess(builder.prepare(docroot, pages, folder));
      return `${row(builder.name, [cost], undefined)}  ${pages} pages`;
    } catch (error) {
      return `${builder.name.padEnd(44)}fails at ${pages} pages: ${String(error).slice(0, 80).replaceAll("\n", " ")}`;
    } finally {
      cleanAfter(builder, docroot);
    }
  });
}
