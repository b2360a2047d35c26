import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type ExportEvent,
  type ExportSummary,
  excerpt,
  parseUrl,
  shortenPath,
  TidemarkError,
} from "../../core/index.ts";
import { readLinks } from "../../formats/html/index.ts";
import { decodePathSegment, servedFormOf } from "../../formats/url/index.ts";
import { checkFolder, parseBaseUrl } from "../export-checks.ts";
import type { ExportSettings } from "../export-settings.ts";
import { exportSite } from "../export-site.ts";
import { adviseOnNames, CanonicalNames, type NameFinding, otherUrlsCode } from "../naming/canonical-names.ts";
import { headBytes, readHead } from "../naming/name-check.ts";
import { PathSample } from "../naming/path-sample.ts";
import { fileOf } from "../site-sources.ts";
import { defaultStateDir, findStateDir } from "../state-folder.ts";
import { findReaderIdentity } from "../walk/reader-identity.ts";
import { checkServer, type MappedLink, type ServerCheck, type ServerFinding, type ShortLink } from "./server-check.ts";

const sampleSize = 16;
/** Number of pages whose links are examined, and bytes of each. */
const linkingPages = 128;
const linkedBytes = 512 * 1024;
/** Forms of links and folders beside the document root, at most. */
const mostForms = 32;

/** What is known about a site before it has a configuration. */
export interface ProposeSiteOptions {
  readonly docroot: string;
  /** Default: from robots.txt or the home page, else the server's address. */
  readonly baseUrl?: string;
  /** Where the server answers now, if not at the base URL. */
  readonly serverUrl?: string;
  /** State folder of the exports that publish the site already. Default: where exports keep it, or the unit of systemd. */
  readonly stateDir?: string;
  readonly signal?: AbortSignal;
  /** Called with the events of the dry run. */
  readonly onEvent?: (event: ExportEvent) => void;
}

/** Proposed settings and the reasons for them. Plain JSON. */
export interface SiteProposal {
  readonly settings: Pick<
    ExportSettings,
    "baseUrl" | "docroot" | "stateDir" | "serverUser" | "exclude" | "index" | "cleanUrls" | "map" | "ssi"
  >;
  /** Source of the base URL. */
  readonly baseUrlFrom: "option" | "robots.txt" | "home page" | "server";
  /** What an export with these settings would do; its pages are identified by their file names. */
  readonly summary: ExportSummary;
  /** Results of the checks of the server; empty if it was not checked. */
  readonly findings: readonly ServerFinding[];
}

/** Users that web servers run as, by distribution. */
const serverUsers = ["www-data", "nginx", "apache", "http", "caddy"] as const;

/** Pages of a dry run, chosen at random. */
class PageSamples {
  readonly sample = new PathSample(sampleSize);
  readonly linking = new PathSample(linkingPages);
  readonly including = new PathSample(sampleSize);

