import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findCli } from "../../interop/command.ts";
import { requireProgram } from "../../interop/programs.ts";
import { type MeteredCost, meterProcess } from "./metered-process.ts";

/** One way to keep a copy of a site. */
export interface Downloader {
  readonly name: string;
  /** Whether it is told all URLs, or finds out by itself. */
  readonly needsUrls: boolean;
  /** Brings the copy in a folder up to date. */
  readonly update: (site: { readonly url: string; readonly urlFile: string }, folder: string) => Promise<MeteredCost>;
  /** Where in its folder the copy of a site is. */
  readonly mirror: (folder: string, port: number) => string;
}

function tidemark(concurrency: number): Downloader {
  return {
    name: `tidemark, concurrency ${concurrency}`,
    needsUrls: false,
    update: ({ url }, folder) =>
      meterProcess([
        ...[process.execPath, findCli(), "crawl", url, "--into", folder],
        ...["--concurrency", String(concurrency), "--json"],
      ]),
    mirror: (folder, port) => join(folder, `127.0.0.1_${port}`),
  };
}

function wget(program: "wget" | "wget2", name: string): Downloader {
  return {
    name,
    needsUrls: true,
    update: ({ urlFile }, folder) => {
      mkdirSync(folder, { recursive: true });
      return meterProcess([requireProgram(program), "-q", "-N", "-x", "-nH", "-P", folder, "-i", urlFile]);
    },
    mirror: (folder) => folder,
  };
}

/** Those that race, ours first. wget2 uses 5 connections unless told otherwise. */
export const downloaders: readonly Downloader[] = [
  tidemark(5),
  tidemark(1),
  wget("wget", "wget -N -x -i URLS"),
  wget("wget2", "wget2 -N -x -i URLS (5 threads)"),
];
