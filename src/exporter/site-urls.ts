import { TidemarkError } from "../core/index.ts";
import { publishedFolder } from "../formats/archive/index.ts";
import { decodePathSegment, encodePathSegment, isCanonicalPath } from "../formats/url/index.ts";
import type { ServedNameRules } from "./walk/served-names.ts";

/** A folder that the server serves below a prefix, like nginx's `alias` and Apache's `Alias`. */
export interface UrlMapping {
  /** Path on the site, percent-encoded as in a URL, such as `/static/`. */
  readonly urlPrefix: string;
  readonly folder: string;
}

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
