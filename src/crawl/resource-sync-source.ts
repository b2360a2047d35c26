import {
  type Capability,
  maxSitemapBytes,
  parseSha256Hash,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  ResourceSyncReader,
  resourceSyncPath,
  robotsAllow,
} from "../format/index.ts";
import { digestBytes, type EpochSeconds, isMediaType, ok, type Page, problem, type Result } from "../model/index.ts";
import { describeOutcome, getPatiently } from "./patient-request.ts";
import type { Intake } from "./ports.ts";
import { throwIfAborted } from "./reading-visit.ts";
import { productToken } from "./robots-rules.ts";
import { type ChangeSource, failLook, type SourceLook, type SourceVisit } from "./source.ts";
import type { TargetScope } from "./target-scope.ts";

const pieceBytes = 64 * 1024;
/** Documents that are read at most in one visit. */
const maxDocuments = 10_000;

/** How far the site was followed. */
interface ResourceSyncState {
  /** Every change up to then was taken in. */
  readonly until: EpochSeconds;
  readonly typesKey: string;
}

interface Document {
  readonly header: ResourceSyncHeader;
  readonly entries: readonly ResourceSyncEntry[];
}

/** The lists that a capability list names, by what they are. */
type Lists = ReadonlyMap<Capability, string>;

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
    const reading = new ResourceSyncReading(visit, this.#scope);
    const lists = await reading.findLists();
    const state = visit.ports.memory.readSource(this.name) as ResourceSyncState | undefined;
    if (!lists.ok) return failLook(lists.error, state !== undefined);
    const from = state?.typesKey === visit.filter.key ? state.until : undefined;
    const until =
      (from === undefined ? undefined : await reading.followChanges(lists.value, from)) ??
      (await reading.readAll(lists.value));
    if (typeof until !== "number") return until.ok ? until : failLook(until.error, state !== undefined);
    return ok({ kind: "work", position: undefined });
  }
}

class ResourceSyncReading {
  readonly #visit: SourceVisit;
  readonly #scope: TargetScope;
  #documents = 0;

  constructor(visit: SourceVisit, scope: TargetScope) {
    this.#visit = visit;
    this.#scope = scope;
  }

  /** From the source description to the capability list to the lists. */
  async findLists(): Promise<Result<Lists>> {
    const description = await this.#read(resourceSyncPath);
    if (!description.ok) return description;
    const named = description.value.entries.find(({ capability }) => capability === "capabilitylist");
    // Some sites name the capability list itself at the well-known place.
    const capabilities =
      description.value.header.capability === "capabilitylist" ? description : await this.#readNamed(named?.location);
    if (!capabilities.ok) return capabilities;
    const lists = new Map<Capability, string>();
    for (const { capability, location } of capabilities.value.entries)
      if (capability !== undefined && !lists.has(capability)) lists.set(capability, location);
    if (!lists.has("resourcelist") && !lists.has("changelist"))
      return problem("no-resourcesync", "the capability list names neither a resource list nor a change list");
    return ok(lists);
  }

