// Prints how long the sources are: files, lines and the median length of each folder of the first two levels, and the limits.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The most lines that each may have. */
const limits = { src: 48_000, lab: 11_000, test: 50_000 };

const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : Math.round((sorted[half - 1] + sorted[half]) / 2);
};
const sumOf = (lengths) => lengths.reduce((sum, length) => sum + length, 0);
const print = (name, columns, end = "") =>
  console.log(`${name.padEnd(24)}${columns.map((column) => column.toLocaleString("en").padStart(9)).join("")}${end}`);
const printFolder = (name, lengths, end) => print(name, [lengths.length, sumOf(lengths), median(lengths)], end);

print("folder", ["files", "lines", "median"]);
for (const [top, limit] of Object.entries(limits)) {
  const folders = new Map();
  const all = [];
  for (const path of readdirSync(join(root, top), { recursive: true })
    .filter((path) => path.endsWith(".ts"))
    .sort()) {
    const length = readFileSync(join(root, top, path), "latin1").split("\n").length - 1;
    all.push(length);
    const folder = join(top, ...dirname(path).split("/").slice(0, 2));
    folders.set(folder, [...(folders.get(folder) ?? []), length]);
  }
  for (const [name, lengths] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) printFolder(name, lengths);
  const over = sumOf(all) - limit;
  const verdict = over <= 0 ? "within" : `${over.toLocaleString("en")} over`;
  printFolder(`${top} in all`, all, `   limit ${limit.toLocaleString("en")}: ${verdict}\n`);
}
