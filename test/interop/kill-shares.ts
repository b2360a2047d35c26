import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import Database from "libsql";
import type { CrawlSummary } from "../../src/core/crawl-event.ts";
import type { MergeSummary, ShareSummary } from "../../src/share/index.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type CommandResult, runTidemark, startTidemark, summaryOf } from "./command.ts";
import type { KillOptions, KillReport } from "./kill.ts";
import { requireProgram } from "./programs.ts";
import { createRandom } from "./random.ts";
import { startWebServer } from "./web-server.ts";

/** Runs of each command that are killed after each change of the site. */
const killsAtATime = 4;

/** Crawls a site by its links. */
export async function crawl(url: string, into: string, ...more: readonly string[]): Promise<CommandResult> {
  return await runTidemark(["crawl", url, "--into", into, "--source", "links", "--json", ...more]);
}

/** Crawls until so many pages were updated: a visit requests nothing that was answered in the second in which it begins. */
export async function crawlUntil(url: string, into: string, updated: number): Promise<void> {
  for (let seen = 0, visits = 0; seen < updated; visits++) {
    assert.ok(visits < 50, `${seen} of ${updated} changes were seen`);
    const last = (await crawl(url, into)).events.at(-1) as unknown as CrawlSummary;
    seen += last.updated;
  }
}

/** The events of a share, as a reader of 60 lines sees them: as lines of fields, the URL last. */
export async function readShare(url: string, days: number): Promise<string[]> {
  const reader = join(repositoryFolder(), "test", "interop", "share-reader.py");
  const { stdout } = await promisify(execFile)(requireProgram("python3"), [reader, url, String(days)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.trimEnd().split("\n");
}

/** Pages that the next crawl requests because of events. */
function countDue(into: string): number {
  const state = new Database(join(into, ".tidemark", "state.db"));
  const [count] = state.prepare("SELECT count(*) FROM url WHERE unconfirmed = 1").raw().get() as [number];
  state.close();
  return count;
}

/**
 * Kills publications and merges of events at random instants, while a site changes between them.
 *
 * @returns what was done, once no event was lost, and none was there or had an effect twice
 * @throws with what differed
 */
export async function killShares({ times, seed, pages, onProgress }: KillOptions): Promise<KillReport> {
  using folder = makeTempFolder();
  const random = createRandom(seed);
  const [docroot, shared, one, two] = ["site", "shared", "one", "two"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [docroot, shared]) mkdirSync(path);
  const names = Array.from({ length: pages }, (_, at) => `p${at}.html`);
  writeFileSync(join(docroot, "index.html"), names.map((name) => `<a href="/${name}">x</a>`).join(""));
  for (const name of names) writeFileSync(join(docroot, name), `page ${name}`);
  await using site = await startWebServer("nginx", docroot);
  await using server = await startWebServer("nginx", shared);
  for (const into of [two, one]) summaryOf<CrawlSummary>(await crawl(site.url, into));
  const key = join(folder.path, "key.pem");
  writeFileSync(key, generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }));
  const commands = {
    share: ["share", "--from", one, "--into", shared, "--url", server.url, "--sign", key, "--json"],
    merge: ["merge", server.url, "--into", two, "--days", "3", "--json"],
  };
  const counts = { killed: 0, finished: 0, checks: 0, publications: 0 };
  const { elapsedMs } = await runTidemark(commands.share);
  const withinMs = 1.5 * elapsedMs;
  const killOften = async (args: readonly string[]): Promise<void> => {
    for (let runs = 0; runs < killsAtATime; runs++) {
      const { child, result } = startTidemark(args);
      const timer = setTimeout(() => child.kill("SIGKILL"), random.next() * withinMs);
      const { signal, exitCode, stderr } = await result;
      clearTimeout(timer);
      if (signal === "SIGKILL") counts.killed += 1;
      else {
        assert.equal(exitCode, 0, stderr);
        counts.finished += 1;
      }
    }
  };
  const read = async (): Promise<string[]> => {
    const lines = await readShare(server.url, 3);
    counts.checks += 1;
    return lines.map((line) => line.split("\t").at(-1) ?? "");
  };
  const expected = await read();
  assert.equal(expected.length, pages + 1);
  const changed = new Set<string>();
  for (let round = 0; counts.killed < times; round++) {
    const now = random.sample(names, Math.ceil(pages / 6));
    for (const name of now) writeFileSync(join(docroot, name), `page ${name}, ${round}`);
    await crawlUntil(site.url, one, now.length);
    await killOften(commands.share);
    // What can be read at any time is whole: the reader refuses what is no event.
    await read();
    summaryOf<ShareSummary>(await runTidemark(commands.share));
    counts.publications += 1;
    expected.push(...now.map((name) => `${site.url}${name}`));
    assert.deepEqual((await read()).sort(), expected.sort());
    await killOften(commands.merge);
    for (const name of now) changed.add(`/${name}`);
    onProgress?.(`killed ${counts.killed}, finished ${counts.finished}`);
  }
  // The second crawler requests each page that changed once, as far as it trusts the first one by then, and what it checks.
  const asked: string[] = [];
  for (let round = 0, due = 1; due > 0; round++) {
    assert.ok(round < 30, "merges go on telling news");
    const { peers } = summaryOf<MergeSummary>(await runTidemark(commands.merge));
    assert.deepEqual(
      peers.map(({ problem }) => problem),
      [undefined],
    );
    due = countDue(two);
    await site.takeLog();
    if (due > 0) await crawl(site.url, two, "--budget", String(due));
    const requests = (await site.takeLog()).map(({ uri }) => uri).filter((uri) => uri !== "/robots.txt");
    assert.equal(requests.length, due);
    asked.push(...requests);
  }
  assert.deepEqual(asked.filter((uri) => changed.has(uri)).sort(), [...changed].sort());
  return { ...counts, withinMs };
}
