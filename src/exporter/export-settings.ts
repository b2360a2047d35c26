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
import type { Clock, ExportEvent } from "../core/index.ts";
import type { IncludeMode } from "./digest/page-scanner.ts";
import type { ListChoices } from "./lists/site-lists.ts";
import type { DigestMode } from "./publish/page-diff.ts";
import type { FolderLinks } from "./walk/walk-options.ts";

/** A folder that the server serves below a prefix, like nginx's `alias` and Apache's `Alias`. */
export interface UrlMapping {
  /** Path on the site, percent-encoded as in a URL, such as `/static/`. */
  readonly urlPrefix: string;
  readonly folder: string;
}

/** Options of an export. */
export interface ExportSiteOptions extends ListChoices {
  /** Document root of the web server. */
  readonly docroot: string;
  /** The site's origin with `/`, such as `https://example.org/`. */
  readonly baseUrl: string;
  /** State folder; outside the document root. Default `~/.local/state/tidemark/<host>`. */
  readonly stateDir?: string;
  /**
   * Origin at which the site is served, such as `https://example.org/`. An export without a state, as on a machine that
   * builds the site anew each time, goes on from what is published there: in the same epoch, with all archives in the
   * document root. A state of the same epoch that is not older is used instead. Default: only the state is used.
   */
  readonly previous?: string;
  /**
   * Whether an export may begin a new epoch if `previous` has no publication yet or cannot be read. @default false
   */
  readonly previousOptional?: boolean;
  /** If not empty, only files that match one of these fast-glob patterns are published. */
  readonly include?: readonly string[];
  /** Files and folders that match one of these fast-glob patterns are not published. */
  readonly exclude?: readonly string[];
  /** Changes per segment, 1 to 65536. @default 2000 */
  readonly segmentSize?: number;
  /** Media types with fewer changes than this are grouped as `other`, 1 to 65536. @default 50 */
  readonly minGroup?: number;
  /** Which pages get a digest. @default "all" */
  readonly digest?: DigestMode;
  /**
   * What does not count as a change, such as counters, build stamps and CSRF tokens: regular expressions
   * `/expression/flags`, matched against the bytes of text, XML, JSON and JavaScript, and selectors of HTML elements. A
   * page with a match is published without a digest.
   */
  readonly ignore?: readonly string[];
  /**
   * A change of an HTML page counts only if the similarity of its visible text with the published version is below
   * this, more than 0 and at most 1. HTML pages are then published without a digest. Default: each change counts.
   *
   * @see Edwards, McCurley and Tomlin, *An Adaptive Model for Optimizing Performance of an Incremental Web
   *   Crawler*, WWW10 2001, section 2
   */
  readonly significant?: number;
  /** Most bytes of the site's files to read per second; a file counts as at least 4 KiB. Default: no limit. */
  readonly ioLimit?: number;
  /** Publish sitemaps, and announce them in robots.txt. @default false */
  readonly sitemap?: boolean;
  /** Publish ResourceSync: a list of all resources and a list of changes per day. @default false */
  readonly resourceSync?: boolean;
  /** Pack the changed pages of each day once it is over; implies `resourceSync`. @default false */
  readonly changeDumps?: boolean;
  /** Pack all current pages; implies `resourceSync`. The packages stay listed. @default false */
  readonly resourceDump?: boolean;
  /** Publish the latest changed HTML pages as feeds: Atom and JSON Feed. @default false */
  readonly feed?: boolean;
  /**
   * Names of index files in the server's order: the first that exists in a folder is published as the folder's URL.
   * Default none.
   */
  readonly index?: readonly string[];
  /**
   * Publish `about.html` of the document root as `/about`; mapped folders are not affected. `index` is then
   * `index.html` unless given.
   *
   * @default false
   */
  readonly cleanUrls?: boolean;
  /** Additional folders that the server serves below a URL prefix; the longest prefix wins. Default none. */
  readonly map?: readonly UrlMapping[];
  /**
   * Publish pages with `<meta name="robots" content="noindex">` too.
   *
   * @default false
   */
  readonly noindexPages?: boolean;
  /** Folder that contains robots.txt. Default the document root. */
  readonly robotsDir?: string;
  /**
   * Which files are searched for server-side includes: `auto` HTML, `on` all text, `off` none because the server does
   * not process them. A page with includes is published without size and digest, and changes with the included files.
   * Requires the digests of all pages.
   *
   * @default "auto"
   */
  readonly ssi?: IncludeMode;
  /**
   * How to treat links to folders inside the document root, which make each page available under a second URL: `follow`
   * publishes both, `hold` only the folder's own. Default: both, with a warning.
   */
  readonly folderLinks?: FolderLinks;
  /** User that the web server runs as; files that this user cannot read are not published. */
  readonly serverUser?: string;
  /** Key of IndexNow. Its key file is not published as a page, nor are those of earlier keys. */
  readonly indexNowKey?: string;
  /** Only compare and report; write nothing. @default false */
  readonly dryRun?: boolean;
  /** Whether a site that had pages may become empty. @default false */
  readonly allowEmpty?: boolean;
  /**
   * Whether `urls` or `sitemapFrom` may be omitted although the last export had it: pages that only that list names are
   * then deleted. @default false
   */
  readonly allowFewerLists?: boolean;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Stops the export; then nothing is published. */
  readonly signal?: AbortSignal;
  /** Called with each event of the export. */
  readonly onEvent?: (event: ExportEvent) => void;
}

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
  docroot: row("docroot", path, "The document root: the folder that the web server serves", needed),
  baseUrl: row("base-url URL", siteUrl, "The site's base URL, such as https://example.org/", {
    ...needed,
    default: "required without `--config`",
    doc: "the site's origin, such as `https://example.org/`",
  }),
  stateDir: row("state DIR", path, "State folder: what the export remembers between runs; outside the document root", {
    ...ofSite,
    default: "`~/.local/state/tidemark/HOST`",
    doc: "state folder: what the export remembers between runs; it must be outside the document root",
  }),
  previous: row("previous URL", siteUrl, "Without a state, go on from what is published at this address", {
    ...ofSite,
    default: "only the state is used",
    doc: "go on from what the site itself publishes, where there is no state: see [clean builds](#clean-builds)",
  }),
  previousOptional: row(
    "previous-optional",
    flag,
    "Begin a new epoch if --previous has no publication yet, or cannot be read",
    {
      doc: "with `--previous`: begin a new epoch if nothing is published there yet, or if it cannot be read; otherwise the export fails",
    },
  ),
  include: row(
    "include GLOB",
    texts,
    "Publish only paths that match this glob; also lets out what a rule of names or types holds back (--dry-run says how)",
    {
      default: "everything",
      doc: "publish only what matches; repeatable. A pattern can also let out a file that a rule of names or types holds back, see [below](#files-that-are-held-back)",
    },
  ),
  exclude: row("exclude GLOB", texts, "Publish no paths that match this glob", {
    default: "nothing",
    doc: "publish nothing that matches, and do not read folders that match; repeatable",
  }),
  segmentSize: row(
    "segment-size N",
    wholeNumber(1, 65_536),
    "Changes in a segment: changes are cut into segments, and a segment into archives by media type",
    {
      default: "2000",
      doc: "changes in a [segment](format.md#archive-name), 1 to 65536: published changes are cut into segments, and each segment into archives by media type",
    },
  ),
  minGroup: row(
    "min-group N",
    wholeNumber(1, 65_536),
    "Changes that a media type needs in a segment to get an archive of its own",
    {
      default: "50",
      doc: "changes that a media type needs in a segment to get an archive of its own, 1 to 65536",
    },
  ),
  digest: row("digest MODE", choice("all", "changed", "none"), "Which pages get a digest: all, changed or none", {
    default: "`all`",
    doc: "which pages get a digest: `all`, `changed` (only those whose size or times changed since the last run, or while it ran), `none`",
  }),
  index: row("index NAME", texts, "Publish a folder's file of this name under the folder's own URL", {
    default: "none",
    doc: "publish a folder's file of this name under the folder's own URL, `/docs/` for `/docs/index.html`; repeatable: the first name that a folder has wins",
  }),
  cleanUrls: row("clean-urls", flag, "Publish about.html as /about, and index.html as its folder", {
    doc: "publish `about.html` as `/about`; implies `--index index.html` unless `--index` is given",
  }),
  map: row(
    "map PREFIX=FOLDER",
    folderMappings,
    "PREFIX=FOLDER: the server shows this folder below this path of the site",
    {
      default: "none",
      doc: "the server shows this folder below this path of the site, such as `/static/=/srv/static`; repeatable",
    },
  ),
  noindexPages: row("noindex-pages", flag, "Also publish pages that ask not to be indexed (meta robots noindex)", {
    doc: "also publish pages that ask not to be indexed",
  }),
  folderLinks: row(
    "folder-links WHAT",
    choice("follow", "hold"),
    "Symbolic links to folders of the site: publish the pages under both paths (follow), or under one (hold)",
    {
      default: "`follow`, with a warning",
      doc: "symbolic links to folders of the document root, such as `latest -> v2`: publish each page in them under both paths (`follow`), or only under the folder's own path (`hold`)",
    },
  ),
  ssi: row(
    "ssi MODE",
    choice("auto", "on", "off"),
    "Look for server-side includes in HTML (auto), in all text (on), or not at all (off)",
    {
      default: "`auto`",
      doc: "where to look for server-side includes: in HTML (`auto`), in all text (`on`), or nowhere, because the server does not process them (`off`)",
    },
  ),
  ignore: row(
    "ignore PATTERN",
    texts,
    "Cut this out of pages before they are compared: /regular expression/ or HTML selector",
    {
      default: "nothing",
      doc: "cut this out of pages before they are compared: `/regular expression/flags` or an HTML selector; repeatable",
    },
  ),
  // For `--significant` without a value: about a word in eighty, or one passage of a twentieth of the page.
  significant: row(
    "significant R",
    numberBetween(0, 1, 0.9),
    "Count a change of an HTML page only if the similarity of new and published text, 0 to 1, is below this",
    {
      default: "each change counts; 0.9 without a value",
      doc: "a change of an HTML page counts only if the similarity of its visible text to the published one is below R; R is above 0 and at most 1",
    },
  ),
  ioLimit: row("io-limit RATE", byteRate, "Most bytes of files to read per second, such as 500K or 20M", {
    default: "none",
    doc: "most bytes of the site's files to read per second, at least 4096; `K`, `M`, `G` are powers of 1024; each file counts as at least 4 KiB",
  }),
  sitemap: row("sitemap", flag, "Also publish sitemaps, and announce them in robots.txt", {
    doc: "also publish sitemaps below `/.well-known/tidemark/`, and announce them in `robots.txt`",
  }),
  resourceSync: row(
    "resourcesync",
    flag,
    "Also publish ResourceSync: a list of all pages, and lists of each day's changes",
    {
      doc: "also publish ResourceSync: a list of all pages, and lists of each day's changes",
    },
  ),
  changeDumps: row(
    "change-dumps",
    flag,
    "Pack the pages that changed on a day once it is over (implies --resourcesync)",
    {
      doc: "pack the pages that changed on a day into ZIP files once it is over; implies `--resourcesync`",
    },
  ),
  resourceDump: row("resource-dump", flag, "Pack all pages as they are now (implies --resourcesync)", {
    doc: "pack all pages as they are now into ZIP files; implies `--resourcesync`. The packages stay listed until the next run with this option",
  }),
  feed: row("feed", flag, "Also publish feeds of the latest changed pages: Atom and JSON Feed", {
    doc: "also publish feeds of the latest changed HTML pages, Atom and JSON Feed, below `/.well-known/tidemark/`",
  }),
  robotsDir: row("robots-dir DIR", path, "Folder of robots.txt", {
    ...ofSite,
    default: "the document root",
    doc: "folder of `robots.txt`",
  }),
  serverUser: row(
    "server-user USER",
    text,
    "Hold back what this user cannot read: the user as whom the web server runs",
    {
      default: "no user is checked",
    },
  ),
  indexNowKey: row("index-now-key KEY", text, "Key for IndexNow; its file in the document root is not published", {
    default: "the one used last, else a new one",
    doc: "key for IndexNow: 8 to 128 letters, digits and hyphens; its file `KEY.txt` is put in the document root if it is missing",
  }),
  urls: row(
    "urls FILE",
    path,
    "List of dynamically generated pages: a file (TSV, CSV, JSON lines), or - for standard input",
    {
      ...ofSite,
      default: "nothing",
      doc: "list of [dynamically generated pages](#dynamically-generated-pages); `-` is standard input",
    },
  ),
  urlsFormat: row("urls-format F", choice("tsv", "csv", "jsonl"), "Format of the list of --urls: tsv, csv or jsonl", {
    ...ofSite,
    default: "from the file's name or first line",
    doc: "format of the list of `--urls`: `tsv`, `csv` or `jsonl`",
  }),
  sitemapFrom: row("sitemap-from S", text, "Sitemap of dynamically generated pages: a URL or a file", {
    ...ofSite,
    default: "nothing",
    doc: "sitemap, or sitemap index, of dynamically generated pages: a URL or a file",
  }),
  probe: row("probe", flag, "Request listed pages without a last-modified from the server, to see which changed", {
    doc: "request listed pages without a last-modified from the server, to see which changed",
  }),
  probeBudget: row("probe-budget N", wholeNumber(0, 1_000_000_000), "With --probe, most pages to request in a run", {
    default: "1000",
    doc: "with `--probe`: most pages to request in a run; the next run continues where this one stopped",
  }),
  probeDelayMs: row(
    "probe-delay TIME",
    duration(3_600_000),
    "With --probe, time from the start of one request to the start of the next, such as 250ms or 2s",
    {
      default: "`250ms`",
      doc: "with `--probe`: time from the start of one request to the start of the next: a number and `ms`, `s`, `m`, `h` or `d`; `robots.txt` may ask for more",
    },
  ),
  probeConcurrency: row("probe-concurrency N", wholeNumber(1, 64), "With --probe, requests at the same time, 1 to 64", {
    default: "1",
  }),
  allowFewerLists: row(
    "allow-fewer-lists",
    flag,
    "Allow an export without a list that the last export had; pages of that list alone are published as deleted",
    {
      doc: "allow an export without a list that the last export had; pages that are only in that list are published as deleted",
    },
  ),
  allowEmpty: row("allow-empty", flag, "Allow an export without any page, of a site that had pages"),
};
