import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findCli } from "../../interop/command.ts";
import { cacheFolder } from "../../interop/programs.ts";
import { repositoryFolder } from "../../repository-folder.ts";

/** What each crawler is told. */
export interface WebTask {
  /** Its own folder, which is there and empty. */
  readonly folder: string;
  readonly seed: string;
  readonly nameServer: string;
  /** Sites that are requested at once. */
  readonly connections: number;
  readonly timeoutSeconds: number;
  /** Links from the seed, or within a site, that are followed: the bound of pages without end. */
  readonly depth: number;
}

/** A crawler of the Web: the command that does a task. */
export interface WebCrawler {
  readonly name: string;
  readonly commandOf: (task: WebTask) => readonly string[];
}

const sourceOf = (...names: readonly string[]): string =>
  join(repositoryFolder(), "test", "bench", "web-peers", ...names);

function argumentsOf({ seed, nameServer, connections, timeoutSeconds, depth }: WebTask): readonly string[] {
  return [seed, nameServer, String(connections), String(timeoutSeconds), String(depth)];
}

const tidemark: WebCrawler = {
  name: "tidemark",
  commandOf: ({ folder, seed, nameServer, connections, timeoutSeconds, depth }) => {
    const seeds = join(folder, "seeds.txt");
    writeFileSync(seeds, `${seed}\n`);
    return [
      // It ends with 3 if sites could not be reached, as some of this Web cannot.
      ...["bash", "-c", '"$@" || [ $? -eq 3 ]', "-"],
      ...[process.execPath, findCli(), "crawl", "--web", seeds, "--into", join(folder, "web"), "--keep", "none"],
      ...["--allow-private", "--name-server", nameServer, "--connections", String(connections)],
      ...["--timeout", String(timeoutSeconds), "--depth", String(depth)],
    ];
  },
};

const scrapy: WebCrawler = {
  name: "scrapy",
  commandOf: (task) => [
    join(cacheFolder(), "scrapy-1", "bin", "python"),
    sourceOf("scrapy-crawl.py"),
    ...argumentsOf(task),
  ],
};

const colly: WebCrawler = {
  name: "colly",
  commandOf: (task) => [join(cacheFolder(), "colly-1", "crawl"), ...argumentsOf(task)],
};

const heritrix: WebCrawler = {
  name: "heritrix",
  commandOf: ({ folder, seed, nameServer, connections, timeoutSeconds, depth }) => {
    const configuration = join(folder, "crawler-beans.cxml");
    const text = readFileSync(sourceOf("heritrix", "crawler-beans.cxml"), "utf8")
      .replaceAll("SEED", seed)
      .replaceAll("THREADS", String(connections))
      .replaceAll("TIMEOUT-SECONDS", String(timeoutSeconds))
      .replaceAll("DEPTH", String(depth));
    writeFileSync(configuration, text);
    const packages = join(cacheFolder(), "heritrix-1");
    return [
      ...["java", "-Xmx256m", "-cp", `${join(packages, "classes")}:${join(packages, "lib")}/*`],
      ...["HeritrixCrawl", configuration, nameServer],
    ];
  },
};

/** No crawler to use: it shows what there is to gain at most without another language. */
const bare: WebCrawler = {
  name: "bare",
  commandOf: (task) => [
    process.execPath,
    fileURLToPath(new URL("bare-crawl.js", import.meta.url)),
    ...argumentsOf(task),
  ],
};

/** Those that race, ours first. */
export const webCrawlers: readonly WebCrawler[] = [tidemark, colly, scrapy, heritrix, bare];
