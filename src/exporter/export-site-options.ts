import type { Clock, ExportEvent } from "../core/index.ts";
import type { IncludeMode } from "./digest/page-scanner.ts";
import type { ListChoices } from "./lists/site-lists.ts";
import type { DigestMode } from "./publish/page-diff.ts";
import type { UrlMapping } from "./site-urls.ts";
import type { FolderLinks } from "./walk/walk-options.ts";

/** Options of an export. */
export interface ExportSiteOptions extends ListChoices {
  /** Document root of the web server. */
  readonly docroot: string;
  /** The site's origin with `/`, such as `https://example.org/`. */
  readonly baseUrl: string;
  /** State folder; outside the document root. Default `~/.local/state/tidemark/<host>`. */
  readonly stateDir?: string;
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
