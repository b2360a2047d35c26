import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { repositoryFolder } from "../repository-folder.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";

const document = readFileSync(join(repositoryFolder(), "docs", "comparison.md"), "utf8");

const say = (program: string, ...args: readonly string[]): string => {
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 20_000 });
  return `${stdout}${stderr}`;
};

function scrapySource(): string {
  const packages = join(requireCached("scrapy-1"), "lib");
  const files = readdirSync(packages, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /site-packages\/scrapy\/.*\.py$/.test(file))
    .map((file) => readFileSync(join(packages, file), "utf8"))
    .join("\n");
}

/** What a program says of itself, and what nothing in it may say if the table is right that it has not. */
interface Program {
  readonly column: string;
  readonly version: () => string;
  readonly text: () => string;
  readonly absent: RegExp;
}

const rclone = (): string => join(requireCached("object-store-1"), "bin", "rclone");
const programs: readonly Program[] = [
  {
    column: "wget2",
    version: () => say("wget2", "--version"),
    text: () => say("wget2", "--help"),
    absent: /warc|wacz|socks|retry-after|crawl-?delay|limit-rate|signature-agent|resourcesync|ftp:/i,
  },
  {
    column: "HTTrack",
    version: () => say("httrack", "--version"),
    text: () => say("httrack", "--help"),
    absent: /warc|wacz|socks|retry-after|crawl-?delay|sitemap|digest auth|http\/2/i,
  },
  {
    column: "Scrapy",
    version: () => say(join(requireCached("scrapy-1"), "bin", "scrapy"), "version"),
    text: scrapySource,
    absent: /warc\b|wacz|retry-after|signature-agent|resourcesync|convert_links/i,
  },
  {
    column: "rclone",
    version: () => say(rclone(), "version"),
    text: () => ["help", "help flags", "help backends"].map((words) => say(rclone(), ...words.split(" "))).join("\n"),
    absent: /sitemap|robots\.txt/i,
  },
  {
    column: "restic",
    version: () => say("restic", "version"),
    text: () => say("restic", "help"),
    absent: /\bsync\b|sitemap/i,
  },
];

const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const tables = document.split("\n\n").filter((block) => block.startsWith("|"));

/** The entries of a column, of each table that has it. */
function readColumn(name: string): string[] {
  return tables.flatMap((table) => {
    const [head = "", , ...lines] = table.trim().split("\n");
    const at = cellsOf(head).indexOf(name);
    return at === -1 ? [] : lines.map((line) => cellsOf(line)[at] ?? "");
  });
}

const skip = skipWithout("wget2", "httrack", "restic") || skipWithoutCached("scrapy-1", "object-store-1");
describe("docs/comparison.md", { skip }, () => {
  for (const { column, version, text, absent } of programs)
    it(`says of ${column} what ${column} says of itself`, () => {
      const row = document.split("\n").find((line) => line.startsWith(`| [${column}](`));
      const [, told = ""] = cellsOf(row ?? "");
      assert.ok(version().includes(told.split(",")[0] ?? ""), `${told}: ${version()}`);
      const words = readColumn(column).flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word));
      assert.ok(words.length > 4, words.join());
      const own = text();
      const missing = words.filter(
        (word) => !new RegExp(`(?<![\\w-])${word.replaceAll(".", "\\.")}(?![\\w-])`).test(own),
      );
      assert.deepEqual(missing, []);
      assert.equal(absent.exec(own)?.[0], undefined);
    });

  it("leads from each thing that Tidemark has to its description, and gives a reason for each that it has not", () => {
    const cells = readColumn("Tidemark").filter((cell) => cell !== "");
    const reasons = new Set([...document.matchAll(/^(\d+)\. \*/gm)].map(([, number]) => number));
    const used = cells.flatMap((cell) => /^no \(\[(\d+)\]\(#not-in-tidemark-and-why\)\)$/.exec(cell)?.[1] ?? []);
    assert.deepEqual(new Set(used), reasons);
    assert.deepEqual(
      cells.filter((cell) => !/\]\([^)#]*\.md(?:#[^)]+)?\)/.test(cell) && !cell.startsWith("no (")),
      [],
    );
  });
});
