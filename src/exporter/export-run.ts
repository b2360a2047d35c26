import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, rmdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EpochSeconds,
  type ExportEvent,
  type ExportSummary,
  type PreviousCounts,
  TidemarkError,
} from "../core/index.ts";
import { formatArchiveName, publishedFolder } from "../formats/archive/index.ts";
import { adoptFiles, HeldFolder, makeFolder, removeTemporaries, SiteLock, syncFolder } from "../fs/index.ts";
import { feedNames } from "./feeds/feed-names.ts";
import type { FeedOptions } from "./feeds/site-feeds.ts";
import type { PreviousChoice } from "./previous/take-previous.ts";
import { ArchiveFiles } from "./publish/archive-files.ts";
import { type Ledger, type Retired, readLedger, refuseFewerLists, writeLedger } from "./publish/ledger.ts";
import { type Baseline, type Draft, type DraftOptions, draftPublication } from "./publish/publication-draft.ts";
import {
  holdRobotsPlace,
  publishIndex,
  publishRobots,
  type RobotsPlace,
  readPublishedIndex,
} from "./publish/published-files.ts";
import {
  findArchives,
  namesOf,
  namesOfBase,
  namesOfIndex,
  planRemoval,
  removeFiles,
  removeUnknown,
} from "./publish/retired-files.ts";
import type { ReadPage } from "./standards/dumps.ts";
import { listNames } from "./standards/site-lists.ts";
import type { StandardsChoice, StandardsOutcome } from "./standards/standards-run.ts";
import { standardsFileName } from "./standards/standards-state.ts";

/** Options of one export. All folders are absolute. */
export interface ExportRunOptions extends DraftOptions, FeedOptions {
  /** Document root of the web server. */
  readonly docroot: string;
  /** Folder that contains robots.txt. */
  readonly robotsDir: string;
  /** Which sitemaps and ResourceSync documents are published. */
  readonly standards: StandardsChoice;
  /** Reads a page's bytes, for dumps. */
  readonly readPage: ReadPage;
  /** Where the last publication is served, if the export is to go on from there. */
  readonly previous?: PreviousChoice | undefined;
  /** Whether the state was restored from what is published. */
  readonly isRestored?: boolean;
}

type Settings = Omit<ExportRunOptions, "openSource" | "parts">;

/**
 * Exports a site once: compares the document root with what was published, publishes the changes,
 * and cleans up what is due (DESIGN.md sections 3.1 to 3.5).
 *
 * A crash at any time leaves the old published set or the new one: first archives are written, under names that are not
 * listed yet; renaming the ledger commits; index, sitemaps, ResourceSync and robots.txt are then written from the
 * ledger, in this run or the next.
 *
 * @throws TidemarkError `locked`, `disk-full`, `no-permission`, `state-version`, `aborted`, `not-found`
 */
export async function runExport(
  options: ExportRunOptions,
): Promise<Omit<ExportSummary, "stateDir" | "withheld" | "withheldByRule" | "errors" | "warnings" | "elapsedMs">> {
  const { docroot, stateDir, dryRun } = options;
  if (dryRun) return await compareOnly(options, new ArchiveFiles(join(docroot, publishedFolder.slice(1))));
  const made = makeFolder(stateDir, 0o700, await stat(docroot));
  try {
    await using _lock = await SiteLock.take(stateDir, new Date(options.clock()));
    return await publishInto(options, publishedFolder.split("/").slice(1, -1));
  } catch (error) {
    // A site that is not mounted, or a run stopped at once, leaves no trace.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => undefined);
    throw error;
  } finally {
    await adoptFiles(stateDir).catch(() => undefined);
  }
}

