import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { cacheFolder } from "../interop/programs.ts";
import { type Benchmark, defineBenchmark, log } from "./benchmark.ts";
import { crawlDocuments } from "./debian-web/document-crawl.ts";
import { documentPackages, sitesOf, unpackPackages } from "./debian-web/documents.ts";

const help = `npm run bench -- debian-web [--out DIR]
From a crawl to a graph, its figures, ranks and a list of what to crawl next, over the documentation of ${documentPackages.length} packages of
Debian, each a site of its own that nginx serves: the commands of docs/graphs.md, with what each took and said. Fetches the packages with
apt-get at the first time, 150 MB. With --out the results stay in this folder, which must be empty.
`;

/** Prints a table as Markdown. */
export const benchmark: Benchmark = defineBenchmark({
  help,
  options: { out: "" },
  run: async ({ out }) => {
    const packages = join(cacheFolder(), "debian-web");
    unpackPackages(documentPackages, packages);
    const sites = sitesOf(documentPackages, (name) => join(packages, name, "usr", "share"));
    const folder = out === "" ? mkdtempSync(join(tmpdir(), "tidemark-debian-web-")) : resolve(out);
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
    try {
      log(`${sites.length} sites`);
      const steps = await crawlDocuments(sites, folder);
      process.stdout.write("| command | s | CPU s | peak MiB |\n|---|---|---|---|\n");
      for (const { command, wallSeconds, cpuSeconds, peakMiB } of steps)
        process.stdout.write(
          `| ${command} | ${wallSeconds.toFixed(1)} | ${cpuSeconds.toFixed(1)} | ${peakMiB.toFixed(0)} |\n`,
        );
      for (const { command, output } of steps) process.stdout.write(`\n${command}:\n${output}`);
    } finally {
      if (out === "") rmSync(folder, { recursive: true, force: true });
    }
  },
});
