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
import { throwIfAborted, warn } from "../visit/reading-visit.ts";
import type { CrawlVisit, SourceVisit } from "./crawl-visit.ts";
import { fillIntake } from "./intake.ts";
import type { FetchPackages } from "./package-plan.ts";
import {
  type DocumentCopy,
  type Lists,
  type NamedDocument,
  readChanges,
  type SyncChanges,
  type SyncDocument,
  SyncDocuments,
  timeOfChange,
} from "./resource-sync-documents.ts";
import { fetchFromDumps, noteTime } from "./resource-sync-dumps.ts";
import type { SeekPackages } from "./source.ts";
import { type ChangeSource, failLook, type SourceLook } from "./source.ts";
import type { UrlScope } from "./url-scope.ts";

/** What is remembered of a site that is followed by ResourceSync. */
interface ResourceSyncState {
  /** Every change up to then is taken in. */
  readonly until: EpochSeconds;
  readonly typesKey: string;
  /** The documents read, by path. Older states have none. */
  readonly documents?: Readonly<Record<string, DocumentCopy>>;
  /** Keys of offered packages that have nothing more to give. */
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
  readonly #scope: UrlScope;

  constructor(scope: UrlScope) {
    this.#scope = scope;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const remembered = visit.ports.memory.readSource(this.name) as ResourceSyncState | undefined;
    // With another filter, what was skipped is wanted now; and the state does not cover what another source has written.
    const isOwn = visit.ports.memory.read().writer === this.name;
    const isValid = isOwn && remembered?.typesKey === visit.filter.key;
    // All of it is work, of which the site's delay grants a page or two a visit.
    if (visit.progress.isIndexRead && isValid && visit.ports.urls.counts().pending > 0)
      return ok({ kind: "work", position: undefined });
    const { unasked } = visit.tally;
    const reading = new ResourceSyncReading(visit, this.#scope, remembered, { isOwn, isValid });
    const lists = await reading.findLists();
    const followed = lists.ok ? await reading.follow(lists.value) : lists;
    if (followed.ok || visit.tally.unasked === unasked) reading.end();
    if (!lists.ok) return failLook(lists.error, remembered !== undefined);
    if (!followed.ok) return failLook(followed.error, remembered !== undefined);
    visit.progress.noteIndex();
    const fetchPackages: SeekPackages = (crawl, fetch) => reading.fetchPackages(crawl, lists.value, fetch);
    return ok({ kind: "work", position: undefined, fetchPackages });
  }
}

function isSamePlaces(a: readonly NamedDocument[], b: readonly NamedDocument[]): boolean {
  return a.length === b.length && a.every(({ location }, at) => location === b[at]?.location);
}

/** Why change lists do not lead from the last visit to now; `isBroken` if they cannot be used at all. */
interface Unusable {
  readonly isBroken: boolean;
  readonly why: string;
}

class ResourceSyncReading {
  readonly #visit: SourceVisit;
  readonly #scope: UrlScope;
  readonly #documents: SyncDocuments;
  /** Up to when the last visit took in changes; undefined if it did not, or they are void. */
  readonly #since: EpochSeconds | undefined;
  /** The same, even if void. */
  readonly #readUntil: EpochSeconds | undefined;
  readonly #isOwn: boolean;
  /** Up to when this visit has taken in changes. */
  #until: EpochSeconds = 0;
  /** When pages changed, of the changes that this visit took in. */
  readonly #changed = new Map<string, EpochSeconds>();
  #used: readonly string[];
  /** Whether change lists may have been read without taking in their changes. */
  #forgetsChanges = false;

  /**
   * @param isOwn - whether the held pages came by ResourceSync
   * @param isValid - whether the state describes them
   */
  constructor(
    visit: SourceVisit,
    scope: UrlScope,
    state: ResourceSyncState | undefined,
    { isOwn, isValid }: { readonly isOwn: boolean; readonly isValid: boolean },
  ) {
    this.#visit = visit;
    this.#scope = scope;
    this.#documents = new SyncDocuments(visit, scope, state?.documents ?? {});
    this.#since = isValid ? state?.until : undefined;
    this.#readUntil = state?.until;
    this.#isOwn = isOwn;
    this.#used = (isValid ? state?.used : undefined) ?? [];
  }

  /** Says that the documents are not needed any more. */
  end(): void {
    this.#documents.endReading();
  }

  /** Finds the lists: the source description names the capability list, which names them. */
  async findLists(): Promise<Result<Lists>> {
    const description = await this.#documents.read(resourceSyncPath);
    if (!description.ok) return description;
    const named = description.value.named.find(({ capability }) => capability === "capabilitylist");
    // At some sites the capability list itself is at the well-known place.
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
   * Takes in the changes since the last visit, or else the whole site. If the change lists cannot be used, a new resource
   * list can; if it is unchanged too, nothing says what changed.
   */
  async follow(lists: Lists): Promise<Result<undefined>> {
    const since = this.#since;
    const changes = since === undefined ? ok(undefined) : await readChanges(this.#documents, lists, since);
    if (changes.ok && changes.value !== undefined && changes.value.since === since) {
      this.#until = since;
      return await this.#takeChangesSince(changes.value);
    }
    if (!changes.ok) return await this.#readAll(lists, { isBroken: true, why: changes.error.message });
    const isShort = changes.value !== undefined;
    const why = "the change lists do not reach back to the last visit";
    return await this.#readAll(lists, isShort ? { isBroken: false, why } : undefined);
  }

  async #takeChangesSince({ since, parts }: SyncChanges): Promise<Result<undefined>> {
    const news = parts.filter(({ isNew }) => isNew);
    if (news.length === 0) return this.#rememberUnchanged();
    return await fillIntake(this.#visit.ports.memory, async (intake) => {
      this.#takeChanges(intake, news, since);
      return this.#commit(intake);
    });
  }

