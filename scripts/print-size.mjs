// Prints how long the sources are: files, lines and the median length of each folder of the first two levels.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : Math.round((sorted[half - 1] + sorted[half]) / 2);
};
const sumOf = (lengths) => lengths.reduce((sum, length) => sum + length, 0);
const print = (name, columns) =>
  console.log(`${name.padEnd(32)}${columns.map((column) => column.toLocaleString("en").padStart(9)).join("")}`);
const printFolder = (name, lengths) => print(name, [lengths.length, sumOf(lengths), median(lengths)]);

print("folder", ["files", "lines", "median"]);
for (const top of ["src", "lab", "test"]) {
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
  printFolder(`${top} in all`, all);
  console.log();
}
