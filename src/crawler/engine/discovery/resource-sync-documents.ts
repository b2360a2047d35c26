import {
  confirmValidators,
  type EpochSeconds,
  ok,
  problem,
  type Result,
  type Validators,
} from "../../../core/index.ts";
import {
  type Capability,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  ResourceSyncReader,
} from "../../../formats/resourcesync/index.ts";
import { robotsAllow, robotsCrawlDelaySeconds } from "../../../formats/robots/index.ts";
import { maxSitemapBytes } from "../../../formats/sitemap/index.ts";
import { throwIfAborted } from "../visit/reading-visit.ts";
import type { SourceVisit } from "./crawl-visit.ts";
import { type DocumentAnswer, decodeDocument, readDocument, readEntries } from "./document.ts";
import { type KeptAnswer, keepDocument, readKeptDocument } from "./kept-document.ts";
import type { UrlScope } from "./url-scope.ts";

/** Most documents that are read in one visit, and remembered. */
const maxDocuments = 10_000;

/** A document or package as another document names it. */
export type NamedDocument = Pick<ResourceSyncEntry, "location" | "capability" | "at" | "from" | "until" | "sizeBytes">;

/** What is remembered of a document, to recognise that it is unchanged, and to continue from it. */
export interface DocumentCopy {
  readonly validators: Validators;
  readonly header: Omit<ResourceSyncHeader, "links">;
  /** Documents and packages that it names; empty for a list of pages. */
  readonly named: readonly NamedDocument[];
}

/** A document as it was read in this visit. */
export interface SyncDocument extends Omit<DocumentCopy, "validators"> {
  /** What was remembered of it. */
  readonly earlier: DocumentCopy | undefined;
  /** False if it is unchanged. */
  readonly isNew: boolean;
  /** Entries of a list of pages; empty if it is not new. */
  readonly pages: readonly ResourceSyncEntry[];
}

function namedBy({ location, capability, at, from, until, sizeBytes }: ResourceSyncEntry): NamedDocument {
  // JSON leaves out what is undefined.
  return { location, capability, at, from, until, sizeBytes } as NamedDocument;
}

/** Requests the ResourceSync documents of a site, with the validators of last time. */
export class SyncDocuments {
  readonly #visit: SourceVisit;
  readonly #scope: UrlScope;
  readonly #earlier: Readonly<Record<string, DocumentCopy>>;
  readonly #copies = new Map<string, DocumentCopy>();
  /** Whether the site's delay may end the visit before all is read. */
  readonly #isDelayed: boolean;
  #asked = 0;
  #hasNew = false;

  /** @param earlier - remembered documents, by path; unchanged ones are not read again */
  constructor(visit: SourceVisit, scope: UrlScope, earlier: Readonly<Record<string, DocumentCopy>>) {
    this.#visit = visit;
    this.#scope = scope;
    this.#earlier = earlier;
    this.#isDelayed = (robotsCrawlDelaySeconds(visit.robots, visit.agent) ?? 0) > 0;
  }

  /** Whether there is something new to remember, be it only validators. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  /**
   * The documents to be remembered, together with the changes taken from them.
   *
   * @param forgotten - documents that are not to be remembered
   */
  copies(forgotten?: Capability): Readonly<Record<string, DocumentCopy>> {
    const asked = [...this.#copies];
    // Change lists come and go by the day; the others keep their URLs.
    const others = Object.entries(this.#earlier).filter(([path, { header }]) => {
      return !this.#copies.has(path) && header.capability !== "changelist";
    });
    const all = asked.length + others.length > maxDocuments ? asked : [...asked, ...others];
    return Object.fromEntries(all.filter(([, { header }]) => header.capability !== forgotten));
  }

  /** @param isWhole - whether the body is requested even if it is remembered */
  async readNamed(location: string | undefined, isWhole = false): Promise<Result<SyncDocument>> {
    const path = this.pathOf(location);
    if (path === undefined) return problem("no-resourcesync", "a list is not named, or lies on another site");
    return await this.read(path, isWhole);
  }

  /** The path of a named document; undefined if it is on another site. */
  pathOf(location: string | undefined): string | undefined {
    return location === undefined ? undefined : this.#scope.pathOf(location, this.#visit.origin);
  }

