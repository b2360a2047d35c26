import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type ExportEvent, TidemarkError } from "../../core/index.ts";
import type { Capability, ResourceSyncEntry } from "../../formats/resourcesync/index.ts";
import type { ArchiveFiles } from "../publish/archive-files.ts";
import type { Ledger } from "../publish/ledger.ts";
import { PageLookup } from "../publish/page-lookup.ts";
import { planRemoval } from "../publish/retired-files.ts";
import { findCompleteFrom, planFinestChain } from "../publish/tiers.ts";
import { Yielder } from "../publish/yielder.ts";
import { endBegunShards, rangesOf, readBegunShards, type ShardRanges, writeBegunShards } from "./begun-shards.ts";
import { ChangeLists } from "./change-lists.ts";
import { ChangeRecord } from "./change-record.ts";
import { type DumpInputs, listChangeDumps, listResourceDump, packChanges, packPages, type ReadPage } from "./dumps.ts";
import { ListFolder } from "./list-folder.ts";
import { writeShardLists } from "./shard-lists.ts";
import { planShards } from "./shard-plan.ts";
import { ListSite, listNames, renderList } from "./site-lists.ts";
import { placeDescription, removeDescription, renderDescription } from "./source-description.ts";
import {
  type PublishedResourceSync,
  readStandardsState,
  type StandardsState,
  standardsFileName,
  writeStandardsState,
} from "./standards-state.ts";

/** Which formats of others are published beside the archives. */
export interface StandardsChoice {
  readonly sitemap: boolean;
  readonly resourceSync: boolean;
  /** Packages of each day's changes, once it is over; with `resourceSync`. */
  readonly changeDumps: boolean;
  /** Packages of all pages as they are now; with `resourceSync`. */
  readonly resourceDump: boolean;
  /** Pages that a sitemap aims at, for tests. @default 5000 */
  readonly shardPages?: number;
}

/** What sitemaps and ResourceSync are published with. */
export interface StandardsOptions {
  readonly site: string;
  /** The folder of well-known names, in which the published folder is. */
  readonly wellKnown: string;
  readonly stateDir: string;
  readonly standards: StandardsChoice;
  readonly readPage: ReadPage;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExportEvent) => void;
}

/** What came of it. */
export interface StandardsOutcome {
  /** File name of the sitemap index, for robots.txt; undefined if there is none. */
  readonly sitemap: string | undefined;
  readonly bytesWritten: number;
  /** Names of files that readers had time to leave: to be removed once robots.txt does not name them. */
  readonly due: readonly string[];
}

/**
 * Makes sitemaps and ResourceSync say what the ledger says, after it was decided.
 *
 * What they say is remembered with the publication that they say it of. From there the archives tell what changed, so
 * a run that was killed is made up for by the next one, and a run costs O(changes). Where they cannot tell, because the
 * state is lost or too old, all pages are read again, and lists of changes begin anew.
 *
 * @throws TidemarkError `disk-full`, `no-permission`, `state-corrupt`, `aborted`
 */
