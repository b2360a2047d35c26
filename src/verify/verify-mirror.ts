import {
  type HeldBody,
  type MirrorEvent,
  type MirrorFindingKind,
  type MirrorSummary,
  type Page,
  TidemarkError,
  wrapSystemError,
} from "../core/index.ts";
import { chooseSites } from "../crawler/index.ts";
import { findStateFile, type KnownSite, MirrorAudit, openStore, StateReader, type Store } from "../storage/index.ts";
import { drawSeed, PageSample } from "./page-sample.ts";

/** Which mirror to verify, and how thoroughly. */
export interface VerifyMirrorOptions {
  /** Folder of the mirrors, as for `crawlSite`. */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /** Any URL of the site to verify. Default: all sites. */
  readonly url?: string;
  /** Number of randomly chosen pages to read per site. Default: all. */
  readonly sample?: number;
  /** Seed of the sample: an integer. Default: another one each time. */
  readonly seed?: number;
  /** Whether the next crawl fetches damaged pages completely. @default false */
  readonly heal?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: MirrorEvent) => void;
}

const readers = 8;
const duesAtATime = 500;
const progressEveryPages = 100;

/**
 * Reads the files of a mirror and compares each with the state: finds bit rot, missing files, and files that belong to
 * no page.
 *
 * Holds the store exclusively. Nothing in the mirror is changed or deleted; with `heal`, damaged pages become due for
 * the next crawl. Memory is eight bytes per page of the largest site, plus the sample.
 *
 * @returns the summary
 * @throws TidemarkError `not-found`, `locked`, `bad-option` if the state has no such site or no mirror of it, `aborted`, `state-corrupt`
 * @example
 * const { damaged, due } = await verifyMirror({ into: "mirrors", heal: true });
 * if (damaged > 0) console.log(`${damaged} damaged, ${due} due`);
 */
export async function verifyMirror(options: VerifyMirrorOptions): Promise<MirrorSummary> {
  const { into, stateFile, url } = options;
  const startedMs = performance.now();
  const file = findStateFile(stateFile ?? into);
  try {
    using store = openStore({ into, stateFile: file });
    using reader = new StateReader(file);
    const sites = chooseMirrored(reader.readSites(), url);
    const verification = new MirrorVerification(options, store, reader);
    for (const site of sites) await verification.verify(site);
    return verification.summary(sites, Math.round(performance.now() - startedMs));
  } catch (error) {
    throw wrapSystemError(error, `verify the mirror ${into}`, { folder: into });
  }
}

type MirroredSite = KnownSite & { readonly folder: string };

function chooseMirrored(sites: readonly KnownSite[], url: string | undefined): MirroredSite[] {
  const chosen = chooseSites(sites, url);
  const mirrored = chosen.filter((site): site is MirroredSite => site.folder !== undefined);
  const [first] = chosen;
  if (first === undefined || mirrored.length > 0) return mirrored;
  throw new TidemarkError("bad-option", `The crawler keeps no mirror of ${first.origin}.`, {
    hint: "Only sites that were crawled with --keep mirror have one; WARC files have digests of their own.",
    details: { site: first.origin },
  });
}

class MirrorVerification {
  readonly #options: VerifyMirrorOptions;
  readonly #store: Store;
  readonly #reader: StateReader;
  readonly #byKind: Partial<Record<MirrorFindingKind, number>> = {};
  readonly #damaged: string[] = [];
  #pages = 0;
  #checked = 0;
  #checkedBytes = 0;
  #due = 0;

  constructor(options: VerifyMirrorOptions, store: Store, reader: StateReader) {
    this.#options = options;
    this.#store = store;
    this.#reader = reader;
  }

  async verify(site: MirroredSite): Promise<void> {
    const audit = new MirrorAudit(site.folder, this.#reader.readPages(site.id));
    this.#throwIfAborted();
    const { pages } = this.#reader.countHeld(site.id);
    this.#pages += pages;
    const total = Math.min(pages, this.#options.sample ?? pages);
    const chosen = this.#choose(site);
    let done = 0;
    const readOn = async (): Promise<void> => {
      for (let next = chosen.next(); next.done !== true; next = chosen.next()) {
        this.#throwIfAborted();
        await this.#verifyPage(site, audit, next.value);
        done++;
        if (done % progressEveryPages === 0 || done === total)
          this.#options.onEvent?.({ event: "progress", site: site.origin, done, total });
      }
    };
    await Promise.all(Array.from({ length: readers }, readOn));
    this.#makeDue(site, 1);
    for await (const file of audit.findForeign()) {
      this.#throwIfAborted();
      this.#tell(site, "foreign", { file }, "it is no page's");
    }
  }

  summary(sites: readonly MirroredSite[], elapsedMs: number): MirrorSummary {
    const { foreign = 0, ...damage } = this.#byKind;
    return {
      sites: sites.map(({ origin }) => origin),
      pages: this.#pages,
      checked: this.#checked,
      checkedBytes: this.#checkedBytes,
      damaged: Object.values(damage).reduce((sum, count) => sum + count, 0),
      foreign,
      findingsByKind: { ...this.#byKind },
      due: this.#due,
      elapsedMs,
    };
  }

  #choose(site: KnownSite): Iterator<Page & HeldBody> {
    const { sample, seed = drawSeed() } = this.#options;
    if (sample === undefined) return this.#reader.readPages(site.id);
    const drawn = new PageSample<Page & HeldBody>(sample, seed);
    for (const page of this.#reader.readPages(site.id)) drawn.offer(page);
    return drawn.pages.values();
  }

  async #verifyPage(site: KnownSite, audit: MirrorAudit, page: Page & HeldBody): Promise<void> {
    const { fault, message, readBytes } = await audit.verify(page);
    this.#checked++;
    this.#checkedBytes += readBytes;
    if (fault === undefined) return;
    this.#tell(site, fault, { path: page.path }, message);
    this.#damaged.push(page.path);
    this.#makeDue(site, duesAtATime);
  }

  #makeDue(site: KnownSite, atLeast: number): void {
    if (this.#damaged.length < atLeast) return;
    const paths = this.#damaged.splice(0);
    if (this.#options.heal === true) this.#due += this.#store.doubt(site.id, paths);
  }

  #tell(
    { origin }: KnownSite,
    kind: MirrorFindingKind,
    where: { path?: string; file?: string },
    message: string,
  ): void {
    this.#byKind[kind] = (this.#byKind[kind] ?? 0) + 1;
    const { path, file } = where;
    this.#options.onEvent?.({ event: "finding", site: origin, kind, path, file, message });
  }

  #throwIfAborted(): void {
    if (this.#options.signal?.aborted !== true) return;
    throw new TidemarkError("aborted", "The verification of the mirror was stopped before its end.");
  }
}
