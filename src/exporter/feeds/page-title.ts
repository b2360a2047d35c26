import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { readPageHead } from "../../formats/html/index.ts";
import { decodePathSegment } from "../../formats/url/index.ts";
import { shortenDigest } from "../digest/file-digest.ts";
import type { PublishedPage } from "../publish/published-page.ts";

/** Largest file whose title is read, in bytes. */
const maxTitledBytes = 4 * 1024 * 1024;

/**
 * Reads the title of a page. What a feed says of a page is published: bytes with another digest than the published one
 * give no title, and neither do files that have the path of a listed page without a digest: what is served is not known.
 *
 * @param files - that may be the page, the likeliest first
 * @returns the last part of the path if there is no title
 */
export async function readPageTitle(files: readonly Buffer[], page: PublishedPage, site: string): Promise<string> {
  // Of a listed page `ctimeUs` is 0.
  const isKnown = page.ctimeUs !== 0 || page.digest !== undefined;
  for (const file of isKnown ? files : []) {
    const bytes = await readSmallFile(file);
    if (bytes === undefined) continue;
    if (page.digest !== undefined && shortenDigest(createHash("sha256").update(bytes)) !== page.digest) break;
    const { title } = readPageHead(bytes, new URL(page.path, site).href);
    if (title !== undefined) return title;
    break;
  }
  const name = page.path
    .split("?", 1)[0]
    ?.split("/")
    .findLast((one) => one !== "" && one !== "index.html");
  return name === undefined ? new URL(site).host : Buffer.from(decodePathSegment(name), "latin1").toString();
}

async function readSmallFile(file: Buffer): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = await handle.stat();
    return status.isFile() && status.size <= maxTitledBytes ? await handle.readFile() : undefined;
  } catch {
    return undefined;
  }
}