  async read(path: string, isWhole = false): Promise<Result<SyncDocument>> {
    throwIfAborted(this.#visit);
    if (++this.#asked > maxDocuments) return problem("too-many", `more than ${maxDocuments} documents`);
    if (!robotsAllow(this.#visit.robots, this.#visit.agent, path))
      return problem("disallowed", `robots.txt forbids ${path}`);
    const earlier = this.#earlier[path];
    const validators = isWhole ? undefined : earlier?.validators;
    const answer = await this.#ask(path, validators);
    if (answer.kind === "not-modified" && earlier !== undefined) {
      const confirmed = confirmValidators(earlier.validators, answer.validators);
      this.#hasNew ||= confirmed !== earlier.validators;
      this.#copies.set(path, { ...earlier, validators: confirmed });
      return ok({ ...earlier, earlier, isNew: false, pages: [] });
    }
    if (answer.kind !== "fetched") {
      const message = `${path}: ${answer.kind === "not-modified" ? "it was unchanged" : answer.message}`;
      return problem(answer.kind === "trouble" ? "site-unavailable" : "no-resourcesync", message);
    }
    const parsed = await this.#parse(path, answer);
    if (!parsed.ok) return parsed;
    const { header, named, pages } = parsed.value;
    this.#hasNew = true;
    this.#copies.delete(path);
    const { etag, lastModified } = answer.validators;
    if ((etag !== undefined || lastModified !== undefined) && named.length <= maxDocuments)
      this.#copies.set(path, { validators: answer.validators, header, named });
    return ok({ header, named, pages, earlier, isNew: true });
  }

  /** Says that what was read is taken in, or is of no use: another visit is to request it again. */
  endReading(): void {
    if (this.#isDelayed) this.#visit.ports.reading?.clear();
  }

  /** Requests a document, unless an earlier visit did that was ended by the site's delay before it had read all of them. */
  async #ask(path: string, validators: Validators | undefined): Promise<KeptAnswer | DocumentAnswer> {
    const name = `resourcesync ${path}`;
    const kept = readKeptDocument(this.#visit, name, path, this.#visit.progress.indexAgeMs);
    if (kept?.kind === "fetched" || (kept !== undefined && validators !== undefined)) return kept;
    const answer = await readDocument(this.#visit, { path, maxBytes: maxSitemapBytes, validators });
    const isOfUse = answer.kind === "fetched" || answer.kind === "not-modified";
    if (isOfUse && this.#isDelayed) keepDocument(this.#visit, name, path, answer);
    return answer;
  }

  async #parse(
    path: string,
    outcome: KeptAnswer & { kind: "fetched" },
  ): Promise<Result<Pick<SyncDocument, "header" | "named" | "pages">>> {
    const content = decodeDocument(this.#visit, outcome);
    if (!content.ok) return content;
    const reader = new ResourceSyncReader();
    const entries: ResourceSyncEntry[] = [];
    const read = await readEntries<ResourceSyncEntry>(this.#visit, content.value, reader, (some) => {
      for (const entry of some) entries.push(entry);
    });
    if (!read.ok) return read;
    if (reader.header === undefined) return problem("no-resourcesync", `${path} is no document of ResourceSync`);
    const { links: _, ...header } = reader.header;
    const listsPages = header.kind === "urlset" && /^(?:resource|change)list$/.test(header.capability);
    return ok({ header, named: listsPages ? [] : entries.map(namedBy), pages: listsPages ? entries : [] });
  }
}

/** URLs of the lists and dumps that a capability list names, by capability. */
export type Lists = ReadonlyMap<Capability, string>;

/** What change lists say from some time on. */
export interface SyncChanges {
  /** They have every change from then on: the time asked for, or a later one if they do not reach back so far. */
  readonly since: EpochSeconds;
  /** In their order; unchanged ones without pages. */
  readonly parts: readonly SyncDocument[];
}

/**
 * Reads the change lists of a site.
 *
 * @param since - parts that end before that are not read
 * @returns undefined if the site has none; a problem if one cannot be read, lacks `from` (since when it has the changes),
 *   or has changes without a time (`datetime`, or at least `lastmod`)
 * @see ANSI/NISO Z39.99-2017 section 12
 */
export async function readChanges(
  documents: SyncDocuments,
  lists: Lists,
  since: EpochSeconds,
): Promise<Result<SyncChanges | undefined>> {
  const location = lists.get("changelist");
  if (location === undefined) return ok(undefined);
  const first = await documents.readNamed(location);
  if (!first.ok) return first;
  const { kind, from } = first.value.header;
  if (from === undefined)
    return problem("no-changes", `${location} does not say from when on it has the changes: it lacks "from"`);
  const parts = kind === "urlset" ? ok([first.value]) : await readParts(documents, first.value, Math.max(from, since));
  if (!parts.ok) return parts;
  if (parts.value.some(({ pages }) => pages.some((entry) => !Number.isFinite(timeOfChange(entry)))))
    return problem("no-changes", `${location} has changes that do not say when they happened: they lack "datetime"`);
  return ok({ since: Math.max(from, since), parts: parts.value });
}

async function readParts(
  documents: SyncDocuments,
  index: SyncDocument,
  since: EpochSeconds,
): Promise<Result<readonly SyncDocument[]>> {
  const parts: SyncDocument[] = [];
  for (const { until, location } of index.named) {
    if (until !== undefined && until < since) continue;
    const part = await documents.readNamed(location);
    if (!part.ok) return part;
    parts.push(part.value);
  }
  return ok(parts);
}

/** When a change happened; Infinity if the list does not say. */
export function timeOfChange({ changedAt, lastModified }: ResourceSyncEntry): number {
  return changedAt ?? lastModified ?? Number.POSITIVE_INFINITY;
}