  take(event: ExportEvent): void {
    if (event.event !== "page" || event.change === "deleted") return;
    this.sample.add(event.path);
    if (event.mediaType === "text/html") this.linking.add(event.path);
    if (event.hasIncludes === true) this.including.add(event.path);
  }
}

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
  const stateDir = resolve(options.stateDir ?? findStateDir(baseUrl));
  const serverUser = serverUsers.find(isUser);
  // What static hosts show for missing pages.
  const exclude = ["404.html", "404/index.html"].filter((path) => isFile(fileOf(docroot, `/${path}`)));
  const found = {
    baseUrl,
    docroot,
    ...(stateDir === defaultStateDir(baseUrl) ? {} : { stateDir }),
    ...(serverUser === undefined ? {} : { serverUser }),
    ...(exclude.length === 0 ? {} : { exclude }),
  };
  let pages = new PageSamples();
  let isElsewhere = false;
  const attempt = { ...found, dryRun: true, ...(signal === undefined ? {} : { signal }) };
  const summary = await exportSite({
    ...attempt,
    onEvent: (event) => {
      pages.take(event);
      const code = event.event === "warning" ? event.code : undefined;
      isElsewhere ||= code === "state-missing" || code === "published-by-another";
      // Both are findings here, with the settings that follow from them.
      if (code !== otherUrlsCode && code !== "state-missing" && code !== "published-by-another") onEvent?.(event);
    },
  });
  if (summary.unchanged > 0) {
    // Pages that did not change are in no event, unless there is no state.
    pages = new PageSamples();
    await exportSite({ ...attempt, stateDir: join(stateDir, "none"), onEvent: (event) => pages.take(event) });
  }
  const { sample, linking, including } = pages;
  // The address was a guess: the user did not name this server.
  const isAsked = options.serverUrl !== undefined || options.baseUrl !== undefined;
  const serverUrl = options.serverUrl ?? baseUrl;
  const names = await readPageNames(docroot, baseUrl, linking.paths);
  const { shortLinks, maps } = names;
  const asked = {
    paths: sample.paths,
    including: including.paths,
    shortLinks: [...shortLinks, ...sampleForms(linking.paths, shortLinks)],
    maps,
  };
  const check: ServerCheck = isAsked
    ? await checkServer({ baseUrl, serverUrl, docroot, robotsDir: docroot, ...asked, signal })
    : {
        findings: maps.map(describeUnaskedMap),
        processesIncludes: undefined,
        answered: shortLinks,
        maps: [],
        isThere: false,
      };
  // A server that is not there yet contradicts nobody.
  const answered = check.isThere ? check.answered : shortLinks;
  const settings = {
    ...found,
    ...settingsOf(answered),
    ...(check.maps.length === 0 ? {} : { map: check.maps.map(({ urlPrefix, folder }) => ({ urlPrefix, folder })) }),
    ...(check.processesIncludes === false ? { ssi: "off" as const } : {}),
  };
  const described = [
    ...(isElsewhere ? [describeState(stateDir)] : []),
    ...answered.map(describeAnswered),
    ...check.maps.map(describeMap),
    ...exclude.map(describeExcluded),
  ];
  const findings = [...check.findings, ...described, ...names.findings];
  return { settings, baseUrlFrom: from, summary, findings };
}

function describeState(stateDir: string): ServerFinding {
  const message = `The site is published already, and the state of the export that does is not in ${stateDir}: name its folder with --state. Otherwise a new epoch begins, and crawlers read the whole list once.`;
  return { isFine: false, message };
}

function settingsOf(links: readonly ShortLink[]): Pick<ExportSettings, "index" | "cleanUrls"> {
  const names = links.flatMap(({ form }) => (form.kind === "index" ? [form.name] : []));
  const isClean = links.some(({ form }) => form.kind === "clean");
  // A server that omits .html omits index.html as well.
  const isSaid = names.length > 0 && !(isClean && names.join() === "index.html");
  return { ...(isSaid ? { index: names } : {}), ...(isClean ? { cleanUrls: true } : {}) };
}

function describeAnswered({ path, form, from }: ShortLink): ServerFinding {
  const option = form.kind === "index" ? `--index ${form.name}` : "--clean-urls";
  const [link, file] = [path, form.file].map((one) => excerpt(shortenPath(one, 80)));
  const what = {
    links: `Pages link to ${link} and mean ${file}`,
    canonical: `Pages call themselves as ${link} does (rel=canonical), which is the file ${file}`,
    server: `The server shows ${file} only as ${link}`,
  }[from];
  return { isFine: true, message: `${what}: ${option}, so that crawlers know it by that URL.` };
}

function describeExcluded(path: string): ServerFinding {
  const message = `${path} is what static hosts show for missing pages: --exclude ${path}, so that it is no page of the site.`;
  return { isFine: true, message };
}

function describeMap({ urlPrefix, folder, path }: MappedLink): ServerFinding {
  const message = `Pages link to ${excerpt(shortenPath(path, 80))}, which the server shows from ${folder}: --map ${urlPrefix}=${folder}.`;
  return { isFine: true, message };
}

function describeUnaskedMap({ urlPrefix, folder, path }: MappedLink): ServerFinding {
  const message = `Pages link to ${excerpt(shortenPath(path, 80))}, and ${folder} has such a file: if the server shows it, --map ${urlPrefix}=${folder}.`;
  return { isFine: false, message };
}

