import type { Clock, ExportEvent } from "../core/index.ts";
import type { IncludeMode } from "./digest/include-scanner.ts";
import type { ListChoices } from "./lists/site-lists.ts";
import type { DigestMode } from "./publish/page-diff.ts";
import type { UrlMapping } from "./site-urls.ts";
import type { FolderLinks } from "./walk/walk-options.ts";

/** How a site is to be exported. */
export interface ExportSiteOptions extends ListChoices {
  /** Folder that the web server shows as the site's root. */
  readonly docroot: string;
  /** The site's origin with `/`, such as `https://example.org/`. */
  readonly baseUrl: string;
  /** Where the exporter remembers; outside the document root. Default `~/.local/state/tidemark/<host>`. */
  readonly stateDir?: string;
  /** If not empty, only files that match one of these fast-glob patterns are published. */
  readonly include?: readonly string[];
  /** Files and folders that match one of these fast-glob patterns are not published. */
  readonly exclude?: readonly string[];
  /** Changes a segment, 1 to 65536. @default 2000 */
  readonly segmentSize?: number;
  /** MIME groups of fewer changes join `other`, 1 to 65536. @default 50 */
  readonly minGroup?: number;
  /** Which pages get a digest. @default "all" */
  readonly digest?: DigestMode;
  /**
   * What does not count as a change, such as counters, build stamps and CSRF tokens: regular expressions
   * `/expression/flags`, met by the bytes of text, XML, JSON and JavaScript, and selectors of HTML elements.
   * A page in which something was found is published without a digest.
   */
  readonly ignore?: readonly string[];
  /**
   * A change of an HTML page counts only if its visible text resembles the published one less than this, more
   * than 0 and at most 1. HTML pages are published without a digest then. Default: each change counts.
   *
   * @see Edwards, McCurley and Tomlin, *An Adaptive Model for Optimizing Performance of an Incremental Web
   *   Crawler*, WWW10 2001, section 2
   */
  readonly significant?: number;
  /** Bytes of the site's files that are read a second at most; a file counts 4 KiB at least. Default no limit. */
  readonly ioLimit?: number;
  /** Publish sitemaps, and announce them in robots.txt. @default false */
  readonly sitemap?: boolean;
  /** Publish ResourceSync: what there is, and what changed by days. @default false */
  readonly resourceSync?: boolean;
  /** Pack the pages of each day's changes once it is over; implies `resourceSync`. @default false */
  readonly changeDumps?: boolean;
  /** Pack all pages as they are now; implies `resourceSync`. The packages stay listed. @default false */
  readonly resourceDump?: boolean;
  /** Names of index files, in the server's order: the first that a folder has is published as the folder's URL. Default none. */
  readonly index?: readonly string[];
  /**
   * Publish `about.html` of the document root as `/about`, not what is mapped; `index` is then `index.html` unless given.
   *
   * @default false
   */
  readonly cleanUrls?: boolean;
  /** Further folders that the server shows below a prefix of its URLs; the longest prefix wins. Default none. */
  readonly map?: readonly UrlMapping[];
  /**
   * Publish pages that ask not to be indexed by `<meta name="robots" content="noindex">`.
   *
   * @default false
   */
  readonly noindexPages?: boolean;
  /** Folder where robots.txt lives. Default the document root. */
  readonly robotsDir?: string;
  /**
   * In which files server-side includes are looked for: `auto` in HTML, `on` in all text, `off` in none because the
   * server does not process them. A page with includes is published without size and digest, and changes with the
   * files that it includes. Needs the digests of all pages.
   *
   * @default "auto"
   */
  readonly ssi?: IncludeMode;
  /**
   * What becomes of links to folders inside the document root, under which each page is published once more: `follow`
   * publishes both, `hold` only the folder's own. Default: both, with a warning.
   */
  readonly folderLinks?: FolderLinks;
  /** User as whom the web server reads files; what it may not read is not published. */
  readonly serverUser?: string;
  /** Key of IndexNow; the file of its name is no page, nor are those of keys that were used before. */
  readonly indexNowKey?: string;
  /** Compare and report, and write nothing. @default false */
  readonly dryRun?: boolean;
  /** Whether a site that had pages may come to have none. @default false */
  readonly allowEmpty?: boolean;
  /**
   * Whether `urls` or `sitemapFrom` may be left out although the last export had it: the pages that stand only there
   * are deleted then. @default false
   */
  readonly allowFewerLists?: boolean;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Stops the export; nothing is published then. */
  readonly signal?: AbortSignal;
  /** Is told what happens, while it happens. */
  readonly onEvent?: (event: ExportEvent) => void;
}
