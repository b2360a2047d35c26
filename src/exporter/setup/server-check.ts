import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { excerpt, type FetchOutcome, isSiteInTrouble, shortenPath } from "../../core/index.ts";
import { indexFileName, publishedFolder } from "../../formats/archive/index.ts";
import type { ServedForm } from "../../formats/url/index.ts";
import { createFetcher, type Fetcher } from "../../http/index.ts";
import { findIncludes } from "../digest/page-scanner.ts";
import { fileOf, readPage } from "../site-sources.ts";

/** Largest file that is compared, in bytes. */
const maxComparedBytes = 4 * 1024 * 1024;
const timeoutMs = 10_000;
const examplesTold = 3;

/** One check of a server. */
export interface ServerFinding {
  readonly isFine: boolean;
  readonly message: string;
}

/** A link of the site and the file it refers to. */
export interface ShortLink {
  readonly path: string;
  readonly form: ServedForm;
  /** What says that it is a URL of this file; `server`: nothing but perhaps its answer. */
  readonly from: "links" | "canonical" | "server";
}

/** A link of the site to a file in a folder beside the document root. */
export interface MappedLink {
  readonly urlPrefix: string;
  readonly folder: string;
  readonly path: string;
}

/** Result of checking a server. */
export interface ServerCheck {
  readonly findings: readonly ServerFinding[];
  /** Whether it processes server-side includes; undefined if no page shows it. */
  readonly processesIncludes: boolean | undefined;
  /** The links that it serves with their files. */
  readonly answered: readonly ShortLink[];
  /** Folders beside the document root that it serves. */
  readonly maps: readonly MappedLink[];
  /** Whether there is a server. */
  readonly isThere: boolean;
}

