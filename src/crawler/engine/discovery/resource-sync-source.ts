import type { Intake } from "../../../core/index.ts";
import {
  digestBytes,
  type EpochSeconds,
  isMediaType,
  ok,
  type Page,
  problem,
  type Result,
} from "../../../core/index.ts";
import {
  type Capability,
  parseSha256Hash,
  type ResourceSyncEntry,
  resourceSyncPath,
} from "../../../formats/resourcesync/index.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";
import { warn } from "../visit/reading-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { FetchPackages } from "./package-plan.ts";
import { type Lists, readChanges, type SyncChanges, timeOfChange } from "./resource-sync-changes.ts";
import { type DocumentCopy, type NamedDocument, type SyncDocument, SyncDocuments } from "./resource-sync-documents.ts";
import { fetchFromDumps, noteTime } from "./resource-sync-dumps.ts";
import type { SeekPackages } from "./source.ts";
import { type ChangeSource, failLook, type SourceLook } from "./source.ts";
import type { TargetScope } from "./target-scope.ts";

/** How far the site was followed. */
interface ResourceSyncState {
  /** Every change up to then was taken in. */
  readonly until: EpochSeconds;
  readonly typesKey: string;
  /** What was read until then, by path. Older states have none. */
  readonly documents?: Readonly<Record<string, DocumentCopy>>;
  /** Keys of packages that have given what they can; of those that are offered still. */
  readonly used?: readonly string[];
}