/** A dry run: what it takes from the published site lies in a folder of its own. */
async function compareOnly(options: ExportRunOptions, files: ArchiveFiles) {
  if (options.previous === undefined) return await exportOrBeginAnew(options, files, undefined);
  const { previous: choice } = options;
  const folder = await mkdtemp(join(tmpdir(), "tidemark-"));
  try {
    const taken = new ArchiveFiles(folder);
    const previous = await takeFromSite(options, choice, taken, folder);
    const goesOn = previous.source === "site";
    const compared = goesOn ? { ...options, stateDir: folder } : options;
    return { ...(await exportOrBeginAnew(compared, goesOn ? taken : files, undefined)), previous };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// Most sites are exported where their state is, and the code that sends requests takes a while to load.
async function takeFromSite(
  options: ExportRunOptions,
  previous: PreviousChoice,
  files: ArchiveFiles,
  intoDir: string,
): Promise<PreviousCounts> {
  const { takePrevious } = await import("./previous/take-previous.ts");
  return await takePrevious({ ...options, previous, intoDir }, files);
}

/** Where a run writes besides its archives. */
interface Places {
  readonly wellKnown: string;
  readonly robots: RobotsPlace;
}

async function publishInto(options: ExportRunOptions, names: readonly string[]) {
  using folder = HeldFolder.open(options.docroot, names);
  try {
    const files = new ArchiveFiles(folder.path);
    await using _turn = await SiteLock.takePublishing(files.folder, new Date(options.clock()));
    using robots = await holdRobotsPlace(options.robotsDir);
    const folders = [options.stateDir, files.folder, robots.folder.path];
    if (options.standards.resourceSync) folders.push(folder.above(1));
    for (const one of folders) await removeTemporaries(one);
    const places = { wellKnown: folder.above(1), robots };
    if (options.previous === undefined) return await exportOrBeginAnew(options, files, places);
    const previous = await takeFromSite(options, options.previous, files, options.stateDir);
    const isRestored = previous.source === "site";
    return { ...(await exportOrBeginAnew({ ...options, isRestored }, files, places)), previous };
  } catch (error) {
    folder.removeMade();
    throw error;
  }
}

async function exportOrBeginAnew(options: ExportRunOptions, files: ArchiveFiles, places: Places | undefined) {
  const baseline = await findBaseline(options, files);
  try {
    return await exportFrom(options, files, baseline, places);
  } catch (error) {
    // The list of pages is read during the comparison, so that corruption shows only then.
    if (!(error instanceof TidemarkError && error.code === "state-corrupt")) throw error;
    warnOfCorruptState(options, error);
    return await exportFrom(options, files, await beginAnew(files, baseline.publication), places);
  }
}

/** Without a ledger, any file of the published folder may have been listed. */
async function beginAnew(files: ArchiveFiles, publication: EpochSeconds): Promise<Baseline> {
  const listed = await findArchives(files.folder);
  const facts = { baseIsBroken: false, baseArchives: [], isMended: false, isForeign: false };
  return { ledger: undefined, listed, publication, ...facts };
}

function warnOfCorruptState(
  { onEvent }: { readonly onEvent: (event: ExportEvent) => void },
  error: TidemarkError,
): void {
  onEvent({
    event: "warning",
    code: error.code,
    message: `${error.message} A new epoch begins: crawlers will read the whole list once.`,
  });
}

async function findBaseline(options: Settings, files: ArchiveFiles): Promise<Baseline> {
  let ledger: Ledger | undefined;
  let isMissing = false;
  try {
    ledger = await readLedger(options.stateDir);
    isMissing = ledger === undefined;
  } catch (error) {
    if (!(error instanceof TidemarkError && error.code === "state-corrupt")) throw error;
    warnOfCorruptState(options, error);
  }
  if (ledger !== undefined && ledger.site !== options.site) {
    throw new TidemarkError(
      "bad-option",
      `The state in ${options.stateDir} is of ${ledger.site}, not of ${options.site}.`,
      {
        hint: "Give each site a state folder of its own with --state, or remove that folder to begin a new epoch.",
        details: { stateDir: options.stateDir, site: ledger.site },
      },
    );
  }
  if (ledger !== undefined) refuseFewerLists(ledger, options);
  const published = (await readPublishedIndex(files.folder))?.index;
  if (ledger !== undefined && published?.epoch === ledger.epoch && published.publication > ledger.publication) {
    const message =
      "The state is older than the published files, as after a restore from a backup. A new epoch begins.";
    options.onEvent({ event: "warning", code: "state-rolled-back", message });
    ledger = undefined;
  }
  if (isMissing && published !== undefined) {
    const message = `There is no state in ${options.stateDir}, and the site is published already. A new epoch begins: crawlers will read the whole list once. If another export publishes it, name its state folder with --state.`;
    options.onEvent({ event: "warning", code: "state-missing", message });
  }
  const publication = Math.max(
    Math.floor(options.clock() / 1000),
    (ledger?.publication ?? 0) + 1,
    (published?.publication ?? 0) + 1,
  );
  if (ledger === undefined) return await beginAnew(files, publication);
  const baseline = { ...(await checkArchives(options, files, ledger)), isForeign: false, publication };
  if (published === undefined || published.epoch === ledger.epoch) return baseline;
  const message = `What is public is not of the state in ${options.stateDir}, but of the epoch ${published.epoch} of ${published.site}: another export publishes here too, and remembers elsewhere, or files were restored. It is replaced; crawlers will read the whole list once. Run one export for a document root.`;
  options.onEvent({ event: "warning", code: "published-by-another", message });
  // What its readers know stays from now on as long as ours does.
  const told = new Set(await namesOfIndex(files, published));
  const retired = ledger.retired.filter(({ name }) => !told.has(name));
  const known = new Set([...baseline.listed, ...retired.map(({ name }) => name)]);
  const others = (await findArchives(files.folder)).filter((name) => !known.has(name));
  return {
    ...baseline,
    ledger: { ...baseline.ledger, retired },
    listed: [...baseline.listed, ...others],
    isMended: true,
    isForeign: true,
  };
}

/** Finds archives that were removed by others, and continues without them. */
async function checkArchives(
  options: Settings,
  files: ArchiveFiles,
  ledger: Ledger,
): Promise<Omit<Baseline, "isForeign" | "publication"> & { readonly ledger: Ledger }> {
  const there = new Set(await readdir(files.folder).catch(() => []));
  const intervals = ledger.intervals.filter((interval) => namesOf([interval]).every((name) => there.has(name)));
  const baseArchives = await namesOfBase(files, ledger.base.list.name);
  const baseIsBroken = baseArchives === undefined || !baseArchives.every((name) => there.has(name));
  const isMended = intervals.length < ledger.intervals.length;
  if (baseIsBroken || isMended) {
    const message =
      "Archives are missing or damaged in the published folder; the site is published again without them.";
    options.onEvent({ event: "warning", code: "archives-missing", message });
  }
  const listed = [
    ...namesOf(ledger.intervals),
    formatArchiveName(ledger.base.list.name),
    ...(baseArchives ?? ledger.base.announced),
  ];
  return { ledger: { ...ledger, intervals }, baseIsBroken, baseArchives: baseArchives ?? [], listed, isMended };
}

async function exportFrom(
  options: ExportRunOptions,
  files: ArchiveFiles,
  baseline: Baseline,
  places: Places | undefined,
) {
  const { stateDir } = options;
  const { ledger, publication } = baseline;
  await using draft = await draftPublication(
    options,
    files,
    baseline,
    ledger?.epoch ?? randomBytes(12).toString("base64url"),
  );
  if (places === undefined) return summarise(options, draft, 0, 0, publication);
  let next = draft.ledger;
  let due: readonly Retired[] = [];
  if (next !== ledger) {
    const { kept, removed } = planRemoval(next.retired, options.clock());
    next = { ...next, retired: kept };
    due = removed;
    await files.sync();
    await draft.commitPages();
    await syncFolder(stateDir);
    await writeLedger(stateDir, next);
    draft.decided();
    await syncFolder(stateDir);
  }
  // Then sitemaps and ResourceSync belong to the other export too. Until the index is ours, the next run gets here
  // again.
  if (baseline.isForeign) await removeFiles(stateDir, [standardsFileName]);
  const indexBytes = await publishIndex(files.folder, next);
  const standards = await publishChosenStandards({ ...options, ...places }, files, next);
  const feedBytes = await publishChosenFeeds(options, files, next);
  // The index names only existing files, and none that is about to be removed.
  const robotsBytes = await publishRobots(places.robots, next, options.onEvent, standards.sitemap);
  // Only now: an older index that earlier runs failed to replace may have listed them until here.
  await removeFiles(files.folder, [...due.map(({ name }) => name), ...standards.due]);
  await removeUnknown(files, next, draft.baseArchives, options.clock());
  await removeOldPages(stateDir, next);
  const bytes = files.bytesWritten + indexBytes + standards.bytesWritten + feedBytes + robotsBytes;
  // The list of a base is none of the archives that it lists.
  const list = formatArchiveName(next.base.list.name);
  const archivesWritten = files.written.filter((name) => name !== list).length;
  return summarise(options, draft, archivesWritten, bytes, next.publication);
}

/** If there are sitemaps or ResourceSync documents, one of these files exists. */
const markingLists = [listNames.sitemap, listNames.capabilityList, listNames.resourceList];

// Most sites have none, and the code that writes them takes a while to load.
async function publishChosenStandards(
  options: Settings & Places,
  files: ArchiveFiles,
  ledger: Ledger,
): Promise<StandardsOutcome> {
  const isAsked = Object.values(options.standards).some((choice) => choice === true);
  // What an earlier run or another export published is removed if it is no longer requested.
  const isThere = (name: string) => existsSync(join(files.folder, name));
  if (!isAsked && !existsSync(join(options.stateDir, standardsFileName)) && !markingLists.some(isThere))
    return { sitemap: undefined, bytesWritten: 0, due: [] };
  const { publishStandards } = await import("./standards/standards-run.ts");
  return await publishStandards(options, files, ledger);
}

async function publishChosenFeeds(options: Settings, files: ArchiveFiles, ledger: Ledger): Promise<number> {
  if (options.readTitle === undefined && !existsSync(join(files.folder, feedNames.json))) return 0;
  const { publishFeeds } = await import("./feeds/site-feeds.ts");
  return await publishFeeds(options, files, ledger);
}

async function removeOldPages(stateDir: string, { pageFiles }: Ledger): Promise<void> {
  const current = new Set(pageFiles.map(({ name }) => name));
  const old = (await readdir(stateDir)).filter((name) => /^pages-.*\.(?:blocks|gz)$/.test(name) && !current.has(name));
  await removeFiles(stateDir, old);
}

function summarise(
  options: Settings,
  draft: Draft,
  archivesWritten: number,
  bytesWritten: number,
  publication: EpochSeconds,
) {
  const { created, updated, deleted, touched, pages, included, dynamic } = draft.counts;
  const { ledger } = draft;
  return {
    site: options.site,
    pages,
    created,
    updated,
    deleted,
    unchanged: pages - created - updated,
    touched,
    ...(included === 0 ? {} : { includes: { pages: included, dynamic } }),
    archivesWritten,
    archivesListed: ledger.base.archives + ledger.intervals.reduce((sum, { archives }) => sum + archives.length, 0),
    intervals: ledger.intervals.length,
    bytesWritten,
    publication,
    published: draft.isPublication,
    newBase: draft.isNewBase,
    epoch: ledger.epoch,
    dryRun: options.dryRun,
  };
}
