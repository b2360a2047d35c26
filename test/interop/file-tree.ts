import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";

interface Folder {
  readonly path: string;
  /** Without links. */
  readonly real: string;
  readonly above: readonly string[];
}

/** Walks a folder as a server would serve it: links are followed, each folder at most once on a way down. */
function* walk(root: string, isSkipped: (path: string) => boolean): Generator<string> {
  const realRoot = realpathSync.native(root);
  const pending: Folder[] = [{ path: "", real: realRoot, above: [] }];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const { real, above } = folder;
    if (above.includes(real)) throw new Error(`a loop of links that nothing withheld: ${folder.path}`);
    for (const entry of readdirSync(real, { withFileTypes: true })) {
      const path = `${folder.path}/${entry.name}`;
      if (isSkipped(path)) continue;
      const isLink = entry.isSymbolicLink();
      const target = isLink ? realpathSync.native(join(real, entry.name)) : join(real, entry.name);
      if (isLink && target !== realRoot && !target.startsWith(realRoot + sep)) {
        throw new Error(`leaves the root and nothing withheld it: ${path}`);
      }
      const isFolder = isLink ? statSync(target).isDirectory() : entry.isDirectory();
      if (isFolder) pending.push({ path, real: target, above: [...above, real] });
      else yield path;
    }
  }
}

/**
 * Lists what a server serves from a folder.
 *
 * @param withheld - paths from the root, with `/` before and none behind, that are left out with all below them
 * @returns paths in no order
 * @throws if a link that was not withheld is broken, loops, or leaves the folder
 */
export function listFiles(root: string, withheld: ReadonlySet<string> = new Set()): string[] {
  return [...walk(root, (path) => withheld.has(path))];
}

/** How two trees differ: at most 20 lines, empty if they are equal byte for byte. */
export function compareTrees(expectedRoot: string, actualRoot: string, withheld: ReadonlySet<string>): string[] {
  const expected = listFiles(expectedRoot, withheld);
  const surplus = new Set(listFiles(actualRoot));
  for (const path of expected) surplus.delete(path);
  const tooMany = [...surplus].map((path) => `too many: ${path}`);
  return [...compareFiles(expectedRoot, actualRoot, expected), ...tooMany].slice(0, 20);
}

/** How two trees differ on these paths: at most 20 lines. See {@link compareTrees}. */
export function compareFiles(expectedRoot: string, actualRoot: string, paths: Iterable<string>): string[] {
  const differences: string[] = [];
  for (const path of paths) {
    if (!existsSync(join(actualRoot, path))) differences.push(`missing: ${path}`);
    else if (!readFileSync(join(expectedRoot, path)).equals(readFileSync(join(actualRoot, path)))) {
      differences.push(`differs: ${path}`);
    }
    if (differences.length >= 20) break;
  }
  return differences;
}

/** Digest of a file as archives carry it: 8 bytes of the SHA-256 as base64url. */
export function digestOfFile(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest().subarray(0, 8).toString("base64url");
}
