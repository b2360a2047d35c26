import { rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type Change,
  type Clock,
  type EpochSeconds,
  type ExportEvent,
  pathOf,
  TidemarkError,
} from "../../core/index.ts";
import type { Capability, ResourceSyncEntry } from "../../formats/resourcesync/index.ts";
import type { ArchiveFiles } from "../publish/archive-files.ts";
import { readInterval } from "../publish/interval-merge.ts";
import type { Interval, Ledger } from "../publish/ledger.ts";
import { PageLookup } from "../publish/page-lookup.ts";
import { planRemoval } from "../publish/retired-files.ts";
import { countChanges, findCompleteFrom, planFinestChain } from "../publish/tiers.ts";
import { Yielder } from "../publish/yielder.ts";
import { ChangeLists } from "./change-lists.ts";
import { type DumpInputs, listChangeDumps, listResourceDump, packChanges, packPages, type ReadPage } from "./dumps.ts";
import { ListFolder, type ListInputs } from "./list-folder.ts";
import { rangesOf, writeShardLists } from "./shard-lists.ts";
import { planShards } from "./shard-plan.ts";
import {
  ListSite,
  listNames,
  placeDescription,
  removeDescription,
  renderDescription,
  renderList,
} from "./site-lists.ts";
import {
  endBegunShards,
  type PublishedResourceSync,
  readBegunShards,
  readStandardsState,
  type ShardRanges,
  type StandardsState,
  standardsFileName,
  writeBegunShards,
  writeStandardsState,
} from "./standards-state.ts";

/** Of more changed pages all pages are looked at: that is cheaper than to look each of them up. */
const manyChanges = 50_000;

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
  /** Whether the state was restored from the published archives. */
  readonly isRestored?: boolean;
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
    const written = await new StandardsRun({ options, archives, ledger, site, files, yielder, state, begun }).write();
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

/** What a run works with. */
interface RunParts extends Omit<ListInputs, "pages"> {
  readonly options: StandardsOptions;
  readonly archives: ArchiveFiles;
  readonly ledger: Ledger;
  /** What the last run remembered. */
  readonly state: StandardsState | undefined;
  readonly begun: ShardRanges;
}

/** The last publications, each by itself, as far back as archives list them so: their change lists can be written again. */
function planTold(intervals: readonly Interval[], publication: EpochSeconds): readonly Interval[] {
  const told: Interval[] = [];
  let at = publication;
  for (const interval of [...intervals].sort((a, b) => b.to - a.to)) {
    if (interval.tier !== 0 || interval.to !== at) continue;
    told.unshift(interval);
    at = interval.from;
  }
  return told;
}

