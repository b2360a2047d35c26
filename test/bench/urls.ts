import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** What `urls-run.ts` prints of an export. */
interface Cost {
  readonly stages: Readonly<Record<string, number>>;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly pages: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

const linesAPiece = 20_000;
const newestSeconds = Date.UTC(2026, 0, 1) / 1000;

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** Writes a list in no order, each page once. @returns its size in bytes */
function writeList(path: string, lines: number): number {
  let stride = 6_700_417;
  while (commonDivisor(stride, lines) > 1) stride += 2;
  const file = openSync(path, "w");
  try {
    for (let from = 0; from < lines; from += linesAPiece) {
      let piece = "";
      for (let line = from; line < Math.min(lines, from + linesAPiece); line++) {
        const page = (line * stride) % lines;
        const modified = new Date((newestSeconds - ((page * 7919) % 200_000_000)) * 1000).toISOString();
        const folder = Math.floor(page / 1000);
        piece += `https://www.example.org/section-${folder % 97}/part-${folder}/page-${page}.html\t${modified}\t${1000 + (page % 65_521)}\n`;
      }
      writeSync(file, piece);
    }
  } finally {
    closeSync(file);
  }
  return statSync(path).size;
}

function exportOnce(folder: string, field: "created" | "unchanged", lines: number): Cost {
  // What was written before is not to be written out on this one's time.
  spawnSync("sync");
  const program = fileURLToPath(new URL("./urls-run.js", import.meta.url));
  const place = (name: string) => join(folder, name);
  const args = ["--docroot", place("site"), "--state", place("state"), "--urls", place("list.tsv")];
  const run = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the export failed: ${run.stderr}`);
  const cost = JSON.parse(run.stdout) as Cost;
  if (cost[field] !== lines || cost.pages !== lines)
    throw new Error(`${cost[field]} of ${cost.pages} pages are ${field}, not ${lines}: the export is wrong`);
  return cost;
}

/** What `--help` prints. */
export const help: string = "npm run bench -- urls [--lines 10000000]\n";

/** Exports of a list of pages, first and unchanged, by stage. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { lines: { type: "string", default: "10000000" } } });
  const lines = Number(values.lines);
  const folder = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("SIGINT", () => {
    clean();
    process.exit(130);
  });
  try {
    mkdirSync(join(folder, "site"));
    process.stderr.write(`writing ${lines} lines\n`);
    const listBytes = writeList(join(folder, "list.tsv"), lines);
    process.stderr.write("first export\n");
    const first = exportOnce(folder, "created", lines);
    process.stderr.write("second export\n");
    const second = exportOnce(folder, "unchanged", lines);
    process.stdout.write(`${table(lines, listBytes, first, second)}\n`);
  } finally {
    clean();
  }
}

function table(lines: number, listBytes: number, first: Cost, second: Cost): string {
  const row = (name: string, a: number, b: number, digits: number): string =>
    name.padEnd(24) + a.toFixed(digits).padStart(12) + b.toFixed(digits).padStart(12);
  const listMiB = (listBytes / 1024 / 1024).toFixed(0);
  return [
    `${lines} lines in no order, ${listMiB} MiB, with last-modified and size; one round; Node ${process.version}`,
    "",
    "".padEnd(24) + "first".padStart(12) + "unchanged".padStart(12),
    ...Object.keys(first.stages).map((stage) =>
      row(`${stage}, s`, first.stages[stage] ?? 0, second.stages[stage] ?? 0, 1),
    ),
    row("wall, s", first.wallSeconds, second.wallSeconds, 1),
    row("cpu, s", first.cpuSeconds, second.cpuSeconds, 1),
    row("peak, MiB", first.peakMiB, second.peakMiB, 0),
    "",
    "Peak: largest resident set. A base is sorted while pages are compared, and written after.",
  ].join("\n");
}