export async function publishStandards(
  options: StandardsOptions,
  archives: ArchiveFiles,
  ledger: Ledger,
): Promise<StandardsOutcome> {
  const { stateDir, wellKnown, onEvent, standards } = options;
  const state = await readStandardsState(stateDir, (message) =>
    onEvent({ event: "warning", code: "standards-state", message: `${message} They are written anew.` }),
  );
  const isWanted = standards.sitemap || standards.resourceSync;
  const site = new ListSite(options.site);
  const yielder = new Yielder(
    options.signal,
    "Stopped while sitemaps and ResourceSync were written.",
    "The next export writes them: the archives are published already.",
  );
  const files = await ListFolder.open(archives.folder, ledger.publication, yielder);
  if (!isWanted && state === undefined && files.isEmpty) return { sitemap: undefined, bytesWritten: 0, due: [] };
  // Of a file that cannot be understood: any document may be other than what is remembered of it.
  const begun = (await readBegunShards(stateDir)) ?? rangesOf(state?.shards ?? []);
  let next = state;
  let due: readonly string[] = [];
  if (state === undefined || begun.size > 0 || !isCurrent(state, ledger, standards, files)) {
    const run = new StandardsRun(options, archives, ledger, site, files, yielder, state, begun);
    const written = await run.writeOrBeginAnew();
    const retired = files.planRetired(state?.retired ?? [], state?.publication !== ledger.publication, options.clock());
    const { kept, removed } = planRemoval(retired, options.clock());
    next = { ...written, listed: [...files.listed].sort(), retired: kept };
    due = removed.map(({ name }) => name);
    if (isWanted || kept.length > 0) await writeStandardsState(stateDir, next);
    else await rm(join(stateDir, standardsFileName), { force: true });
    await endBegunShards(stateDir);
  }
  let bytesWritten = files.bytesWritten;
  if (standards.resourceSync) bytesWritten += await placeDescription(wellKnown, site, onEvent);
  else if (state === undefined || state.resourceSync !== undefined) await removeDescription(wellKnown, site);
  const hasSitemap = next?.hasSitemap === true && next.shards.length > 0;
  return { sitemap: hasSitemap ? listNames.sitemap : undefined, bytesWritten, due };
}

function isCurrent(state: StandardsState, ledger: Ledger, choice: StandardsChoice, files: ListFolder): boolean {
  return (
    state.epoch === ledger.epoch &&
    state.publication === ledger.publication &&
    state.hasSitemap === choice.sitemap &&
    (state.resourceSync !== undefined) === choice.resourceSync &&
    (!choice.resourceDump || state.resourceSync?.resourceDump?.at === ledger.publication) &&
    state.listed.every((name) => files.has(name))
  );
}

type Written = Omit<StandardsState, "listed" | "retired">;

class StandardsRun {
  readonly #options: StandardsOptions;
  readonly #archives: ArchiveFiles;
  readonly #ledger: Ledger;
  readonly #site: ListSite;
  readonly #files: ListFolder;
  readonly #state: StandardsState | undefined;
  readonly #yielder: Yielder;
  readonly #begun: ShardRanges;

  constructor(
    options: StandardsOptions,
    archives: ArchiveFiles,
    ledger: Ledger,
    site: ListSite,
    files: ListFolder,
    yielder: Yielder,
    state: StandardsState | undefined,
    begun: ShardRanges,
  ) {
    this.#begun = begun;
    this.#options = options;
    this.#archives = archives;
    this.#ledger = ledger;
    this.#site = site;
    this.#files = files;
    this.#state = state;
    this.#yielder = yielder;
  }

  async writeOrBeginAnew(): Promise<Written> {
    const record = this.#findRecord();
    try {
      return await this.#write(record);
    } catch (error) {
      if (record === undefined || !(error instanceof TidemarkError && error.code === "archive-corrupt")) throw error;
      // The next run of the archives mends them.
      return await this.#write(undefined);
    }
  }

