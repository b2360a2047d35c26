import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { TidemarkError, type WithholdRule } from "../core/index.ts";
import { publishedFolder } from "../formats/archive/index.ts";
import { resourceSyncPath } from "../formats/resourcesync/index.ts";
import { parseRobots, robotsAllow } from "../formats/robots/index.ts";
import { decodePathSegment, encodePathSegment, isCanonicalPath } from "../formats/url/index.ts";
import { checkFolder, parseBaseUrl } from "./export-checks.ts";
import type { ExportSiteOptions, UrlMapping } from "./export-settings.ts";
import { readRobotsFile } from "./publish/published-files.ts";
import type { StandardsChoice } from "./standards/standards-run.ts";
import { defaultStateDir, indexNowFolderIn } from "./state-folder.ts";
import { compileGlobs, type GlobFilter } from "./walk/glob-filter.ts";
import { findReaderIdentity, type ReaderIdentity } from "./walk/reader-identity.ts";
import type { ServedNameRules } from "./walk/served-names.ts";

/** A mapping whose prefix is encoded like page paths. */
export interface MappedRoot {
  readonly prefix: string;
  readonly folder: string;
}

/** How file names map to URLs, where they are not equal. */
export interface SiteUrls {
  readonly servedNames: ServedNameRules | undefined;
  readonly mappings: readonly MappedRoot[];
}

/** The folders of a site and the rules for what may be published from them. */
export interface SiteRules {
  readonly docroot: string;
  readonly robotsDir: string;
  readonly globs: GlobFilter;
  readonly reader: ReaderIdentity;
  readonly judgePath: (path: string) => WithholdRule | undefined;
  /** Undefined if URLs equal file names. */
  readonly servedNames: ServedNameRules | undefined;
  /** What is mapped into the document root. */
  readonly roots: readonly MappedRoot[];
}

/** Our own has a few hundred bytes. */
const maxDescriptionBytes = 65_536;

/**
 * Reads the rules of a site.
 *
 * @param robots - what robots.txt holds, if it was read already
 * @throws TidemarkError `bad-option`, `not-found`, `not-a-folder`, `robots-unreadable`
 */
export async function readSiteRules(options: ExportSiteOptions, robots?: Uint8Array): Promise<SiteRules> {
  const docroot = checkFolder(options.docroot, "document root");
  const robotsDir = options.robotsDir === undefined ? docroot : checkFolder(options.robotsDir, "folder of robots.txt");
  const { servedNames, mappings } = planSiteUrls(options);
  return {
    servedNames,
    roots: mappings.map(({ prefix, folder }) => ({
      prefix,
      folder: checkFolder(folder, `folder of --map ${prefix}`),
    })),
    docroot,
    robotsDir,
    globs: await compileGlobs(options.include ?? [], options.exclude ?? []),
    reader: findReaderIdentity(options.serverUser),
    judgePath: compileOwnRules(
      robots ?? (await readRobotsFile(robotsDir)),
      await readOwnKeyPaths(options),
      chooseStandards(options).resourceSync || (await hasOwnDescription(docroot)),
    ),
  };
}

/** The state folder of a site. */
export function stateDirOf({ stateDir, baseUrl }: ExportSiteOptions): string {
  return resolve(stateDir ?? defaultStateDir(parseBaseUrl(baseUrl)));
}

/** The additional standards by which a site is published. */
export function chooseStandards(options: ExportSiteOptions): StandardsChoice {
  const { sitemap = false, changeDumps = false, resourceDump = false } = options;
  const resourceSync = (options.resourceSync ?? false) || changeDumps || resourceDump;
  return { sitemap, resourceSync, changeDumps, resourceDump };
}

/** IndexNow key files are not pages. */
async function readOwnKeyPaths(options: ExportSiteOptions): Promise<string[]> {
  const folder = indexNowFolderIn(stateDirOf(options));
  if (options.indexNowKey === undefined && !existsSync(folder)) return [];
  // Few sites use it.
  const { readKeyPaths } = await import("./site-key.ts");
  return readKeyPaths(folder, options.indexNowKey);
}

