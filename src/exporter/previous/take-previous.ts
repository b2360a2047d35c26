import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Change,
  type Clock,
  type ExportEvent,
  ok,
  type PreviousCounts,
  pathOf,
  problem,
  type Result,
  TidemarkError,
} from "../../core/index.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  formatArchiveName,
  indexFileName,
  maxArchiveBytes,
  maxIndexBytes,
  parseArchive,
  parseBaseList,
  publishedFolder,
} from "../../formats/archive/index.ts";
import { syncFolder } from "../../fs/index.ts";
import type { ArchiveFiles } from "../publish/archive-files.ts";
import { namesToAnnounce } from "../publish/base-writer.ts";
import { readInterval } from "../publish/interval-merge.ts";
import { type Ledger, readLedger, writeLedger } from "../publish/ledger.ts";
import type { DigestMode } from "../publish/page-diff.ts";
import { removeFiles } from "../publish/retired-files.ts";
import { countChanges, planChain, planFinestChain } from "../publish/tiers.ts";
import { Yielder } from "../publish/yielder.ts";
import { standardsFileName } from "../standards/standards-state.ts";
import { PreviousSite, requestsAtOnce } from "./previous-site.ts";
import { type RangedArchive, restoreIntervals } from "./restored-intervals.ts";
import { checkPathOrder, PageRestoration } from "./restored-pages.ts";

/** Where the last publication is served. */
export interface PreviousChoice {
  /** An origin with `/`. */
  readonly url: string;
  /** Whether an export without it goes on with the state, or in a new epoch. */
  readonly isOptional: boolean;
}

/** How a publication is taken from the site. */
export interface TakeOptions {
  /** The site's base URL. */
  readonly site: string;
  /** State of earlier runs on this machine. */
  readonly stateDir: string;
  /** Where a restored state is written. */
  readonly intoDir: string;
  readonly previous: PreviousChoice;
  readonly digestMode: DigestMode;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExportEvent) => void;
  /** For each file. Default: that of {@link PreviousSite}. */
  readonly timeoutMs?: number;
}

/** A deployment may replace the files while they are read. */
const maxAttempts = 3;

/**
 * Goes on from what a site serves: places the archives that it lists in the published folder, and writes the state that
 * its exporter had. The state of this machine is used instead if it is of the same epoch and not older; archives that
 * are missing beside it are taken from the site.
 *
 * All is verified before a state is written. If the site cannot be used, the placed files are removed. A run that was
 * killed leaves some behind, which the next one need not request.
 *
 * @param files - the published folder
 * @throws TidemarkError `not-found` if nothing is published, `site-unavailable`, `archive-corrupt` unless the choice is
 *   optional; `aborted`, `disk-full`, `no-permission`
 */
