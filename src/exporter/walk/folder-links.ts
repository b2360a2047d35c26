import { decodePathSegment, encodePathSegment } from "../../formats/url/index.ts";
import type { WalkOptions } from "./walk-options.ts";

/** Links that are told one by one; a site may have them everywhere. */
const maxTold = 20;
const choice =
  "hold back the links with --folder-links hold, or what they lead to with --exclude; if both are meant, say --folder-links follow";

type Options = Pick<WalkOptions, "prefix" | "globs" | "mappedPrefixes" | "folderLinks" | "onEvent">;

/** Judges links to folders whose pages are published under their own paths as well. Memory does not grow with the site. */
export class FolderLinkJudge {
  readonly #options: Options;
  readonly #rootRealPath: string;
  #told = 0;

  constructor(options: Options, rootRealPath: string) {
    this.#options = options;
    this.#rootRealPath = rootRealPath;
  }

  /** Whether a link is held back. @param realPath - the folder that it leads to, below the root, one character a byte */
  isHeld(realPath: string): boolean {
    return this.#options.folderLinks === "hold" && this.#ownPathOf(realPath) !== undefined;
  }

  /** Tells of a link that is followed, unless somebody said that it is to be. */
  tell(path: string, realPath: string): void {
    if (this.#options.folderLinks !== undefined || this.#told > maxTold) return;
    const own = this.#ownPathOf(realPath);
    if (own === undefined) return;
    this.#told += 1;
    const isLast = this.#told > maxTold;
    const message = isLast
      ? `more links lead to folders of the site; they are not named. To publish each page once, ${choice}`
      : `it is a link to ${own}, and each page below is published under both paths: ${choice}`;
    this.#options.onEvent({ event: "warning", code: "folder-link", message, ...(isLast ? {} : { path }) });
  }

  /** The path under which a folder is published; undefined if patterns hold it back, or another root lies there. */
  #ownPathOf(realPath: string): string | undefined {
    const { prefix = "/", globs, mappedPrefixes } = this.#options;
    const above = namesOf(prefix).map(decodePathSegment);
    const names = [...above, ...namesOf(realPath.slice(this.#rootRealPath.length))];
    let path = "/";
    for (const [at, name] of names.entries()) {
      path += `${encodePathSegment(name)}/`;
      if (at < above.length) continue;
      if (mappedPrefixes?.has(path) === true) return undefined;
      if (globs.judgeFolder(names.slice(0, at + 1).join("/")) !== undefined) return undefined;
    }
    return path;
  }
}

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "");
}
