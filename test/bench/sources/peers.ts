import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../interop/cache-folder.ts";
import { findProgram, requireProgram } from "../../interop/programs.ts";
import { findRepositoryRoot } from "../../interop/repository.ts";
import { timeProcess } from "../peers/timed-process.ts";
import { contentsPath } from "./contents-pages.ts";
import type { Follower } from "./follower.ts";
import { exported, silence } from "./publications.ts";

/** Runs wget or wget2, which end with 3 if a file had no place, with 8 if the server ever answered 404: the copy shows. */
async function runForgiving(program: string, args: readonly string[]): Promise<void> {
  await timeProcess("bash", ["-c", '"$@" || [ $? -gt 2 ]', "bash", requireProgram(program), ...args]);
}

function mirrorer(
  program: "wget" | "wget2",
  name: string,
  copy: string,
  url: string,
  options: readonly string[] = [],
): Follower {
  return {
    name,
    snippet: silence.snippet,
    copy,
    isExact: true,
    update: async () => {
      mkdirSync(copy, { recursive: true });
      await runForgiving(program, ["-q", "-m", "-N", ...options, "-nH", "-P", copy, new URL(contentsPath, url).href]);
    },
  };
}

function httrack(folder: string, url: string): Follower {
  let runs = 0;
  return {
    name: "HTTrack --update (64 connections)",
    snippet: silence.snippet,
    copy: join(folder, new URL(url).host.replace(":", "_")),
    isExact: false,
    update: async () => {
      mkdirSync(folder, { recursive: true });
      // With its bound on connections a second HTTrack 3.49 fails at loopback's speed; on a 304 a connection waits 0.2 s.
      const unhindered = ["--disable-security-limits", "--max-rate=0", "--connection-per-second=0", "-B", "-c64", "-q"];
      const again = runs++ > 0 ? ["--update"] : [];
      await timeProcess(requireProgram("httrack"), [
        new URL(contentsPath, url).href,
        ...["-O", folder, "-I0", "-s0", ...unhindered, ...again],
      ]);
    },
  };
}

function scrapy(folder: string, url: string): Follower {
  const copy = join(folder, "copy");
  return {
    name: "Scrapy sitemap spider",
    snippet: exported.sitemap.snippet,
    copy,
    isExact: true,
    update: async () => {
      mkdirSync(copy, { recursive: true });
      await timeProcess(join(cacheFolder(), "scrapy-1", "bin", "python"), [
        join(findRepositoryRoot(), "test/bench/sources/sitemap_spider.py"),
        ...[new URL("/robots.txt", url).href, copy, join(folder, "lastmod.json")],
      ]);
    },
  };
}

/** Other programs that keep copies; HTTrack where it is installed. */
export function makePeers(folder: string, url: string): Follower[] {
  return [
    mirrorer("wget", "wget -m -N", join(folder, "wget"), url),
    // A 304 of nginx names no media type, so wget takes the page for none with links and ends there: it has to ask HEAD.
    mirrorer("wget", "wget -m -N --no-if-modified-since", join(folder, "wget-head"), url, ["--no-if-modified-since"]),
    mirrorer("wget2", "wget2 -m -N (5 threads)", join(folder, "wget2"), url),
    ...(findProgram("httrack") === undefined ? [] : [httrack(join(folder, "httrack"), url)]),
    scrapy(join(folder, "scrapy"), url),
  ];
}
