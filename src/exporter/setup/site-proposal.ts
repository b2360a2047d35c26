import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import {
  type ExportEvent,
  type ExportSummary,
  excerpt,
  parseUrl,
  shortenPath,
  TidemarkError,
} from "../../core/index.ts";
import { readLinks } from "../../formats/html/index.ts";
import { servedFormOf } from "../../formats/url/index.ts";
import { checkFolder, parseBaseUrl } from "../export-checks.ts";
import type { ExportSettings } from "../export-settings.ts";
import { exportSite } from "../export-site.ts";
import { fileOf } from "../site-sources.ts";
import { findReaderIdentity } from "../walk/reader-identity.ts";
import { checkServer, type ServerCheck, type ServerFinding, type ShortLink } from "./server-check.ts";

const sampleSize = 16;
const headBytes = 64 * 1024;
/** Number of pages whose links are examined, and bytes of each. */
const linkingPages = 64;
const linkedBytes = 512 * 1024;

/** What is known about a site before it has a configuration. */
export interface ProposeSiteOptions {
  readonly docroot: string;
  /** Default: from robots.txt or the home page, else the server's address. */
  readonly baseUrl?: string;
  /** Where the server answers now, if not at the base URL. */
  readonly serverUrl?: string;
  readonly signal?: AbortSignal;
  /** Called with the events of the dry run. */
  readonly onEvent?: (event: ExportEvent) => void;
}

/** Proposed settings and the reasons for them. Plain JSON. */
export interface SiteProposal {
  readonly settings: Pick<ExportSettings, "baseUrl" | "docroot" | "serverUser" | "index" | "cleanUrls" | "ssi">;
  /** Source of the base URL. */
  readonly baseUrlFrom: "option" | "robots.txt" | "home page" | "server";
  /** What an export with these settings would do; its pages are identified by their file names. */
  readonly summary: ExportSummary;
  /** Results of the checks of the server; empty if it was not checked. */
  readonly findings: readonly ServerFinding[];
}

/** Users that web servers run as, by distribution. */
const serverUsers = ["www-data", "nginx", "apache", "http", "caddy"] as const;

/**
 * Proposes settings for a document root: examines it, checks the running server, if any, and tries an export. Writes
 * nothing.
 *
 * @throws TidemarkError `bad-option` if the site's address cannot be found; errors of the dry run
 */
export async function proposeSite(options: ProposeSiteOptions): Promise<SiteProposal> {
  const docroot = checkFolder(options.docroot, "document root");
  const { onEvent, signal } = options;
  const { baseUrl, from } = await findBaseUrl(options, docroot);
  const serverUser = serverUsers.find(isUser);
  const found = { baseUrl, docroot, ...(serverUser === undefined ? {} : { serverUser }) };
  const sample = new PathSample(sampleSize);
  const linking = new PathSample(linkingPages);
  const including = new PathSample(sampleSize);
  const summary = await exportSite({
    ...found,
    dryRun: true,
    ...(signal === undefined ? {} : { signal }),
    onEvent: (event) => {
      if (event.event === "page" && event.change !== "deleted") {
        sample.add(event.path);
        if (event.mediaType === "text/html") linking.add(event.path);
        if (event.hasIncludes === true) including.add(event.path);
      }
      onEvent?.(event);
    },
  });
  // The address was a guess: the user did not name this server.
  const isAsked = options.serverUrl !== undefined || options.baseUrl !== undefined;
  const serverUrl = options.serverUrl ?? baseUrl;
  const shortLinks = await findShortLinks(docroot, baseUrl, linking.paths);
  const asked = { paths: sample.paths, including: including.paths, shortLinks };
  const check: ServerCheck = isAsked
    ? await checkServer({ baseUrl, serverUrl, docroot, robotsDir: docroot, ...asked, signal })
    : { findings: [], processesIncludes: undefined, answered: shortLinks };
  const settings = {
    ...found,
    ...settingsOf(check.answered),
    ...(check.processesIncludes === false ? { ssi: "off" as const } : {}),
  };
  const findings = [...check.findings, ...check.answered.map(describeAnswered)];
  return { settings, baseUrlFrom: from, summary, findings };
}