class StandardsRun {
  readonly #parts: RunParts;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async write(): Promise<Written> {
    const chain = this.#findChain();
    try {
      return await this.#write(chain);
    } catch (error) {
      if (chain === undefined || !(error instanceof TidemarkError && error.code === "archive-corrupt")) throw error;
      // The next run of the archives mends them.
      return await this.#write(undefined);
    }
  }

  /** Intervals with what changed since the state; undefined if that is not known. */
  #findChain(): readonly Interval[] | undefined {
    const { state, ledger } = this.#parts;
    if (state?.epoch !== ledger.epoch) return undefined;
    return planFinestChain(ledger.intervals, state.publication, ledger.publication);
  }

  async #write(chain: readonly Interval[] | undefined): Promise<Written> {
    const { options, ledger, site, files, yielder, state, begun } = this.#parts;
    const { standards, stateDir } = options;
    const { epoch, publication, pageFiles } = ledger;
    const forms = { sitemap: standards.sitemap, resourceList: standards.resourceSync };
    const facts = { epoch, publication, hasSitemap: standards.sitemap };
    yielder.stopIfAsked();
    if (!forms.sitemap && !forms.resourceList) return { ...facts, resourceSync: undefined, shards: [] };
    using pages = new PageLookup(pageFiles.map(({ name }) => join(stateDir, name)));
    const inputs = { site, files, pages, yielder };
    const published = state?.shards ?? [];
    const changed = chain && (await this.#changedPaths(chain));
    const plan = await planShards({ ...inputs, published, changed, targetPages: standards.shardPages });
    const onBegin = (ranges: ShardRanges) => writeBegunShards(stateDir, ranges);
    const shards = await writeShardLists({ ...inputs, forms, publication, published, begun, onBegin }, plan);
    const resourceSync = standards.resourceSync ? await this.#writeResourceSync(chain, inputs) : undefined;
    return { ...facts, resourceSync, shards };
  }

  /** Paths that changed, ascending; undefined if they are so many that all pages are to be looked at. */
  async #changedPaths(chain: readonly Interval[]): Promise<readonly string[] | undefined> {
    const lines = chain.reduce((sum, interval) => sum + countChanges(interval), 0);
    if (lines > manyChanges || lines * 4 > this.#parts.ledger.pages) return undefined;
    const paths = new Set<string>();
    for (const interval of chain)
      for await (const changes of this.#read(interval)) for (const change of changes) paths.add(pathOf(change));
    return [...paths].sort();
  }

  /** Changes of an interval in path order, a segment at a time. @throws TidemarkError `archive-corrupt` */
  async *#read(interval: Interval): AsyncGenerator<readonly Change[]> {
    for await (const changes of readInterval(this.#parts.archives, interval)) {
      yield changes;
      await this.#parts.yielder.pause();
    }
  }

  async #writeResourceSync(chain: readonly Interval[] | undefined, lists: ListInputs): Promise<PublishedResourceSync> {
    const { options, ledger, files, state } = this.#parts;
    const { standards, readPage, clock } = options;
    const { publication, base, intervals } = ledger;
    const isRestored = options.isRestored === true && state === undefined;
    const told = isRestored ? planTold(intervals, publication) : chain;
    const [first] = told ?? [];
    const changes =
      isRestored && first !== undefined
        ? ChangeLists.anew(lists.site, files, first.from, first.to)
        : await this.#openChangeLists(chain);
    for (const interval of told ?? []) {
      if (changes.knows(interval.to)) continue;
      await changes.begin(interval.from, interval.to);
      for await (const some of this.#read(interval)) await changes.add(some, interval.to);
    }
    const completeFrom = Math.min(findCompleteFrom(intervals, publication), base.publication);
    const changeLists = await changes.end(completeFrom, publication);
    const inputs: DumpInputs = { ...lists, readPage };
    const packed = standards.changeDumps ? await packChanges(inputs, changes.closedNow) : [];
    const packages = [...(state?.resourceSync?.changeDumps ?? []), ...packed];
    const changeDumps = await listChangeDumps(inputs, packages, completeFrom, publication);
    let resourceDump = state?.resourceSync?.resourceDump;
    if (resourceDump?.packages.every(({ name }) => files.has(name)) === false) resourceDump = undefined;
    if (standards.resourceDump && resourceDump?.at !== publication)
      resourceDump = await packPages(inputs, publication, clock);
    if (resourceDump !== undefined) await listResourceDump(inputs, resourceDump);
    await this.#describe(changeDumps.length > 0, resourceDump !== undefined);
    return { changeLists, changeDumps, resourceDump };
  }

  async #openChangeLists(chain: readonly Interval[] | undefined): Promise<ChangeLists> {
    const { options, ledger, site, files, state } = this.#parts;
    if (state?.resourceSync !== undefined || files.has(listNames.changeList)) {
      const changeLists = state?.resourceSync?.changeLists ?? [];
      const lists = chain && (await ChangeLists.resume(site, files, changeLists, state?.publication ?? 0));
      if (lists !== undefined) return lists;
      const message = "The change lists start over: their readers read the resource list once.";
      options.onEvent({ event: "warning", code: "change-lists-lost", message });
    }
    return ChangeLists.anew(site, files, ledger.publication);
  }

  /** The capability list names what is there, so it comes last. */
  async #describe(hasChangeDump: boolean, hasResourceDump: boolean): Promise<void> {
    const { site, files } = this.#parts;
    const entry = (name: string, capability: Capability): ResourceSyncEntry => ({
      location: site.urlOf(name),
      capability,
    });
    const entries = [entry(listNames.resourceList, "resourcelist"), entry(listNames.changeList, "changelist")];
    if (hasChangeDump) entries.push(entry(listNames.changeDump, "changedump"));
    if (hasResourceDump) entries.push(entry(listNames.resourceDump, "resourcedump"));
    const links = [{ rel: "up", href: site.description }];
    await files.sync();
    const header = { kind: "urlset", capability: "capabilitylist", links } as const;
    await files.write(listNames.capabilityList, renderList(header, entries));
    await files.write(listNames.description, renderDescription(site));
    await files.sync();
  }
}
