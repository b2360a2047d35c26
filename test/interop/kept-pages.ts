import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type CdxjEntry, parseCdxjLine } from "../../src/formats/warc/cdxj.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { openConnection, prepareStatement } from "../../src/storage/sqlite/database.ts";

import { readWarcFile } from "../../src/storage/warc/warc-index.ts";
import { listFiles } from "./file-tree.ts";
import { listTemporaryFiles } from "./leftovers.ts";
import type { TrialSite } from "./trial-site.ts";

// Pages that the crawler needs for their links, and that are made anew for each answer.
const isLinkList = (path: string): boolean => path.endsWith("/");

function checkMirror(folder: string, site: TrialSite): string[] {
  const files = new Set(listFiles(folder).map((file) => encodeURI(file)));
  const differences: string[] = [];
  for (const path of site.paths) {
    if (!files.delete(path)) differences.push(`missing: ${site.kind} ${path}`);
    else if (!site.body(path)?.equals(readFileSync(join(folder, decodeURI(path)))))
      differences.push(`differs: ${site.kind} ${path}`);
  }
  for (const path of files)
    if (!path.endsWith("/index.html") && !site.missing.has(path)) differences.push(`too many: ${site.kind} ${path}`);
  return differences;
}

/** What the store remembers: each page once, by its digest. */
function checkState(into: string, site: TrialSite): string[] {
  const connection = openConnection(join(into, ".tidemark", "state.db"));
  try {
    const rows = prepareStatement(
      connection,
      "SELECT u.path, u.digest FROM url u JOIN site s ON s.id = u.site WHERE u.digest IS NOT NULL AND s.origin = ?",
    ).all(site.origin) as [string, string][];
    const differences: string[] = [];
    const left = new Set(site.paths);
    for (const [path, digest] of rows) {
      if (isLinkList(path)) continue;
      const body = site.body(path);
      if (site.missing.has(path)) continue;
      if (body === undefined) differences.push(`remembered, but not there: ${site.kind} ${path}`);
      else if (createHash("sha256").update(body).digest().subarray(0, 8).toString("base64url") !== digest)
        differences.push(`remembered as it was: ${site.kind} ${path}`);
      else if (!left.delete(path)) differences.push(`remembered twice: ${site.kind} ${path}`);
    }
    for (const path of left) differences.push(`not remembered: ${site.kind} ${path}`);
    return differences;
  } finally {
    connection.close();
  }
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function sha1OfPayload(body: Uint8Array): string {
  let bits = "";
  for (const byte of createHash("sha1").update(body).digest()) bits += byte.toString(2).padStart(8, "0");
  return `sha1:${(bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join("")}`;
}

/** The newest captures of each URL that gave a page: more than one if they are of the same second. */
async function newestCaptures(folder: string): Promise<Map<string, CdxjEntry[]>> {
  const newest = new Map<string, CdxjEntry[]>();
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".warc.gz")) continue;
    const file = join(folder, name);
    const { wholeBytes } = await readWarcFile(file, name, (line) => {
      const entry = parseCdxjLine(line);
      if (!entry.ok) throw new Error(entry.error.message);
      const { url, status, date } = entry.value;
      if (status !== 200 && status !== 304) return;
      const known = newest.get(url) ?? [];
      const at = known[0]?.date ?? 0;
      if (date > at) newest.set(url, [entry.value]);
      else if (date === at) known.push(entry.value);
    });
    if (wholeBytes !== statSync(file).size) throw new Error(`not whole: ${file}`);
  }
  return newest;
}

async function checkWarc(folder: string, site: TrialSite): Promise<string[]> {
  const newest = await newestCaptures(folder);
  const differences: string[] = [];
  for (const path of site.paths) {
    const captures = newest.get(site.origin + path);
    const digest = sha1OfPayload(site.body(path) ?? Buffer.of());
    if (captures === undefined) differences.push(`never captured: ${site.kind} ${path}`);
    else if (!captures.some((capture) => capture.digest === digest))
      differences.push(`captured as it was: ${site.kind} ${path}: ${JSON.stringify(captures)} not ${digest}`);
  }
  const open = readdirSync(folder).filter((name) => !/\.(?:warc\.gz|cdxj)$/.test(name));
  if (open.length > 0) differences.push(`left behind: ${open.join(", ")}`);
  return differences;
}

/** How what is kept of sites differs from them; empty if every page is there once, and nothing else. */
export async function checkKept(into: string, keep: "mirror" | "warc", sites: readonly TrialSite[]): Promise<string[]> {
  const differences = listTemporaryFiles(into).map((name) => `left behind: ${name}`);
  for (const site of sites) {
    const folder = join(into, mirrorFolderOf(site.origin));
    const found = keep === "mirror" ? checkMirror(folder, site) : await checkWarc(folder, site);
    differences.push(...found, ...checkState(into, site));
  }
  return differences;
}