/** Which server to check, and with which pages. */
export interface ServerCheckOptions {
  /** The site's origin, sent in the field Host. */
  readonly baseUrl: string;
  /** Origin at which the server answers. */
  readonly serverUrl: string;
  readonly docroot: string;
  readonly robotsDir: string;
  /** URL paths of pages that are files of the document root. */
  readonly paths: readonly string[];
  /** The same for pages with server-side includes. */
  readonly including: readonly string[];
  readonly shortLinks: readonly ShortLink[];
  readonly maps: readonly MappedLink[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Checks a server with one request after another: whether it serves these files at this address, whether its robots.txt
 * is the one that will be written, whether it serves `/.well-known/`, processes includes, and serves files under
 * shorter URLs.
 */
export async function checkServer(options: ServerCheckOptions): Promise<ServerCheck> {
  await using fetcher = createFetcher({ connectTimeoutMs: 5000, allowedPrivateOrigins: [options.serverUrl] });
  const get = (path: string): Promise<FetchOutcome> => ask(fetcher, options, path);
  const home = await get("/");
  const server = new URL(options.serverUrl).origin;
  if (home.kind === "failed" && isSiteInTrouble(home)) {
    options.signal?.throwIfAborted();
    const message = `${server} does not answer (${home.message}); nothing was compared.`;
    return {
      findings: [{ isFine: false, message }],
      processesIncludes: undefined,
      answered: [],
      maps: [],
      isThere: false,
    };
  }
  const findings = [await checkPages(options, get), await checkRobots(options, get), await checkWellKnown(get)];
  const processesIncludes = await checkIncludes(options, get);
  if (processesIncludes !== undefined) findings.push(describeIncludes(processesIncludes));
  const answered: ShortLink[] = [];
  for (const link of options.shortLinks) {
    const file = await readFileOf(options.docroot, link.form.file);
    const difference = file === undefined ? undefined : compare(await get(link.path), file);
    if (link.from === "server") {
      // Most servers show both; which of them is a page's URL, its answer to the long one says.
      if (file !== undefined && difference === undefined && (await isShortened(link, file, get))) answered.push(link);
    } else if (difference === undefined) answered.push(link);
    else findings.push(describeShortLink(link, difference));
  }
  const maps: MappedLink[] = [];
  for (const link of options.maps) {
    const file = await readFileOf(dirname(link.folder), link.path);
    if (file !== undefined && compare(await get(link.path), file) === undefined) maps.push(link);
  }
  if (home.kind === "failed" && home.reason === "redirect-elsewhere") {
    const message = `${server}/ leads elsewhere (${home.message}): is ${options.baseUrl} the address that visitors end at?`;
    findings.unshift({ isFine: false, message });
  }
  options.signal?.throwIfAborted();
  return { findings, processesIncludes, answered, maps, isThere: true };
}

/** Whether a file cannot be had by its own name: the server redirects, or has nothing there. */
async function isShortened({ form }: ShortLink, file: Uint8Array, get: Get): Promise<boolean> {
  const outcome = await get(form.file);
  const isRedirect = outcome.kind === "failed" && outcome.reason.startsWith("redirect");
  return (isRedirect || outcome.kind === "gone") && compare(outcome, file) !== undefined;
}

async function ask(fetcher: Fetcher, options: ServerCheckOptions, path: string): Promise<FetchOutcome> {
  const { serverUrl, baseUrl, signal } = options;
  return await fetcher.get({
    origin: new URL(serverUrl).origin,
    path,
    maxBytes: maxComparedBytes,
    timeoutMs,
    headers: { host: new URL(baseUrl).host },
    ...(signal === undefined ? {} : { signal }),
  });
}

type Get = (path: string) => Promise<FetchOutcome>;

async function checkPages({ docroot, paths }: ServerCheckOptions, get: Get): Promise<ServerFinding> {
  const different: string[] = [];
  let compared = 0;
  for (const path of paths) {
    const file = await readFileOf(docroot, path);
    // The served version of a page with includes differs from its file.
    if (file === undefined || findIncludes(file) !== undefined) continue;
    compared += 1;
    const difference = compare(await get(path), file);
    if (difference !== undefined) different.push(`${excerpt(shortenPath(path, 80)).slice(1, -1)} ${difference}`);
  }
  if (compared === 0) {
    const why =
      paths.length === 0 ? "an export would publish none" : "all that were chosen have includes or are too large";
    return { isFine: paths.length > 0, message: `No page was compared: ${why}.` };
  }
  const equal = compared - different.length;
  const message = `${equal} of ${compared} sampled pages are served with the bytes of their files`;
  if (different.length === 0) return { isFine: true, message: `${message}.` };
  const shown = different.slice(0, examplesTold).join("; ");
  const advice = equal === 0 ? " Is it this document root, and this address?" : "";
  return { isFine: false, message: `${message}: ${shown}.${advice}` };
}

async function checkIncludes({ docroot, including }: ServerCheckOptions, get: Get): Promise<boolean | undefined> {
  for (const path of including) {
    const [file, outcome] = [await readFileOf(docroot, path), await get(path)];
    if (file === undefined || outcome.kind !== "fetched") continue;
    const isAsItLies = Buffer.compare(outcome.body, file) === 0;
    if (isAsItLies || findIncludes(Buffer.from(outcome.body)) === undefined) return !isAsItLies;
  }
  return undefined;
}

function describeIncludes(processesIncludes: boolean): ServerFinding {
  const message = processesIncludes
    ? "The server processes includes: such pages are published without size and digest, and change with what they include."
    : "Some files look as if they had server-side includes, but the server does not process them: --ssi off.";
  return { isFine: true, message };
}

function describeShortLink({ path, form }: ShortLink, difference: string): ServerFinding {
  const [link, file] = [path, form.file].map((one) => excerpt(shortenPath(one, 80)));
  const message = `Pages link to ${link}, and there is ${file}; but what the server answers ${difference}.`;
  return { isFine: false, message };
}

/** A page's file; undefined if it is missing or too large to compare. */
async function readFileOf(docroot: string, path: string): Promise<Buffer | undefined> {
  return await readPage([fileOf(docroot, path.endsWith("/") ? `${path}index.html` : path)], maxComparedBytes);
}

function compare(outcome: FetchOutcome, file: Uint8Array): string | undefined {
  if (outcome.kind === "failed") return `cannot be fetched (${outcome.message})`;
  if (outcome.kind !== "fetched") return `is answered with ${outcome.status}`;
  if (outcome.body.length !== file.length) return `has ${outcome.body.length} bytes instead of ${file.length}`;
  return Buffer.compare(outcome.body, file) === 0 ? undefined : "has different bytes of the same length";
}

async function checkRobots({ robotsDir }: ServerCheckOptions, get: Get): Promise<ServerFinding> {
  const file = await readFile(join(robotsDir, "robots.txt")).catch(() => undefined);
  const outcome = await get("/robots.txt");
  if (file === undefined && outcome.kind === "gone") {
    return { isFine: true, message: "There is no robots.txt; the export creates one." };
  }
  if (file !== undefined && compare(outcome, file) === undefined) {
    return { isFine: true, message: "robots.txt is served unchanged; the export adds a block to it." };
  }
  const found = outcome.kind === "failed" ? outcome.message : `status ${outcome.status}`;
  const what = file === undefined ? "is not in the document root" : "differs from the one in the document root";
  const message = `What is served as /robots.txt (${found}) ${what}: name its folder with --robots-dir.`;
  return { isFine: false, message };
}

async function checkWellKnown(get: Get): Promise<ServerFinding> {
  const path = publishedFolder + indexFileName;
  const outcome = await get(path);
  if (outcome.kind === "gone" || outcome.kind === "fetched") {
    const state = outcome.kind === "gone" ? "where nothing is yet" : "where an index is";
    return { isFine: true, message: `The server answers below ${publishedFolder}, ${state}.` };
  }
  const answer = outcome.kind === "failed" ? outcome.message : `status ${outcome.status}`;
  const message = `The server does not let ${path} be read (${answer}): allow /.well-known/, as for certificates.`;
  return { isFine: false, message };
}
