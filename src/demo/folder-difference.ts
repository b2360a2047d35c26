import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where two folders are not equal. Paths are relative, with `/` between names. */
export interface FolderDifference {
  readonly onlyLeft: readonly string[];
  readonly onlyRight: readonly string[];
  readonly different: readonly string[];
  /** Files that are equal byte by byte. */
  readonly equalFiles: number;
}

/**
 * Compares two folders byte by byte.
 *
 * @param isLeftOut - files that are not to be looked at, on either side
 */
export function compareFolders(left: string, right: string, isLeftOut: (path: string) => boolean): FolderDifference {
  const list = (folder: string): Set<string> =>
    new Set(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .filter((path) => !isLeftOut(path)),
    );
  const [leftFiles, rightFiles] = [list(left), list(right)];
  const both = [...leftFiles].filter((path) => rightFiles.has(path));
  const different = both.filter((path) => !readFileSync(join(left, path)).equals(readFileSync(join(right, path))));
  return {
    onlyLeft: [...leftFiles].filter((path) => !rightFiles.has(path)),
    onlyRight: [...rightFiles].filter((path) => !leftFiles.has(path)),
    different,
    equalFiles: both.length - different.length,
  };
}