function settingsOf(links: readonly ShortLink[]): Pick<ExportSettings, "index" | "cleanUrls"> {
  const names = links.flatMap(({ form }) => (form.kind === "index" ? [form.name] : []));
  const isClean = links.some(({ form }) => form.kind === "clean");
  // A server that omits .html omits index.html as well.
  const isSaid = names.length > 0 && !(isClean && names.join() === "index.html");
  return { ...(isSaid ? { index: names } : {}), ...(isClean ? { cleanUrls: true } : {}) };
}

function describeAnswered({ path, form }: ShortLink): ServerFinding {
  const option = form.kind === "index" ? `--index ${form.name}` : "--clean-urls";
  const [link, file] = [path, form.file].map((one) => excerpt(shortenPath(one, 80)));
  return {
    isFine: true,
    message: `Pages link to ${link} and mean ${file}: ${option}, so that crawlers know it by that URL.`,
  };
}

/** Searches some pages for links whose URL refers to a file of another name: one of each form and name. */
async function findShortLinks(docroot: string, baseUrl: string, paths: readonly string[]): Promise<ShortLink[]> {
  const found = new Map<string, ShortLink>();
  for (const path of paths) {
    const { links } = readLinks(
      await readHead(fileOf(docroot, path), linkedBytes),
      undefined,
      new URL(path, baseUrl).href,
    );
    for (const { url } of links) {
      const { origin, pathname } = new URL(url);
      if (`${origin}/` !== baseUrl) continue;
      const form = servedFormOf(pathname, (one) => isFile(fileOf(docroot, one)));
      if (form === undefined) continue;
      const key = form.kind === "index" ? form.name : form.kind;
      if (!found.has(key)) found.set(key, { path: pathname, form });
    }
  }
  return [...found.values()];
}

function isFile(file: Buffer): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isUser(name: string): boolean {
  try {
    return findReaderIdentity(name) !== undefined;
  } catch {
    return false;
  }
}

async function findBaseUrl(
  { baseUrl, serverUrl }: ProposeSiteOptions,
  docroot: string,
): Promise<{ baseUrl: string; from: SiteProposal["baseUrlFrom"] }> {
  if (baseUrl !== undefined) return { baseUrl: parseBaseUrl(baseUrl), from: "option" };
  const robotsTxt = await readHead(join(docroot, "robots.txt"));
  const robots = findOrigin(robotsTxt.toString(), /^[ \t]*sitemap[ \t]*:[ \t]*(\S{1,2048})/im);
  if (robots !== undefined) return { baseUrl: robots, from: "robots.txt" };
  const home = (await readHead(join(docroot, "index.html"))).toString();
  const link = /<link\b[^>]{0,500}?\brel=["']?canonical["']?[^>]{0,500}>/i.exec(home)?.[0] ?? "";
  const canonical = findOrigin(link, /\bhref=["']?([^"'\s>]{1,2048})/i);
  if (canonical !== undefined) return { baseUrl: canonical, from: "home page" };
  if (serverUrl !== undefined) return { baseUrl: parseBaseUrl(serverUrl), from: "server" };
  throw new TidemarkError("bad-option", `Nothing in ${docroot} says where the site is on the web.`, {
    hint: "Say it with --base-url, such as --base-url https://example.org/",
  });
}

function findOrigin(text: string, form: RegExp): string | undefined {
  const found = form.exec(text)?.[1];
  const url = found === undefined || !/^https?:/i.test(found) ? undefined : parseUrl(found);
  return url === undefined ? undefined : `${url.origin}/`;
}

/** The beginning of a file; empty if it is unreadable. */
async function readHead(file: string | Buffer, bytes: number = headBytes): Promise<Buffer> {
  try {
    await using handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return Buffer.alloc(0);
  }
}

/** A sample of many paths, evenly spread over their sequence, deterministic and small in memory. */
export class PathSample {
  readonly #size: number;
  #kept: string[] = [];
  #stride = 1;
  #count = 0;

  /** @param size - number of paths, 1 or more */
  constructor(size: number) {
    this.#size = size;
  }

  /** Offers a path. */
  add(path: string): void {
    if (this.#count % this.#stride === 0) this.#kept.push(path);
    this.#count += 1;
    if (this.#kept.length < 2 * this.#size) return;
    this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }

  /** At most `size` paths; all, if no more were offered. */
  get paths(): readonly string[] {
    const { length } = this.#kept;
    if (length <= this.#size) return this.#kept;
    return Array.from({ length: this.#size }, (_, at) => this.#kept[Math.floor((at * length) / this.#size)] ?? "");
  }
}