/** A digest of ours, if an entry's hash has a SHA-256. */
function digestOf(hash: string | undefined): string | undefined {
  const hex = hash === undefined ? undefined : parseSha256Hash(hash);
  if (hex === undefined) return undefined;
  let bytes = "";
  for (let at = 0; at < digestBytes * 2; at += 2)
    bytes += String.fromCharCode(Number.parseInt(hex.slice(at, at + 2), 16));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * ResourceSync: change lists from where the last visit ended, else the resource list.
 *
 * @see ANSI/NISO Z39.99-2017 sections 6, 9 and 12
 */
export class ResourceSyncSource implements ChangeSource {
  readonly name = "resourcesync";
  readonly #scope: TargetScope;

  constructor(scope: TargetScope) {
    this.#scope = scope;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const remembered = visit.ports.memory.readSource(this.name) as ResourceSyncState | undefined;
    // What was passed over for its type is wanted now; and what another source wrote since is not in what is remembered.
    const isOwn = visit.ports.memory.read().writer === this.name;
    const isValid = isOwn && remembered?.typesKey === visit.filter.key;
    const reading = new ResourceSyncReading(visit, this.#scope, remembered, isValid);
    const lists = await reading.findLists();
    if (!lists.ok) return failLook(lists.error, remembered !== undefined);
    const followed = await reading.follow(lists.value);
    if (!followed.ok) return failLook(followed.error, remembered !== undefined);
    const fetchPackages: SeekPackages = (crawl, fetch) => reading.fetchPackages(crawl, lists.value, fetch);
    return ok({ kind: "work", position: undefined, fetchPackages });
  }
}

function isSamePlaces(a: readonly NamedDocument[], b: readonly NamedDocument[]): boolean {
  return a.length === b.length && a.every(({ location }, at) => location === b[at]?.location);
}

/** Why change lists do not lead from the last visit to now; `isBroken` if they lead nowhere. */
interface Unusable {
  readonly isBroken: boolean;
  readonly why: string;
}

class ResourceSyncReading {
  readonly #visit: SourceVisit;
  readonly #scope: TargetScope;
  readonly #documents: SyncDocuments;
  /** How far the last visit came; undefined if nothing was taken in yet, or what was is void. */
  readonly #since: EpochSeconds | undefined;
  /** How far the resource list was read last that is known, whatever came after. */
  readonly #readUntil: EpochSeconds | undefined;
  /** How far this one came. */
  #until: EpochSeconds = 0;
  /** When pages changed, as far as this visit took it in. */
  readonly #changed = new Map<string, EpochSeconds>();
  #used: readonly string[];
  /** Whether lists of changes may have been read that led to nothing. */
  #forgetsChanges = false;

  /** @param isValid - whether what is remembered says what is held */
  constructor(visit: SourceVisit, scope: TargetScope, state: ResourceSyncState | undefined, isValid: boolean) {
    this.#visit = visit;
    this.#scope = scope;
    this.#documents = new SyncDocuments(visit, scope, state?.documents ?? {});
    this.#since = isValid ? state?.until : undefined;
    this.#readUntil = state?.until;
    this.#used = (isValid ? state?.used : undefined) ?? [];
  }

  /** From the source description to the capability list to the lists. */
  async findLists(): Promise<Result<Lists>> {
    const description = await this.#documents.read(resourceSyncPath);
    if (!description.ok) return description;
    const named = description.value.named.find(({ capability }) => capability === "capabilitylist");
    // Some sites name the capability list itself at the well-known place.
    const capabilities =
      description.value.header.capability === "capabilitylist"
        ? description
        : await this.#documents.readNamed(named?.location);
    if (!capabilities.ok) return capabilities;
    const lists = new Map<Capability, string>();
    for (const { capability, location } of capabilities.value.named)
      if (capability !== undefined && !lists.has(capability)) lists.set(capability, location);
    if (!lists.has("resourcelist") && !lists.has("changelist"))
      return problem("no-resourcesync", "the capability list names neither a resource list nor a change list");
    return ok(lists);
  }

  /**
   * Takes in the changes since the last visit, or else the whole site. Where the change lists cannot be used, the resource list
   * is as true as it is new; if it is as it was, nothing says what changed.
   */
  async follow(lists: Lists): Promise<Result<undefined>> {
    const since = this.#since;
    const changes = since === undefined ? ok(undefined) : await readChanges(this.#documents, lists, since);
    if (changes.ok && changes.value !== undefined && changes.value.since === since) {
      this.#until = since;
      this.#takeChangesSince(changes.value);
      return ok(undefined);
    }
    if (!changes.ok) return await this.#readAll(lists, { isBroken: true, why: changes.error.message });
    const isShort = changes.value !== undefined;
    const why = "the change lists do not reach back to the last visit";
    return await this.#readAll(lists, isShort ? { isBroken: false, why } : undefined);
  }

  #takeChangesSince({ since, parts }: SyncChanges): void {
    const news = parts.filter(({ isNew }) => isNew);
    if (news.length === 0) this.#rememberUnchanged();
    else this.#takeIn((intake) => this.#takeChanges(intake, news, since));
  }

  /**
   * Takes in the whole site, unless nothing is new in it.
   *
   * @param unusable - why the change lists do not lead here from the last visit, if it is known that they do not
   */
  async #readAll(lists: Lists, unusable: Unusable | undefined): Promise<Result<undefined>> {
    const location = lists.get("resourcelist");
    if (location === undefined) return problem("no-resourcesync", unusable?.why ?? "there is no resource list");
    const first = await this.#documents.readNamed(location);
    if (!first.ok) return first;
    const { header, named, earlier, isNew } = first.value;
    const parts = header.kind === "sitemapindex" ? named.map(({ location: part }) => part) : [];
    const news = new Map<string, SyncDocument>(header.kind === "urlset" && isNew ? [[location, first.value]] : []);
    let isChanged = isNew;
    if (header.kind === "sitemapindex" && isSamePlaces(named, earlier?.named ?? [])) {
      const part = await this.#findNew(parts);
      if (!part.ok) return part;
      if (part.value !== undefined) news.set(...part.value);
      isChanged = part.value !== undefined;
    }
    // Lists of changes that could not be followed to their end are read from their beginning.
    this.#forgetsChanges = true;
    const checked = await this.#checkChanges(lists, unusable, isChanged && this.#isNews(header.at));
    if (!checked.ok) return checked;
    if (!isChanged && this.#since !== undefined) {
      this.#until = Math.max(this.#since, header.at ?? 0);
      this.#rememberUnchanged();
      return ok(undefined);
    }
    this.#until = header.at ?? Math.floor(this.#visit.ports.timing.now() / 1000) - 86_400;
    this.#used = [];
    return await this.#takeInAll(lists, header.kind === "urlset" ? [location] : parts, news);
  }

  /** Whether a resource list of this time says more than was known. */
  #isNews(at: EpochSeconds | undefined): boolean {
    return at === undefined || this.#readUntil === undefined || at > this.#readUntil;
  }

  /** Says so if the site has change lists that cannot be used: a problem if there is no newer resource list either. */
  async #checkChanges(lists: Lists, known: Unusable | undefined, hasNewList: boolean): Promise<Result<undefined>> {
    const unusable = known ?? (await this.#findUnusable(lists));
    if (unusable === undefined) return ok(undefined);
    const { isBroken, why } = unusable;
    if (!hasNewList) return problem("resourcesync-unusable", `${why}, and there is no newer resource list`);
    if (isBroken) warn(this.#visit, "resourcesync-unusable", `${why}. The resource list is used, as of its own time.`);
    return ok(undefined);
  }

  // Where what is remembered is void, the change lists were not read yet.
  async #findUnusable(lists: Lists): Promise<Unusable | undefined> {
    if (this.#since !== undefined || this.#readUntil === undefined) return undefined;
    const changes = await readChanges(this.#documents, lists, this.#readUntil);
    return changes.ok ? undefined : { isBroken: true, why: changes.error.message };
  }

  /** The first part that is new; what comes after it is not asked for. */
  async #findNew(parts: readonly string[]): Promise<Result<[string, SyncDocument] | undefined>> {
    for (const part of parts) {
      const document = await this.#documents.readNamed(part);
      if (!document.ok) return document;
      if (document.value.isNew) return ok([part, document.value]);
    }
    return ok(undefined);
  }

  // What is not listed is deleted: so all parts are read, those too that are as they were.
  async #takeInAll(
    lists: Lists,
    parts: readonly string[],
    news: ReadonlyMap<string, SyncDocument>,
  ): Promise<Result<undefined>> {
    const intake = this.#visit.ports.memory.beginIntake();
    let committed = false;
    try {
      for (const part of parts) {
        const known = news.get(part);
        const document = known === undefined ? await this.#documents.readNamed(part, true) : ok(known);
        if (!document.ok) return document;
        this.#list(intake, document.value.pages);
      }
      await this.#takeNewer(intake, lists);
      intake.withdrawUnlisted(this.#visit.filter.matches);
      intake.commit(undefined, { source: "resourcesync", state: this.#state() });
      committed = true;
      return ok(undefined);
    } finally {
      if (!committed) intake.rollback();
    }
  }

  // What came after the resource list is not in it, and is no reason to delete what is held.
  async #takeNewer(intake: Intake, lists: Lists): Promise<void> {
    if (this.#visit.ports.work.counts().held === 0) return;
    // What was read before comes without its pages where it is asked for with its validators.
    const changes = await readChanges(new SyncDocuments(this.#visit, this.#scope, {}), lists, this.#until);
    if (changes.ok && changes.value?.since === this.#until) this.#takeChanges(intake, changes.value.parts, this.#until);
  }

  /** Keeps pages that are due from packages, where the site offers such as are worth it. */
  async fetchPackages(visit: CrawlVisit, lists: Lists, fetch: FetchPackages): Promise<void> {
    const since = this.#since;
    this.#used = await fetchFromDumps(
      visit,
      {
        source: this.#visit,
        scope: this.#scope,
        documents: this.#documents,
        lists,
        taken: since === undefined || this.#changed.size === 0 ? undefined : { since, byPath: this.#changed },
        until: this.#until,
        used: this.#used,
      },
      fetch,
    );
    if (this.#documents.hasNew || this.#used.length > 0)
      visit.ports.memory.rememberSource("resourcesync", this.#state());
  }

  #takeChanges(intake: Intake, parts: readonly SyncDocument[], since: EpochSeconds): void {
    for (const { header, pages } of parts) {
      this.#until = Math.max(this.#until, header.until ?? 0);
      // Times are whole seconds: changes of the second up to which all is known may have come later in it.
      for (const entry of pages) {
        const at = timeOfChange(entry);
        if (at < since) continue;
        if (Number.isFinite(at)) this.#until = Math.max(this.#until, at);
        this.#takeChange(intake, entry, at);
      }
    }
  }

  #takeIn(act: (intake: Intake) => void): void {
    const intake = this.#visit.ports.memory.beginIntake();
    let committed = false;
    try {
      act(intake);
      intake.commit(undefined, { source: "resourcesync", state: this.#state() });
      committed = true;
    } finally {
      if (!committed) intake.rollback();
    }
  }

  /** Keeps what was read, where it led to nothing. */
  #rememberUnchanged(): void {
    if (this.#documents.hasNew) this.#visit.ports.memory.rememberSource("resourcesync", this.#state());
  }

  #state(): ResourceSyncState {
    const documents = this.#documents.copies(this.#forgetsChanges ? "changelist" : undefined);
    return { until: this.#until, typesKey: this.#visit.filter.key, documents, used: this.#used };
  }

  #takeChange(intake: Intake, entry: ResourceSyncEntry, at: number): void {
    const path = this.#scope.pathOf(entry.location, this.#visit.origin);
    if (path === undefined) return;
    noteTime(this.#changed, path, entry);
    if (entry.change === "deleted") intake.withdraw([path]);
    else this.#listPages(intake, [this.#changedPage(path, entry, at)]);
  }

  // A change that left size and second as they were would, without a digest, seem to be held already.
  #changedPage(path: string, entry: ResourceSyncEntry, at: number): Page {
    const page = this.#pageOf(path, entry, at);
    if (page.digest !== undefined || entry.change !== "updated" || !Number.isFinite(at)) return page;
    return { ...page, lastModified: Math.max(page.lastModified, at) };
  }

  #list(intake: Intake, entries: readonly ResourceSyncEntry[]): void {
    const pages: Page[] = [];
    for (const entry of entries) {
      const path = this.#scope.pathOf(entry.location, this.#visit.origin);
      if (path !== undefined) pages.push(this.#pageOf(path, entry, 0));
    }
    this.#listPages(intake, pages);
  }

  #listPages(intake: Intake, pages: readonly Page[]): void {
    const { filter } = this.#visit;
    const wanted = pages.filter(({ mediaType }) => filter.matches(mediaType));
    const others = pages.filter(({ mediaType }) => !filter.matches(mediaType)).map(({ path }) => path);
    if (others.length > 0) intake.withdraw(others);
    if (wanted.length > 0) intake.list(wanted, false);
  }

  #pageOf(path: string, entry: ResourceSyncEntry, at: number): Page {
    const said = entry.mediaType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
    const mediaType = isMediaType(said) ? said : this.#visit.ports.mediaTypes.typeOf(path);
    return {
      path,
      sizeBytes: entry.sizeBytes,
      digest: digestOf(entry.hash),
      lastModified: entry.lastModified ?? (Number.isFinite(at) ? at : 0),
      mediaType: mediaType ?? "text/html",
    };
  }
}