export async function takePrevious(options: TakeOptions, files: ArchiveFiles): Promise<PreviousCounts> {
  const { previous, stateDir, signal, timeoutMs } = options;
  await using site = new PreviousSite({ url: previous.url, signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const state = await readState(stateDir);
  const taking = new Taking(options, files, site, state?.site === options.site ? state : undefined);
  let taken: Result<PreviousCounts["source"]>;
  try {
    taken = await taking.take();
  } catch (error) {
    await removeFiles(files.folder, taking.placed);
    throw error;
  }
  const counts = { files: taking.placed.length, receivedBytes: site.receivedBytes };
  if (taken.ok) return { source: taken.value, ...counts };
  await removeFiles(files.folder, taking.placed);
  const { code, message } = taken.error;
  const what =
    code === notYet
      ? `Nothing is published at ${previous.url} yet: ${message}.`
      : `What is published at ${previous.url} cannot be used: ${message}.`;
  if (previous.isOptional) {
    const follows =
      state === undefined
        ? "A new epoch begins: crawlers will read the whole list once."
        : `The export goes on with the state in ${stateDir}.`;
    const warning = code === notYet ? "previous-missing" : "previous-unusable";
    options.onEvent({ event: "warning", code: warning, message: `${what} ${follows}` });
    return { source: state === undefined ? "none" : "state", ...counts, files: 0 };
  }
  const hint =
    code === notYet
      ? "Check --previous. For the first build of a site add --previous-optional: a new epoch begins then."
      : "Run the export again once the site serves it. With --previous-optional a new epoch begins instead, and crawlers read the whole list once.";
  const errorCode = code === notYet ? "not-found" : code === "unreachable" ? "site-unavailable" : "archive-corrupt";
  throw new TidemarkError(errorCode, `${what} Nothing was published.`, { hint, details: { previous: previous.url } });
}

/** Code of the problem that there is no index. */
const notYet = "not-yet";

/** A state that cannot be read is no state: the site has what it said. */
async function readState(stateDir: string): Promise<Ledger | undefined> {
  try {
    return await readLedger(stateDir);
  } catch (error) {
    if (error instanceof TidemarkError && error.code === "state-corrupt") return undefined;
    throw error;
  }
}

/** A verified file of the published folder. */
interface Obtained {
  /** With the file's own size. */
  readonly entry: ArchiveEntry;
  readonly content: Uint8Array;
}

class Taking {
  readonly #options: TakeOptions;
  readonly #files: ArchiveFiles;
  readonly #site: PreviousSite;
  readonly #state: Ledger | undefined;
  readonly #yielder: Yielder;
  /** Names of the files that were placed. */
  readonly placed: string[] = [];

  constructor(options: TakeOptions, files: ArchiveFiles, site: PreviousSite, state: Ledger | undefined) {
    this.#options = options;
    this.#files = files;
    this.#site = site;
    this.#state = state;
    this.#yielder = new Yielder(
      options.signal,
      "Stopped while what is published was read; nothing was changed.",
      "Run the export again.",
    );
  }

  async take(): Promise<Result<"site" | "state">> {
    const { site, previous } = this.#options;
    let earlier: ArchiveIndex | undefined;
    for (let attempt = 1; ; attempt++) {
      const found = await this.#site.readIndex();
      this.#yielder.stopIfAsked();
      if (!found.ok) {
        const { code, message } = found.error;
        const url = new URL(publishedFolder.slice(1) + indexFileName, previous.url).href;
        return problem(code === "missing" ? notYet : code, `${url}: ${message}`);
      }
      const index = found.value;
      if (index.site !== site) return problem("other-site", `its index is of ${index.site}, not of ${site}`);
      const taken = await this.#takeFrom(index);
      if (taken.ok || taken.error.code !== "missing" || attempt === maxAttempts) return taken;
      if (earlier?.publication === index.publication && earlier.epoch === index.epoch) return taken;
      earlier = index;
    }
  }

  async #takeFrom(index: ArchiveIndex): Promise<Result<"site" | "state">> {
    const state = this.#state;
    if (state?.epoch === index.epoch && state.publication >= index.publication) {
      const filled = this.#options.dryRun ? ok(undefined) : await this.#fill(state);
      if (filled.ok) return ok("state");
      // A publication that this machine made may never have been deployed: then nobody has its archives.
      if (filled.error.code !== "missing" || state.publication === index.publication) return filled;
    }
    const restored = await this.#restore(index);
    return restored.ok ? ok("site") : restored;
  }

  /** Places the archives of a state that are not there. */
  async #fill({ base, intervals }: Ledger): Promise<Result<undefined>> {
    const list = await this.#obtain(base.list, maxIndexBytes);
    if (!list.ok) return list;
    const archives = parseBaseList(list.value.content);
    if (!archives.ok) return archives;
    const entries = [...archives.value.archives, ...intervals.flatMap((interval) => interval.archives)];
    const filled = await this.#each(entries, () => ok(undefined));
    await this.#files.sync();
    return filled;
  }

  async #restore(index: ArchiveIndex): Promise<Result<undefined>> {
    const { intoDir, clock } = this.#options;
    const list = await this.#obtain(index.base, maxIndexBytes);
    if (!list.ok) return list;
    const base = parseBaseList(list.value.content);
    if (!base.ok) return base;
    const { publication } = base.value;
    if (publication !== index.base.name.to || base.value.pages !== index.base.changes)
      return problem("bad-base", "its base list is not the one that its index names");
    using restoration = new PageRestoration(intoDir);
    const ofBase = await this.#each(base.value.archives, (archive) => {
      const changes = parseCounted(archive);
      if (!changes.ok) return changes;
      if (changes.value.some(({ kind }) => kind !== "created")) return problem("bad-base", "its base holds deletions");
      restoration.add(changes.value);
      return ok(undefined);
    });
    if (!ofBase.ok) return ofBase;
    const ranges: RangedArchive[] = [];
    const ofTiers = await this.#each(index.archives, (archive) => {
      const changes = parseCounted(archive);
      if (!changes.ok) return changes;
      const [first, last] = [changes.value[0], changes.value.at(-1)];
      if (first === undefined || last === undefined) return problem("bad-archive", "it is empty");
      ranges.push({ entry: archive.entry, firstPath: pathOf(first), lastPath: pathOf(last) });
      return checkPathOrder(changes.value);
    });
    if (!ofTiers.ok) return ofTiers;
    const intervals = restoreIntervals(ranges);
    if (!intervals.ok) return intervals;
    const chain = planChain(intervals.value, publication, index.publication);
    if (chain === undefined)
      return problem("bad-chain", "its archives do not lead from the base to the last publication");
    for (const interval of chain)
      for await (const changes of readInterval(this.#files, interval)) {
        restoration.add(changes);
        await this.#yielder.pause();
      }
    const { writer, pages, undigested } = await restoration.write(this.#yielder);
    await using _ = writer;
    if (pages !== index.pages)
      return problem("bad-pages", `its archives hold ${pages} pages, and its index says ${index.pages}`);
    const pagesFile = `pages-${index.publication}-${clock()}.blocks`;
    const finest = planFinestChain(intervals.value, publication, index.publication) ?? chain;
    await this.#files.sync();
    // Sitemaps and ResourceSync of a state that is not used any more.
    await rm(join(intoDir, standardsFileName), { force: true });
    await writer.commit(join(intoDir, pagesFile));
    await syncFolder(intoDir);
    await writeLedger(intoDir, {
      site: index.site,
      epoch: index.epoch,
      publication: index.publication,
      pages,
      base: {
        publication,
        list: list.value.entry,
        archives: base.value.archives.length,
        announced: namesToAnnounce(base.value.archives),
      },
      intervals: intervals.value,
      changesSinceBase: finest.reduce((sum, interval) => sum + countChanges(interval), 0),
      retired: [],
      pageFiles: [{ name: pagesFile, records: pages }],
    });
    await syncFolder(intoDir);
    this.#warnOfUndigested(undigested);
    return ok(undefined);
  }

  #warnOfUndigested(pages: number): void {
    const { digestMode, onEvent } = this.#options;
    if (pages === 0 || digestMode === "none") return;
    const message = `${pages} of the published pages have no digest (server-side includes, --ignore, --significant or lists). Without the state, those that are files are published as changed. Keep the state folder between builds if that is too much.`;
    onEvent({ event: "warning", code: "previous-undigested", message });
  }

  /** Obtains archives, some at a time, and hands them on in their order. */
  async #each(
    entries: readonly ArchiveEntry[],
    use: (archive: Obtained) => Result<undefined>,
  ): Promise<Result<undefined>> {
    for (let at = 0; at < entries.length; at += requestsAtOnce) {
      const some = entries.slice(at, at + requestsAtOnce);
      const settled = await Promise.allSettled(some.map((entry) => this.#obtain(entry, maxArchiveBytes)));
      for (const [number, one] of settled.entries()) {
        if (one.status === "rejected") throw one.reason;
        const used = one.value.ok ? use(one.value.value) : one.value;
        if (used.ok) continue;
        const name = some[number]?.name;
        return one.value.ok && name !== undefined
          ? problem(used.error.code, `${formatArchiveName(name)}: ${used.error.message}`)
          : used;
      }
      const done = Math.min(at + requestsAtOnce, entries.length);
      this.#options.onEvent({ event: "progress", phase: "previous", done, total: entries.length });
      await this.#yielder.pause();
    }
    return ok(undefined);
  }

  /** A file of the published folder: the one that is there, or the site's. */
  async #obtain(entry: ArchiveEntry, maxBytes: number): Promise<Result<Obtained>> {
    const name = formatArchiveName(entry.name);
    const held = await this.#files.readContent(entry.name).catch(() => undefined);
    if (held !== undefined) {
      const { size } = await stat(join(this.#files.folder, name));
      return ok({ entry: { ...entry, sizeBytes: size }, content: held });
    }
    const received = await this.#site.readFile(entry, maxBytes);
    this.#yielder.stopIfAsked();
    if (!received.ok) return problem(received.error.code, `${name}: ${received.error.message}`);
    const { body, content } = received.value;
    this.placed.push(name);
    return ok({ entry: await this.#files.adopt(entry, body, content), content });
  }
}

function parseCounted({ entry, content }: Obtained): Result<Change[]> {
  const changes = parseArchive(content);
  if (!changes.ok || changes.value.length === entry.changes) return changes;
  return problem("bad-count", `it holds ${changes.value.length} changes, and ${entry.changes} are listed`);
}
