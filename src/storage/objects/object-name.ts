import { createHash } from "node:crypto";

const maxHostCharacters = 120;

/**
 * The part of an object's name that stands for a site, such as `https/example.org` or `http/127.0.0.1_3a8080`: two sites never
 * have the same.
 */
export function objectFolderOf(origin: string): string {
  const { protocol, host } = new URL(origin);
  const escaped = host.replace(/[^a-z0-9.-]|^[.-]/g, (character) => {
    return `_${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  const isLong = escaped.length > maxHostCharacters;
  const name = isLong ? `${escaped.slice(0, 80)}_${createHash("sha256").update(escaped).digest("hex")}` : escaped;
  return `${protocol.slice(0, -1)}/${name}`;
}

/** What the names of a site's objects begin with. */
export function objectPrefixOf(crawl: string, origin: string): string {
  return `${crawl}/bodies/${objectFolderOf(origin)}/`;
}

/** The name of an object: below one of 256 by the first byte of its hash, so that no folder is too large. */
export function objectNameOf(prefix: string, object: string): string {
  return `${prefix}${object.slice(0, 2)}/${object}`;
}
