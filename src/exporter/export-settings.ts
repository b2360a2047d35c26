import {
  byteRate,
  choice,
  duration,
  flag,
  folderMappings,
  numberBetween,
  path,
  settingRow as row,
  type SettingTable,
  siteUrl,
  text,
  texts,
  wholeNumber,
} from "../config/index.ts";
import type { ExportSiteOptions } from "./export-site-options.ts";

/** What of an export can be set in a file: all but what belongs to one run. */
export type ExportSettings = Omit<ExportSiteOptions, "clock" | "signal" | "onEvent" | "dryRun" | "urls"> & {
  /** A file's path, or `-` for standard input. */
  readonly urls?: string;
};

const needed = { ofSite: true, isRequired: true } as const;
const ofSite = { ofSite: true } as const;

/**
 * Every setting of an export: a line here is an option of `tidemark export`, a key of its configuration file, and a
 * property of the file's JSON Schema.
 */
export const exportSettings: SettingTable<ExportSettings> = {
  docroot: row("docroot", path, "The folder that the web server serves", needed),
  baseUrl: row("base-url", siteUrl, "Where the folder stands on the web, such as https://example.org/", needed),
  stateDir: row(
    "state",
    path,
    "Folder of what is remembered between runs, outside the docroot (~/.local/state/tidemark/HOST)",
    ofSite,
  ),
  include: row(
    "include",
    texts,
    "Publish only paths of this glob (repeatable); the one way out for what a name or type holds back (--dry-run says how)",
  ),
  exclude: row("exclude", texts, "Publish no paths of this glob (repeatable)"),
  segmentSize: row("segment-size", wholeNumber(1, 65_536), "Changes in a segment of an interval (2000)"),
  minGroup: row("min-group", wholeNumber(1, 65_536), "Changes that a media type needs for an archive of its own (50)"),
  digest: row("digest", choice("all", "changed", "none"), "Which pages get a digest: all, changed or none (all)"),
  index: row("index", texts, "Publish a folder's file of this name as the folder's own URL (repeatable, first wins)"),
  cleanUrls: row("clean-urls", flag, "Publish about.html as /about, and index.html as its folder"),
  map: row(
    "map",
    folderMappings,
    "PREFIX=FOLDER: below this path of the site the server shows this folder (repeatable)",
  ),
  noindexPages: row("noindex-pages", flag, "Publish pages too that ask not to be indexed (meta robots noindex)"),
  folderLinks: row(
    "folder-links",
    choice("follow", "hold"),
    "Links to folders of the docroot: publish their pages under both paths (follow), or once (hold)",
  ),
  ssi: row(
    "ssi",
    choice("auto", "on", "off"),
    "Look for server-side includes in HTML (auto), in all text (on), or not at all (off)",
  ),
  ignore: row(
    "ignore",
    texts,
    "Cut this out of pages before they are compared: /regular expression/ or selector (repeatable)",
  ),
  // For `--significant` without a value: about a word in eighty, or one passage of a twentieth of the page.
  significant: row(
    "significant",
    numberBetween(0, 1, 0.9),
    "Count changes of HTML pages only if the texts' resemblance, 0 to 1, falls below this (0.9)",
  ),
  ioLimit: row("io-limit", byteRate, "Bytes of files to read a second at most, such as 500K or 20M (no limit)"),
  sitemap: row("sitemap", flag, "Publish sitemaps too, and announce them in robots.txt"),
  resourceSync: row("resourcesync", flag, "Publish ResourceSync too: what there is, and changes by days"),
  changeDumps: row("change-dumps", flag, "Pack the pages that a day changed once it is over (--resourcesync)"),
  resourceDump: row("resource-dump", flag, "Pack all pages as they are now (--resourcesync)"),
  robotsDir: row("robots-dir", path, "Folder of robots.txt (the docroot)", ofSite),
  serverUser: row("server-user", text, "Hold back what this user, as whom the web server runs, cannot read"),
  indexNowKey: row(
    "index-now-key",
    text,
    "Key of IndexNow; its file in the docroot is no page (the one used last, or a new one)",
  ),
  urls: row(
    "urls",
    path,
    "List of pages that are no files: a file (TSV, CSV, JSON lines), or - for standard input",
    ofSite,
  ),
  urlsFormat: row(
    "urls-format",
    choice("tsv", "csv", "jsonl"),
    "How that list is written: tsv, csv or jsonl (by its name or first line)",
    ofSite,
  ),
  sitemapFrom: row("sitemap-from", text, "Sitemap of pages that are no files: a URL or a file", ofSite),
  probe: row("probe", flag, "Ask the server for listed pages without a last-modified"),
  probeBudget: row("probe-budget", wholeNumber(0, 1_000_000_000), "Pages to ask for in a run (1000)"),
  probeDelayMs: row(
    "probe-delay",
    duration(3_600_000),
    "Time between the beginnings of two requests, such as 250ms or 2s (250ms)",
  ),
  probeConcurrency: row("probe-concurrency", wholeNumber(1, 64), "Requests at the same time, 1 to 64 (1)"),
  allowFewerLists: row(
    "allow-fewer-lists",
    flag,
    "Let the pages of a list go that the last export had and this one has not",
  ),
  allowEmpty: row("allow-empty", flag, "Let a site that had pages come to have none"),
};