  /** What changed since the state; undefined if that is not known. */
  #findRecord(): ChangeRecord | undefined {
    const { epoch, intervals, publication } = this.#ledger;
    if (this.#state === undefined || this.#state.epoch !== epoch) return undefined;
    const chain = planFinestChain(intervals, this.#state.publication, publication);
    return chain === undefined ? undefined : new ChangeRecord(this.#archives, chain, this.#yielder);
  }

  async #write(record: ChangeRecord | undefined): Promise<Written> {
    const { standards, stateDir } = this.#options;
    const { epoch, publication, pages: count, pageFiles } = this.#ledger;
    const forms = { sitemap: standards.sitemap, resourceList: standards.resourceSync };
    const facts = { epoch, publication, hasSitemap: standards.sitemap };
    this.#yielder.stopIfAsked();
    if (!forms.sitemap && !forms.resourceList) return { ...facts, resourceSync: undefined, shards: [] };
    using pages = new PageLookup(pageFiles.map(({ name }) => join(stateDir, name)));
    const plan = await planShards({
      base: this.#site.base,
      published: this.#state?.shards ?? [],
      changed: await record?.paths(count),
      pages,
      yielder: this.#yielder,
      targetPages: standards.shardPages,
    });
    const shards = await writeShardLists(
      {
        site: this.#site,
        files: this.#files,
        pages,
        yielder: this.#yielder,
        forms,
        publication,
        published: this.#state?.shards ?? [],
        begun: this.#begun,
        onBegin: (shards) => writeBegunShards(stateDir, shards),
      },
      plan,
    );
    const resourceSync = standards.resourceSync ? await this.#writeResourceSync(record, pages) : undefined;
    return { ...facts, resourceSync, shards };
  }

  async #writeResourceSync(record: ChangeRecord | undefined, pages: PageLookup): Promise<PublishedResourceSync> {
    const { standards, readPage, clock } = this.#options;
    const { publication } = this.#ledger;
    const files = this.#files;
    const earlier = this.#state?.resourceSync;
    const lists = await this.#openChangeLists(record);
    for (const interval of record?.chain ?? []) {
      if (lists.knows(interval.to)) continue;
      await lists.begin(interval.from, interval.to);
      for await (const changes of record?.read(interval) ?? []) await lists.add(changes, interval.to);
    }
    const completeFrom = Math.min(findCompleteFrom(this.#ledger.intervals, publication), this.#ledger.base.publication);
    const changeLists = await lists.end(completeFrom, publication);
    const inputs: DumpInputs = { site: this.#site, files, pages, readPage, yielder: this.#yielder };
    const packed = standards.changeDumps ? await packChanges(inputs, lists.closedNow) : [];
    const packages = [...(earlier?.changeDumps ?? []), ...packed];
    const changeDumps = await listChangeDumps(inputs, packages, completeFrom, publication);
    let resourceDump = earlier?.resourceDump;
    if (resourceDump?.packages.every(({ name }) => files.has(name)) === false) resourceDump = undefined;
    if (standards.resourceDump && resourceDump?.at !== publication)
      resourceDump = await packPages(inputs, publication, clock);
    if (resourceDump !== undefined) await listResourceDump(inputs, resourceDump);
    await this.#describe(changeDumps.length > 0, resourceDump !== undefined);
    return { changeLists, changeDumps, resourceDump };
  }

  async #openChangeLists(record: ChangeRecord | undefined): Promise<ChangeLists> {
    const state = this.#state;
    const { publication } = this.#ledger;
    if (state?.resourceSync !== undefined || this.#files.has(listNames.changeList)) {
      const changeLists = state?.resourceSync?.changeLists ?? [];
      const knownTo = state?.publication ?? 0;
      const lists = record && (await ChangeLists.resume(this.#site, this.#files, changeLists, knownTo));
      if (lists !== undefined) return lists;
      const message = "The change lists start over: their readers read the resource list once.";
      this.#options.onEvent({ event: "warning", code: "change-lists-lost", message });
    }
    return ChangeLists.anew(this.#site, this.#files, publication);
  }

  /** The capability list names what is there, so it comes last. */
  async #describe(hasChangeDump: boolean, hasResourceDump: boolean): Promise<void> {
    const site = this.#site;
    const entry = (name: string, capability: Capability): ResourceSyncEntry => ({
      location: site.urlOf(name),
      capability,
    });
    const entries = [entry(listNames.resourceList, "resourcelist"), entry(listNames.changeList, "changelist")];
    if (hasChangeDump) entries.push(entry(listNames.changeDump, "changedump"));
    if (hasResourceDump) entries.push(entry(listNames.resourceDump, "resourcedump"));
    const links = [{ rel: "up", href: site.description }];
    await this.#files.sync();
    const header = { kind: "urlset", capability: "capabilitylist", links } as const;
    await this.#files.write(listNames.capabilityList, renderList(header, entries));
    await this.#files.write(listNames.description, renderDescription(site));
    await this.#files.sync();
  }
}
