import { join } from "node:path";
import { findCli } from "../../interop/command.ts";
import { findProgram } from "../../interop/programs.ts";
import { findColly, findCrawlee, findScrapy } from "./peer-programs.ts";

/** A crawler that follows the links of a site. */
export interface Racer {
  readonly name: string;
  readonly kind: "ours" | "JavaScript" | "Python" | "compiled";
  readonly connections: number;
  /** What it does with the pages that it got. */
  readonly keeps: string;
  readonly command: (url: string, folder: string) => readonly string[];
}

function tidemark(connections: number, keep: "mirror" | "none"): Racer {
  return {
    name: "tidemark crawl --source links",
    kind: "ours",
    connections,
    keeps: keep === "mirror" ? "files, durably" : "digests, durably",
    command: (url, folder) => [
      ...[process.execPath, findCli(), "crawl", url, "--into", folder, "--source", "links"],
      ...["--keep", keep, "--concurrency", String(connections), "--json", "--quiet"],
    ],
  };
}

function wget2(connections: number): Racer[] {
  const program = findProgram("wget2");
  if (program === undefined) return [];
  const command = (url: string, folder: string): string[] => [
    ...[program, "-q", "-r", "-l", "inf", `--max-threads=${connections}`, "-P", folder, url],
  ];
  return [{ name: "wget2 -r -l inf", kind: "compiled", connections, keeps: "files", command }];
}

function scrapy(requests: number): Racer[] {
  const program = findScrapy();
  if (program === undefined) return [];
  const settings = {
    CONCURRENT_REQUESTS: requests,
    CONCURRENT_REQUESTS_PER_DOMAIN: requests,
    DOWNLOAD_DELAY: 0,
    AUTOTHROTTLE_ENABLED: false,
    ROBOTSTXT_OBEY: true,
    LOG_LEVEL: "ERROR",
    TELNETCONSOLE_ENABLED: false,
  };
  const set = Object.entries(settings).flatMap(([key, value]) => [
    "-s",
    `${key}=${typeof value === "boolean" ? Number(value) : value}`,
  ]);
  const command = (url: string): string[] => [...program, "-a", `start=${url}`, ...set];
  return [{ name: "Scrapy CrawlSpider", kind: "Python", connections: requests, keeps: "nothing", command }];
}

function crawlee(requests: number): Racer {
  const program = findCrawlee();
  const command = (url: string): string[] => [...program, url, String(requests)];
  return { name: "Crawlee CheerioCrawler", kind: "JavaScript", connections: requests, keeps: "nothing", command };
}

function colly(connections: number): Racer[] {
  const program = findColly();
  if (program === undefined) return [];
  const command = (url: string): string[] => [...program, url, String(connections)];
  return [{ name: "colly", kind: "compiled", connections, keeps: "nothing", command }];
}

/** Those that race, ours first. Each is free to use what connections it usually has. */
export function findRacers(): Racer[] {
  return [
    tidemark(1, "mirror"),
    tidemark(5, "mirror"),
    tidemark(10, "mirror"),
    tidemark(10, "none"),
    ...wget2(5),
    ...scrapy(16),
    crawlee(16),
    ...colly(10),
  ];
}

/** Where a racer may leave what it got. */
export function folderOf(parent: string, racer: Racer): string {
  return join(parent, `${racer.name}-${racer.connections}-${racer.keeps}`.replace(/\W+/g, "-"));
}
