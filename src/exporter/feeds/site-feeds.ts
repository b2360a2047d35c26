import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { publishedFolder } from "../../formats/archive/index.ts";
import { formatAtom, formatJsonFeed, readFeedMark, type SiteFeed } from "../../formats/feed/index.ts";
import { writeDurably } from "../../fs/index.ts";
import type { ArchiveFiles } from "../publish/archive-files.ts";
import type { Ledger } from "../publish/ledger.ts";
import type { PublishedPage } from "../publish/published-page.ts";
import { removeFiles } from "../publish/retired-files.ts";
import { feedNames } from "./feed-names.ts";
import { findLatestPages } from "./latest-pages.ts";

/** Pages in a feed. */
const feedPages = 50;
/** Ours has some kilobytes. */
const maxFeedBytes = 1024 * 1024;

/** Whether and how feeds are published. */
export interface FeedOptions {
  readonly stateDir: string;
  /** Title of a page in the feeds. Without it there are none. */
  readonly readTitle?: ((page: PublishedPage) => Promise<string>) | undefined;
}

/**
 * Makes the feeds say what the ledger says, after it was decided; removes them if they are not wanted any more. Feeds that
 * show the ledger's publication are left as they are, so a run that was killed before they were written is made up for.
 *
 * @returns bytes written
 */
export async function publishFeeds(options: FeedOptions, archives: ArchiveFiles, ledger: Ledger): Promise<number> {
  const { folder } = archives;
  const [atomFile, jsonFile] = [join(folder, feedNames.atom), join(folder, feedNames.json)];
  const shown = await readShown(jsonFile);
  const { site, epoch, publication } = ledger;
  const { stateDir, readTitle } = options;
  if (readTitle === undefined) {
    if (shown !== undefined) await removeFiles(folder, [feedNames.atom, feedNames.json]);
    return 0;
  }
  if (shown?.epoch === epoch && shown.publication === publication && existsSync(atomFile)) return 0;
  const home = new URL(publishedFolder.slice(1), site).href;
  const entries: SiteFeed["entries"][number][] = [];
  for (const page of await findLatestPages(archives, ledger, stateDir, feedPages)) {
    const { path, lastModified } = page;
    entries.push({ url: site.slice(0, -1) + path, title: await readTitle(page), lastModified });
  }
  const urls = { atomUrl: home + feedNames.atom, jsonUrl: home + feedNames.json };
  const feed: SiteFeed = { site, epoch, publication, ...urls, entries };
  const [atom, json] = [formatAtom(feed), formatJsonFeed(feed)];
  await writeDurably(atomFile, atom, { mtimeSeconds: publication });
  // The one that says what is shown comes last.
  await writeDurably(jsonFile, json, { mtimeSeconds: publication });
  return Buffer.byteLength(atom) + Buffer.byteLength(json);
}

async function readShown(file: string): Promise<ReturnType<typeof readFeedMark>> {
  try {
    const { size } = await stat(file);
    return size > maxFeedBytes ? undefined : readFeedMark(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}
