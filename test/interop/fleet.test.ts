import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { type FleetTrialOptions, runFleetTrial } from "../bench/fleet/fleet-trial.ts";
import { generateWeb, openLoopbackWeb, serveWeb } from "../crawler/web/loopback-web.ts";
import { addresses, addressOf } from "../crawler/web/web-crawling.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { skipWithout, skipWithoutCached } from "./programs.ts";
import { findSparkProgram, hastenSpark, sparkMaster } from "./spark-program.ts";

const limits = { timeout: 300_000 };
const run = promisify(execFile);

async function sees(more: Partial<FleetTrialOptions>): Promise<void> {
  using temp = makeTempFolder("fleet");
  const lines: string[] = [];
  const trial = await runFleetTrial({
    ...{ folder: temp.path, workers: 4, sites: 100, pages: 1000, seed: 1, isFriendly: true, isWeb: false },
    ...{ leaseMs: 5000, restMs: 1000, pagesBeforeRest: 10, connections: 32 },
    ...{ kills: 0, freezes: 0, restarts: 0, cutMs: 0, isSkewed: false, isAlone: false },
    ...more,
    onLine: (line) => lines.push(line),
  });
  const { report, stored, inScope, lost, wrong, twice } = trial;
  const { missed, broken } = report;
  assert.deepEqual(
    { missed, ...broken, isAll: stored === inScope + report.trapPages, lost, wrong, twice },
    {
      ...{ missed: 0, busy: 0, early: 0, restless: 0, disallowed: 0 },
      ...{ isAll: true, lost: 0, wrong: 0, twice: 0 },
    },
    lines.join("\n"),
  );
}

describe("a fleet over PostgreSQL", { skip: skipWithout("pg_ctlcluster") || skipWithout("faketime") }, () => {
  it("visits the sites of a list, whatever happens to workers, their clocks and the database", limits, async () => {
    await sees({ kills: 2, freezes: 1, restarts: 1, cutMs: 8000, isSkewed: true });
  });

  it("crawls the Web, with sites of every kind, while workers are killed", limits, async () => {
    await sees({ isWeb: true, isFriendly: false, restMs: 0, workers: 3, kills: 2 });
  });
});

/** Rows of a table of nodes: their names, and numbers. */
function readTable(file: string): Map<string, number[]> {
  const [, ...rows] = readFileSync(file, "utf8").trimEnd().split("\n");
  return new Map(
    rows.map((row) => {
      const [, name = "", ...numbers] = row.split("\t");
      return [name, numbers.map(Number)];
    }),
  );
}

describe("the links of a fleet", { skip: skipWithoutCached("spark-1") }, () => {
  hastenSpark();

  it("have the same ranks and priorities by DuckDB and by Spark", limits, async () => {
    const made = generateWeb(20, 3);
    await using web = await openLoopbackWeb({ addresses, addressOf, answer: serveWeb(made) });
    using temp = makeTempFolder("fleet-graph");
    const seeds = join(temp.path, "seeds.txt");
    const into = join(temp.path, "crawl");
    writeFileSync(seeds, `${web.originOf("s0.example")}/\n`);
    const program = join(repositoryFolder(), "bin", "tidemark.js");
    const tidemark = (line: string, ...rest: readonly string[]) =>
      run(process.execPath, [program, ...line.split(" "), ...rest]);
    const crawl = `crawl --web ${seeds} --fleet ${join(temp.path, "fleet.db")} --into ${into} --keep none --quiet`;
    const names = ["--allow-private", "--name-server", web.names.address];
    await Promise.all([1, 2, 3].map(() => tidemark(crawl, ...names)));
    const graph = join(temp.path, "graph");
    await tidemark(`graph import ${graph} --crawl ${into}`);
    const spark = ["spark", "--master", sparkMaster, "--spark-sql", findSparkProgram()];
    const tables = await Promise.all(
      [["duckdb"], spark].map(async ([name = "", ...options]) => {
        const file = join(temp.path, name);
        const asked = `--visits ${graph}/visits.tsv --count 50 --new-share 0.5 --now 2030-01-01 --rounds 12`;
        await tidemark(
          `graph rank ${graph} ${asked} --into ${file}.tsv --work ${file}.work --engine ${name}`,
          ...options,
        );
        return { ranks: readTable(`${file}.tsv`), work: readFileSync(`${file}.work`, "utf8") };
      }),
    );
    const [one, other] = tables;
    const pages = made.hosts.flatMap((host) => made.pathsOf(host).map((path) => `http://${host}:${web.port}${path}`));
    assert.deepEqual([...(one?.ranks.keys() ?? [])].sort(), pages.sort());
    assert.equal(other?.work, one?.work);
    for (const [name, numbers] of one?.ranks ?? []) {
      const others = other?.ranks.get(name) ?? [];
      assert.equal(others.length, numbers.length);
      for (const [at, number] of numbers.entries())
        assert.ok(Math.abs(number - (others[at] ?? Number.NaN)) <= 1e-9, `${name}: ${number}, ${others[at]}`);
    }
  });
});
