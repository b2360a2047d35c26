import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { type IncludeMode, includeModes } from "./digest/page-scanner.ts";
import { type DigestMode, digestModes } from "./publish/page-diff.ts";
import { type FolderLinks, folderLinkChoices } from "./walk/walk-options.ts";

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

/** One of the digest modes. @throws TidemarkError `bad-option` */
export function checkDigestMode(mode: string): DigestMode {
  const known = digestModes.find((candidate) => candidate === mode);
  if (known !== undefined) return known;
  throw new TidemarkError(
    "bad-option",
    `--digest must be one of ${digestModes.join(", ")}, not ${JSON.stringify(mode)}.`,
    { hint: "Use --digest all" },
  );
}

/** How to treat links to folders, if specified. @throws TidemarkError `bad-option` */
export function checkFolderLinks(choice: string | undefined): FolderLinks | undefined {
  const known = folderLinkChoices.find((candidate) => candidate === choice);
  if (known !== undefined || choice === undefined) return known;
  throw new TidemarkError(
    "bad-option",
    `--folder-links must be one of ${folderLinkChoices.join(", ")}, not ${JSON.stringify(choice)}.`,
    { hint: "For instance --folder-links hold" },
  );
}

/** Which files are searched for server-side includes. @throws TidemarkError `bad-option` */
export function checkIncludeMode(mode: string, digestMode: DigestMode): IncludeMode {
  const known = includeModes.find((candidate) => candidate === mode);
  if (known === undefined)
    throw new TidemarkError(
      "bad-option",
      `--ssi must be one of ${includeModes.join(", ")}, not ${JSON.stringify(mode)}.`,
      {
        hint: "Use --ssi auto",
      },
    );
  if (known === "on" && digestMode !== "all")
    throw new TidemarkError("bad-option", `--ssi on needs every page to be read, not --digest ${digestMode}.`, {
      hint: "Leave out --digest, or say --digest all",
    });
  return known;
}

/** Content rules require digests of all pages. @throws TidemarkError `bad-option` */
export function refuseContentRules(mode: DigestMode): never {
  throw new TidemarkError(
    "bad-option",
    `--ignore and --significant need a digest of every page, not --digest ${mode}.`,
    {
      hint: "Leave out --digest, or say --digest all",
    },
  );
}

/** A limit of the read rate, if there is one. @throws TidemarkError `bad-option` */
export function checkIoLimit(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 4096)) return value;
  throw new TidemarkError("bad-option", `--io-limit must be at least 4096 bytes a second, not ${value}.`, {
    hint: "For instance --io-limit 10M",
  });
}