  /**
   * Takes in the whole site, unless it is unchanged.
   *
   * @param unusable - why the change lists do not lead from the last visit to now, if that is known
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
    // Change lists that could not be followed to their end are read from the beginning next time.
    this.#forgetsChanges = true;
    const checked = await this.#checkChanges(lists, unusable, isChanged && this.#isNews(header.at));
    if (!checked.ok) return checked;
    if (!isChanged && this.#since !== undefined) {
      this.#until = Math.max(this.#since, header.at ?? 0);
      return this.#rememberUnchanged();
    }
    this.#until = header.at ?? Math.floor(this.#visit.ports.timing.now() / 1000) - 86_400;
    this.#used = [];
    return await this.#takeInAll(lists, header, header.kind === "urlset" ? [location] : parts, news);
  }

  /** Whether a resource list of this time is younger than all that is held, so that it lacks only what is gone. */
  #isYoungerThanHeld(at: EpochSeconds | undefined): boolean {
    return this.#isOwn && at !== undefined && this.#readUntil !== undefined && at > this.#readUntil;
  }

  /** Whether a resource list of this time says more than was known. */
  #isNews(at: EpochSeconds | undefined): boolean {
    return at === undefined || this.#readUntil === undefined || at > this.#readUntil;
  }

  /** Warns of change lists that cannot be used; a problem if there is no newer resource list either. */
  async #checkChanges(lists: Lists, known: Unusable | undefined, hasNewList: boolean): Promise<Result<undefined>> {
    const unusable = known ?? (await this.#findUnusable(lists));
    if (unusable === undefined) return ok(undefined);
    const { isBroken, why } = unusable;
    if (!hasNewList) return problem("resourcesync-unusable", `${why}, and there is no newer resource list`);
    if (isBroken) warn(this.#visit, "resourcesync-unusable", `${why}. The resource list is used, as of its own time.`);
    return ok(undefined);
  }

  // If the state is void, the change lists were not read yet.
  async #findUnusable(lists: Lists): Promise<Unusable | undefined> {
    if (this.#since !== undefined || this.#readUntil === undefined) return undefined;
    const changes = await readChanges(this.#documents, lists, this.#readUntil);
    return changes.ok ? undefined : { isBroken: true, why: changes.error.message };
  }

  /** The first part that is new; later ones are not requested. */
  async #findNew(parts: readonly string[]): Promise<Result<[string, SyncDocument] | undefined>> {
    for (const part of parts) {
      const document = await this.#documents.readNamed(part);
      if (!document.ok) return document;
      if (document.value.isNew) return ok([part, document.value]);
    }
    return ok(undefined);
  }

  // Pages that are not listed are deleted, so all parts are read, including unchanged ones.
  async #takeInAll(
    lists: Lists,
    { at }: SyncDocument["header"],
    parts: readonly string[],
    news: ReadonlyMap<string, SyncDocument>,
  ): Promise<Result<undefined>> {
    return await fillIntake(this.#visit.ports.memory, async (intake) => {
      for (const part of parts) {
        const known = news.get(part);
        const document = known === undefined ? await this.#documents.readNamed(part, true) : ok(known);
        if (!document.ok) return document;
        this.#list(intake, document.value.pages);
      }
      const newer = await this.#takeNewer(intake, lists);
      if (!newer.ok && !this.#isYoungerThanHeld(at)) return newer;
      intake.withdrawUnlisted(this.#visit.filter.matches);
      return this.#commit(intake);
    });
  }

  // Pages that are newer than the resource list are not in it, and must not be deleted for that.
  async #takeNewer(intake: Intake, lists: Lists): Promise<Result<undefined>> {
    if (this.#visit.ports.urls.counts().held === 0) return ok(undefined);
    const until = this.#until;
    // Without validators: an unchanged document (304) comes without its pages.
    const changes = await readChanges(new SyncDocuments(this.#visit, this.#scope, {}), lists, until);
    throwIfAborted(this.#visit);
    if (!changes.ok || changes.value === undefined) return changes.ok ? ok(undefined) : changes;
    this.#takeChanges(intake, changes.value.parts, until);
    // What changed before the first of them is not known.
    if (changes.value.since > until) this.#until = until;
    return ok(undefined);
  }

  /** Fetches pages that are due in packages, if the site offers any that are worth it. */
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
      // Times are whole seconds: further changes may have happened later in the second of `since`.
      for (const entry of pages) {
        const at = timeOfChange(entry);
        if (at < since) continue;
        if (Number.isFinite(at)) this.#until = Math.max(this.#until, at);
        this.#takeChange(intake, entry, at);
      }
    }
  }

  #commit(intake: Intake): Result<undefined> {
    intake.commit(undefined, { source: "resourcesync", state: this.#state() });
    return ok(undefined);
  }

  #rememberUnchanged(): Result<undefined> {
    if (this.#documents.hasNew) this.#visit.ports.memory.rememberSource("resourcesync", this.#state());
    return ok(undefined);
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

  // Without a digest, a changed page of the same size and second would seem to be held already.
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
    const isWanted = ({ path, mediaType }: Page): boolean => filter.matches(mediaType) && filter.admits(path);
    const wanted = pages.filter(isWanted);
    const others = pages.filter((page) => !isWanted(page)).map(({ path }) => path);
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
