import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { parseUrl, TidemarkError, wrapSystemError } from "../core/index.ts";
import { type IncludeMode, includeModes } from "./digest/page-scanner.ts";
import { type DigestMode, digestModes } from "./publish/page-diff.ts";
import { type FolderLinks, folderLinkChoices } from "./walk/walk-options.ts";

/**
 * The origin of an exported site, with a final `/`.
 *
 * @throws TidemarkError `bad-option` if it is more than an origin, or not an http or https URL
 */
export function parseBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new TidemarkError("bad-option", `Not a base URL: ${JSON.stringify(text)}.`, {
      hint: "Give the site's address, such as --base-url https://example.org/",
    });
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new TidemarkError("bad-option", `The base URL ${JSON.stringify(text)} is more than an origin.`, {
      hint: `Crawlers find a site from /robots.txt, so a site is a whole origin: --base-url ${url.origin}/`,
    });
  }
  return `${url.origin}/`;
}

/** Where the last publication is served. @throws TidemarkError `bad-option` */
export function checkPrevious(options: {
  readonly previous?: string;
  readonly previousOptional?: boolean;
}): { readonly url: string; readonly isOptional: boolean } | undefined {
  const { previous, previousOptional = false } = options;
  if (previous === undefined) {
    if (!previousOptional) return undefined;
    throw new TidemarkError("bad-option", "--previous-optional has no effect without --previous.", {
      hint: "Say where the site is served, such as --previous https://example.org/, or leave --previous-optional out.",
    });
  }
  const url = parseUrl(previous);
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (isOrigin) return { url: url.href, isOptional: previousOptional };
  throw new TidemarkError("bad-option", `--previous must be an origin, not ${JSON.stringify(previous)}.`, {
    hint: "Give the address at which the site is served, such as --previous https://example.org/",
  });
}

/** A folder as an absolute path. @throws TidemarkError `not-found`, `not-a-folder` */
export function checkFolder(path: string, what: string): string {
  const full = resolve(path);
  try {
    if (statSync(full).isDirectory()) return full;
  } catch (error) {
    throw wrapSystemError(error, `open the ${what} ${full}`, { path: full });
  }
  throw new TidemarkError("not-a-folder", `The ${what} ${full} is not a folder.`, {
    hint: "Name a folder.",
    details: { path: full },
  });
}

/** The state contains names of withheld files: it must not be served. */
export function checkOutside(stateDir: string, docroot: string): void {
  let existing = stateDir;
  while (!existsSync(existing)) existing = resolve(existing, "..");
  const real = resolve(realpathSync(existing), relative(existing, stateDir));
  const inside = relative(realpathSync(docroot), real);
  if (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
    throw new TidemarkError(
      "bad-option",
      `The state folder ${stateDir} lies in the document root, where everybody could read it.`,
      {
        hint: "Name a folder outside with --state, such as --state /var/lib/tidemark",
      },
    );
  }
}

/** An integer from 1 to 65536. @throws TidemarkError `bad-option` */
export function checkCount(value: number, option: string): number {
  if (Number.isInteger(value) && value >= 1 && value <= 65_536) return value;
  throw new TidemarkError("bad-option", `${option} must be a whole number from 1 to 65536, not ${value}.`, {
    hint: `For instance ${option} ${option === "--min-group" ? 50 : 2000}`,
  });
}

/** One of the known values of an option. @throws TidemarkError `bad-option` */
function checkChoice<Value extends string>(
  option: string,
  value: string,
  known: readonly Value[],
  hint: string,
): Value {
  const found = known.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new TidemarkError("bad-option", `${option} must be one of ${known.join(", ")}, not ${JSON.stringify(value)}.`, {
    hint,
  });
}

/** One of the digest modes. @throws TidemarkError `bad-option` */
export function checkDigestMode(mode: string): DigestMode {
  return checkChoice("--digest", mode, digestModes, "Use --digest all");
}

/** How to treat links to folders, if specified. @throws TidemarkError `bad-option` */
export function checkFolderLinks(choice: string | undefined): FolderLinks | undefined {
  if (choice === undefined) return undefined;
  return checkChoice("--folder-links", choice, folderLinkChoices, "For instance --folder-links hold");
}

/** Which files are searched for server-side includes. @throws TidemarkError `bad-option` */
export function checkIncludeMode(mode: string, digestMode: DigestMode): IncludeMode {
  const known = checkChoice("--ssi", mode, includeModes, "Use --ssi auto");
  if (known === "on" && digestMode !== "all") refuseDigestMode("--ssi on needs every page to be read", digestMode);
  return known;
}

/** Refuses an option that needs digests of all pages. @throws TidemarkError `bad-option` */
export function refuseDigestMode(needed: string, mode: DigestMode): never {
  throw new TidemarkError("bad-option", `${needed}, not --digest ${mode}.`, {
    hint: "Leave out --digest, or say --digest all",
  });
}

/** A limit of the read rate, if there is one. @throws TidemarkError `bad-option` */
export function checkIoLimit(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 4096)) return value;
  throw new TidemarkError("bad-option", `--io-limit must be at least 4096 bytes a second, not ${value}.`, {
    hint: "For instance --io-limit 10M",
  });
}