  /**
   * Takes in the changes since a time.
   *
   * @returns up to when; undefined if the change lists do not reach back so far, or cannot be read
   */
  async followChanges(lists: Lists, since: EpochSeconds): Promise<EpochSeconds | undefined> {
    const location = lists.get("changelist");
    if (location === undefined) return undefined;
    const first = await this.#readNamed(location);
    if (!first.ok) return undefined;
    const { header, entries } = first.value;
    if (header.from === undefined || header.from > since) return undefined;
    const parts = header.kind === "urlset" ? [first.value] : [];
    if (header.kind === "sitemapindex") {
      for (const entry of entries) {
        // A closed list that ended before is known.
        if (entry.until !== undefined && entry.until < since) continue;
        const part = await this.#readNamed(entry.location);
        if (!part.ok) return undefined;
        parts.push(part.value);
      }
    }
    return this.#takeIn((intake) => {
      let until = since;
      for (const { header: of, entries: changes } of parts) {
        until = Math.max(until, of.until ?? 0);
        // Times are whole seconds: changes of the second up to which all is known may have come later in it.
        for (const entry of changes) {
          const at = entry.changedAt ?? entry.lastModified ?? Number.POSITIVE_INFINITY;
          if (at < since) continue;
          if (Number.isFinite(at)) until = Math.max(until, at);
          this.#takeChange(intake, entry, at);
        }
      }
      return until;
    });
  }

  /** Takes in the whole site. */
  async readAll(lists: Lists): Promise<EpochSeconds | Result<never>> {
    const location = lists.get("resourcelist");
    if (location === undefined) return problem("no-resourcesync", "there is no resource list");
    const first = await this.#readNamed(location);
    if (!first.ok) return first;
    const { header, entries } = first.value;
    const at = header.at ?? Math.floor(this.#visit.ports.timing.now() / 1000) - 86_400;
    const rest = header.kind === "sitemapindex" ? entries.map(({ location: part }) => part) : [];
    const intake = this.#visit.ports.memory.beginIntake();
    let committed = false;
    try {
      if (header.kind === "urlset") this.#list(intake, entries);
      for (const part of rest) {
        const document = await this.#readNamed(part);
        if (!document.ok) return document;
        this.#list(intake, document.value.entries);
      }
      intake.withdrawUnlisted(this.#visit.filter.matches);
      intake.commit(undefined, { source: "resourcesync", state: this.#state(at) });
      committed = true;
      return at;
    } finally {
      if (!committed) intake.rollback();
    }
  }

  #takeIn(act: (intake: Intake) => EpochSeconds): EpochSeconds {
    const intake = this.#visit.ports.memory.beginIntake();
    let committed = false;
    try {
      const until = act(intake);
      intake.commit(undefined, { source: "resourcesync", state: this.#state(until) });
      committed = true;
      return until;
    } finally {
      if (!committed) intake.rollback();
    }
  }

  #state(until: EpochSeconds): ResourceSyncState {
    return { until, typesKey: this.#visit.filter.key };
  }

  #takeChange(intake: Intake, entry: ResourceSyncEntry, at: number): void {
    const path = this.#scope.pathOf(entry.location, this.#visit.origin);
    if (path === undefined) return;
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

  async #readNamed(location: string | undefined): Promise<Result<Document>> {
    const path = location === undefined ? undefined : this.#scope.pathOf(location, this.#visit.origin);
    if (path === undefined) return problem("no-resourcesync", "a list is not named, or lies on another site");
    return await this.#read(path);
  }

  async #read(path: string): Promise<Result<Document>> {
    throwIfAborted(this.#visit);
    if (++this.#documents > maxDocuments) return problem("too-many", `more than ${maxDocuments} documents`);
    if (!robotsAllow(this.#visit.robots, productToken, path))
      return problem("disallowed", `robots.txt forbids ${path}`);
    const outcome = await getPatiently(this.#visit, "metadata", () => ({
      path,
      maxBytes: maxSitemapBytes,
      maxRedirects: 5,
    }));
    if (outcome.kind !== "fetched")
      return problem(
        outcome.kind === "gone" || outcome.kind === "refused" ? "no-resourcesync" : "site-unavailable",
        `${path}: ${describeOutcome(outcome)}`,
      );
    const { codec } = this.#visit.ports;
    const coding = outcome.contentEncoding;
    const decoded =
      coding === undefined || coding === "identity"
        ? ok(outcome.body)
        : codec.decode(outcome.body, coding, maxSitemapBytes);
    const content = decoded.ok ? codec.unpack(decoded.value, maxSitemapBytes) : decoded;
    if (!content.ok) return content;
    const reader = new ResourceSyncReader();
    const entries: ResourceSyncEntry[] = [];
    for (let at = 0; at < content.value.length && reader.problem === undefined; at += pieceBytes)
      entries.push(...reader.write(content.value.subarray(at, at + pieceBytes)));
    entries.push(...reader.end());
    if (reader.problem !== undefined) return { ok: false, error: reader.problem };
    if (reader.header === undefined) return problem("no-resourcesync", `${path} is no document of ResourceSync`);
    return ok({ header: reader.header, entries });
  }
}