/** What pages say of the names of the site's files. */
interface PageNames {
  /** One of each form and name. */
  readonly shortLinks: readonly ShortLink[];
  /** Links whose files are in a folder beside the document root. */
  readonly maps: readonly MappedLink[];
  /** What no setting follows from. */
  readonly findings: readonly ServerFinding[];
}

/** Searches some pages for URLs that refer to a file of another name: canonical ones, else those of links. */
async function readPageNames(docroot: string, baseUrl: string, paths: readonly string[]): Promise<PageNames> {
  const names = new CanonicalNames(baseUrl);
  const found = new Map<string, ShortLink>();
  const maps = new Map<string, MappedLink>();
  for (const path of paths) {
    const page = await readHead(fileOf(docroot, path), linkedBytes);
    names.add(path, page.subarray(0, headBytes));
    for (const { url } of readLinks(page, undefined, new URL(path, baseUrl).href).links) {
      const { origin, pathname } = new URL(url);
      if (`${origin}/` !== baseUrl || found.size + maps.size >= mostForms) continue;
      const form = servedFormOf(pathname, (one) => isFile(fileOf(docroot, one)));
      const key = form?.kind === "index" ? form.name : form?.kind;
      if (form !== undefined && key !== undefined && !found.has(key))
        found.set(key, { path: pathname, form, from: "links" });
      else if (form === undefined) noteMap(maps, docroot, pathname);
    }
  }
  const findings: ServerFinding[] = [];
  for (const finding of names.findings) {
    const { difference, example } = finding;
    const { pathname } = new URL(example.canonical);
    const file = example.path;
    if (difference.kind === "index")
      found.set(difference.name, { path: pathname, form: { ...difference, file }, from: "canonical" });
    else if (difference.kind === "clean")
      found.set("clean", { path: pathname, form: { ...difference, file }, from: "canonical" });
    else findings.push(describeDifference(finding));
  }
  // Pages that call themselves by their files' names want to be known by them.
  const links = [...found.values()].filter(({ form, from }) => from === "canonical" || !names.agreesWith(form.kind));
  return { shortLinks: links, maps: [...maps.values()], findings };
}

function describeDifference(finding: NameFinding): ServerFinding {
  const { differing, agreeing, example } = finding;
  const [own, path] = [example.canonical, example.path].map((one) => excerpt(shortenPath(one, 80)));
  const counts = `${differing} of ${differing + agreeing} sampled pages`;
  const message = `${counts} call themselves as ${own} does (rel=canonical), which is the file ${path}: ${adviseOnNames(finding)}.`;
  return { isFine: false, message };
}

/** Notes a link to a file that is not below the document root, but in a folder of that name beside it. */
function noteMap(maps: Map<string, MappedLink>, docroot: string, path: string): void {
  const name = decodePathSegment(path.split("/")[1] ?? "");
  if (maps.has(name) || !/^[A-Za-z0-9][\w-]*$/.test(name) || path.endsWith("/")) return;
  const folder = join(dirname(docroot), name);
  if (folder === docroot || existsSync(join(docroot, name)) || !isFile(fileOf(dirname(docroot), path))) return;
  maps.set(name, { urlPrefix: `/${name}/`, folder, path });
}

/** A page of each form whose short URL the server is asked for, although no page names it. */
function sampleForms(paths: readonly string[], known: readonly ShortLink[]): ShortLink[] {
  const isKnown = (kind: ShortLink["form"]["kind"]) => known.some(({ form }) => form.kind === kind);
  const name = "index.html";
  const index =
    paths.find((path) => path.endsWith(`/${name}`) && path !== `/${name}`) ?? paths.find((path) => path === `/${name}`);
  const page = paths.find((path) => path.endsWith(".html") && !path.endsWith(`/${name}`));
  const links: ShortLink[] = [];
  if (index !== undefined && !isKnown("index"))
    links.push({ path: index.slice(0, -name.length), form: { kind: "index", name, file: index }, from: "server" });
  if (page !== undefined && !isKnown("clean"))
    links.push({ path: page.slice(0, -".html".length), form: { kind: "clean", file: page }, from: "server" });
  return links;
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
