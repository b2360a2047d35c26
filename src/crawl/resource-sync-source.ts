import { type Capability, parseSha256Hash, type ResourceSyncEntry, resourceSyncPath } from "../format/index.ts";
import { digestBytes, type EpochSeconds, isMediaType, ok, type Page, problem, type Result } from "../model/index.ts";
import type { CrawlVisit } from "./crawl-visit.ts";
import type { Intake } from "./ports.ts";
import { type DocumentCopy, type NamedDocument, type SyncDocument, SyncDocuments } from "./resource-sync-documents.ts";
import { fetchFromDumps, type Lists, noteTime, readChangeParts, timeOfChange } from "./resource-sync-dumps.ts";
import { type ChangeSource, failLook, type SourceLook, type SourceVisit } from "./source.ts";
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
    const state = isOwn && remembered?.typesKey === visit.filter.key ? remembered : undefined;
    const reading = new ResourceSyncReading(visit, this.#scope, state);
    const lists = await reading.findLists();
    if (!lists.ok) return failLook(lists.error, remembered !== undefined);
    const followed = (await reading.followChanges(lists.value)) ?? (await reading.readAll(lists.value));
    if (!followed.ok) return failLook(followed.error, remembered !== undefined);
    const fetchPackages = (crawl: CrawlVisit): Promise<void> => reading.fetchPackages(crawl, lists.value);
    return ok({ kind: "work", position: undefined, fetchPackages });
  }
}

function isSamePlaces(a: readonly NamedDocument[], b: readonly NamedDocument[]): boolean {
  return a.length === b.length && a.every(({ location }, at) => location === b[at]?.location);
}

class ResourceSyncReading {
  readonly #visit: SourceVisit;
  readonly #scope: TargetScope;
  readonly #documents: SyncDocuments;
  /** How far the last visit came; undefined if nothing was taken in yet. */
  readonly #since: EpochSeconds | undefined;
  /** How far this one came. */
  #until: EpochSeconds = 0;
  /** When pages changed, as far as this visit took it in. */
  readonly #changed = new Map<string, EpochSeconds>();
  #used: readonly string[];
  /** Whether lists of changes may have been read that led to nothing. */
  #forgetsChanges = false;

  constructor(visit: SourceVisit, scope: TargetScope, state: ResourceSyncState | undefined) {
    this.#visit = visit;
    this.#scope = scope;
    this.#documents = new SyncDocuments(visit, scope, state?.documents ?? {});
    this.#since = state?.until;
    this.#used = state?.used ?? [];
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
   * Takes in the changes since the last visit.
   *
   * @returns undefined if the change lists do not reach back so far, or cannot be read
   */
  async followChanges(lists: Lists): Promise<Result<undefined> | undefined> {
    const since = this.#since;
    const location = lists.get("changelist");
    if (since === undefined || location === undefined) return undefined;
    const first = await this.#documents.readNamed(location);
    if (!first.ok) return undefined;
    const { from } = first.value.header;
    if (from === undefined || from > since) return undefined;
    const parts = await readChangeParts(this.#documents, first.value, since);
    if (parts === undefined) return undefined;
    this.#until = since;
    const news = parts.filter(({ isNew }) => isNew);
    if (news.length === 0) this.#rememberUnchanged();
    else this.#takeIn((intake) => this.#takeChanges(intake, news, since));
    return ok(undefined);
  }

  /** Takes in the whole site, unless nothing is new in it. */
  async readAll(lists: Lists): Promise<Result<undefined>> {
    const location = lists.get("resourcelist");
    if (location === undefined) return problem("no-resourcesync", "there is no resource list");
    const first = await this.#documents.readNamed(location);
    if (!first.ok) return first;
    const { header, named, earlier, isNew } = first.value;
    const parts = header.kind === "sitemapindex" ? named.map(({ location: part }) => part) : [];
    const news = new Map<string, SyncDocument>(header.kind === "urlset" ? [[location, first.value]] : []);
    let isChanged = isNew;
    if (header.kind === "sitemapindex" && isSamePlaces(named, earlier?.named ?? [])) {
      const part = await this.#findNew(parts);
      if (!part.ok) return part;
      if (part.value !== undefined) news.set(...part.value);
      isChanged = part.value !== undefined;
    }
    // Lists of changes that could not be followed to their end are read from their beginning.
    this.#forgetsChanges = true;
    if (!isChanged && this.#since !== undefined) {
      this.#until = Math.max(this.#since, header.at ?? 0);
      this.#rememberUnchanged();
      return ok(undefined);
    }
    this.#until = header.at ?? Math.floor(this.#visit.ports.timing.now() / 1000) - 86_400;
    this.#used = [];
    return await this.#takeInAll(header.kind === "urlset" ? [location] : parts, news);
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
  async #takeInAll(parts: readonly string[], news: ReadonlyMap<string, SyncDocument>): Promise<Result<undefined>> {
    const intake = this.#visit.ports.memory.beginIntake();
    let committed = false;
    try {
      for (const part of parts) {
        const known = news.get(part);
        const document = known === undefined ? await this.#documents.readNamed(part, true) : ok(known);
        if (!document.ok) return document;
        this.#list(intake, document.value.pages);
      }
      intake.withdrawUnlisted(this.#visit.filter.matches);
      intake.commit(undefined, { source: "resourcesync", state: this.#state() });
      committed = true;
      return ok(undefined);
    } finally {
      if (!committed) intake.rollback();
    }
  }

  /** Keeps pages that are due from packages, where the site offers such as are worth it. */
  async fetchPackages(visit: CrawlVisit, lists: Lists): Promise<void> {
    const since = this.#since;
    this.#used = await fetchFromDumps(visit, {
      source: this.#visit,
      scope: this.#scope,
      documents: this.#documents,
      lists,
      taken: since === undefined || this.#changed.size === 0 ? undefined : { since, byPath: this.#changed },
      until: this.#until,
      used: this.#used,
    });
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
