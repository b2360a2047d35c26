import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";

import type { PublishedSite } from "./published-site.ts";

/** What a mirror holds, by file name. */
export function readMirror(into: string, origin: string): Record<string, string> {
  const folder = join(into, mirrorFolderOf(origin));
  const files: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    files[file.slice(folder.length)] = readFileSync(file, "utf8");
  }
  return files;
}

/** What the site serves, by path, as a mirror of it should be. */
export function servedBy(site: PublishedSite): Record<string, string> {
  return Object.fromEntries([...site.pages].map(([path, { body }]) => [path, Buffer.from(body).toString()]));
}
