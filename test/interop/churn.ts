import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listFiles } from "./file-tree.ts";
import type { Random } from "./random.ts";

const endings = ["html", "html", "html", "txt", "css", "png", "xml"];
const outputs: ReadonlySet<string> = new Set(["/robots.txt", "/.well-known"]);

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A page that proves itself: its first line is the digest of the rest. */
function makePage(random: Random): string {
  const words = Array.from({ length: 20 + random.below(200) }, () => random.below(1e9).toString(36));
  const body = words.join(" ");
  return `${sha256(body)}\n${body}\n`;
}

/** Whether a file is a page that {@link churn} once wrote, from its first byte to its last. */
export function isWholePage(file: string): boolean {
  const text = readFileSync(file, "latin1");
  return text.endsWith("\n") && text.slice(0, 64) === sha256(text.slice(65, -1));
}

/** The pages of a docroot; what the exporter puts there is none. */
export function listPages(docroot: string): string[] {
  return listFiles(docroot, outputs).sort();
}

function writePage(docroot: string, path: string, random: Random): void {
  const file = join(docroot, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, makePage(random));
  // Every other page comes from a backup, or a deployment that keeps times.
  if (random.below(2) === 0) {
    const date = new Date(1.2e12 + random.below(5e8) * 1000);
    utimesSync(file, date, date);
  }
}

function newPath(random: Random): string {
  const folder = random.below(36).toString(36);
  return `/${folder}/page ${random.below(1e9).toString(36)}.${endings[random.below(endings.length)]}`;
}

/** Makes a site of so many pages. */
export function makeSite(docroot: string, pages: number, random: Random): void {
  for (let at = 0; at < pages; at++) writePage(docroot, newPath(random), random);
}

function redeploy(docroot: string, pages: readonly string[]): void {
  const now = new Date();
  for (const path of pages) utimesSync(join(docroot, path), now, now);
}

/**
 * Changes a site as its owner might between two exports: pages appear, change and vanish, now and then all
 * files are written again with the same bytes, or a folder vanishes, or much of the site changes.
 *
 * @param share - of the pages that change in an ordinary round, from 0 to 1
 */
export function churn(docroot: string, random: Random, share: number): void {
  const pages = listPages(docroot);
  const count = Math.max(1, Math.round(pages.length * share));
  const rare = random.below(12);
  if (rare === 0) redeploy(docroot, pages);
  if (rare === 1) {
    const [folder] = random.sample(
      readdirSync(docroot).filter((name) => name.length === 1),
      1,
    );
    if (folder !== undefined && statSync(join(docroot, folder)).isDirectory()) {
      rmSync(join(docroot, folder), { recursive: true });
    }
  }
  const updates = rare === 2 ? pages.length / 2 : count;
  for (const path of random.sample(listPages(docroot), updates)) writePage(docroot, path, random);
  const deletions = random.sample(listPages(docroot), random.below(count) + 1);
  for (const path of deletions) rmSync(join(docroot, path));
  // As many come as go, folders that vanished included.
  for (let missing = pages.length - listPages(docroot).length; missing > 0; missing--) {
    writePage(docroot, newPath(random), random);
  }
}