/** Whether the ResourceSync source description is from an earlier run, or names what it published. */
async function hasOwnDescription(docroot: string): Promise<boolean> {
  const file = join(docroot, resourceSyncPath);
  try {
    const { size } = await stat(file);
    // `size` is 0 for anything but a regular file.
    if (size === 0 || size > maxDescriptionBytes) return false;
    return (await readFile(file, "utf8")).includes(`${publishedFolder}capabilitylist.xml`);
  } catch {
    return false;
  }
}

/** Our own files are not pages, and what robots.txt disallows for everyone is not announced. */
function compileOwnRules(
  content: Uint8Array,
  keyPaths: readonly string[],
  ownsDescription: boolean,
): (path: string) => WithholdRule | undefined {
  const robots = parseRobots(content);
  return (path) => {
    if (path === "/robots.txt" || path.startsWith(publishedFolder)) return "own-output";
    // Few sites have one, and none has many.
    for (const own of keyPaths) if (path === own) return "own-output";
    if (ownsDescription && path === resourceSyncPath) return "own-output";
    // A file without Disallow need not be asked two hundred thousand times.
    return robots.hasDisallow && !robotsAllow(robots, "*", path) ? "robots-disallow" : undefined;
  };
}

/**
 * Validates how files map to URLs.
 *
 * @throws TidemarkError `bad-option`
 */
export function planSiteUrls(options: {
  readonly index?: readonly string[];
  readonly cleanUrls?: boolean;
  readonly map?: readonly UrlMapping[];
}): SiteUrls {
  const { cleanUrls = false, map = [] } = options;
  const index = options.index ?? [];
  // A server that omits .html omits index.html as well.
  const indexNames = index.length === 0 && cleanUrls ? ["index.html"] : index;
  for (const name of indexNames) {
    if (name !== "" && !/[/\0]/.test(name) && name !== "." && name !== "..") continue;
    throw new TidemarkError("bad-option", `--index needs the name of a file, not ${JSON.stringify(name)}.`, {
      hint: "For instance --index index.html; give it again for each further name.",
    });
  }
  const mappings = map.map(planMapping);
  const prefixes = mappings.map(({ prefix }) => prefix);
  const twice = prefixes.find((prefix, at) => prefixes.indexOf(prefix) !== at);
  if (twice !== undefined) throw new TidemarkError("bad-option", `--map ${twice} is given more than once.`);
  const indexSegments = indexNames.map((name) => encodePathSegment(Buffer.from(name).toString("latin1")));
  return {
    servedNames: indexNames.length > 0 || cleanUrls ? { indexSegments, cleanUrls } : undefined,
    mappings,
  };
}

function planMapping({ urlPrefix, folder }: UrlMapping): MappedRoot {
  const slashed = urlPrefix.endsWith("/") ? urlPrefix : `${urlPrefix}/`;
  const hint = "Give a path of the site and a folder, such as --map /static/=/srv/static";
  if (!isCanonicalPath(slashed) || slashed.includes("?") || slashed.includes("//") || folder === "")
    throw new TidemarkError("bad-option", `--map ${urlPrefix}=${folder}: not a mapping.`, {
      hint: `${hint}; characters beyond ASCII, spaces and = are percent-encoded in the path.`,
    });
  const names = slashed.slice(1, -1).split("/").map(decodePathSegment);
  if (slashed === "/" || names.some((name) => /[/\0]/.test(name) || name === ""))
    throw new TidemarkError("bad-option", `--map ${urlPrefix}=${folder}: no folder of the site has this path.`, {
      hint: slashed === "/" ? "Give the folder of the whole site as the document root." : hint,
    });
  const prefix = `/${names.map(encodePathSegment).join("/")}/`;
  if (prefix.startsWith(publishedFolder) || publishedFolder.startsWith(prefix))
    throw new TidemarkError("bad-option", `--map ${prefix} would cover ${publishedFolder}, where tidemark publishes.`, {
      hint: "Crawlers read it from the document root: let the server take it from there.",
    });
  return { prefix, folder };
}
