import {
  confirmValidators,
  type FetchedOutcome,
  isLasting,
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
import { robotsAllow } from "../../../formats/robots/index.ts";
import { maxSitemapBytes } from "../../../formats/sitemap/index.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import { throwIfAborted } from "../visit/reading-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { TargetScope } from "./target-scope.ts";

const pieceBytes = 64 * 1024;
/** Documents that are read at most in one visit, and remembered. */
const maxDocuments = 10_000;

/** What leads to a document or a package. */
export type NamedDocument = Pick<ResourceSyncEntry, "location" | "capability" | "at" | "from" | "until" | "sizeBytes">;

/** What is remembered of a document: enough to see that it is as it was, and to go on from it. */
export interface DocumentCopy {
  readonly validators: Validators;
  readonly header: Omit<ResourceSyncHeader, "links">;
  /** Documents and packages that it names; of a list of pages nothing. */
  readonly named: readonly NamedDocument[];
}

/** A document as it is now. */
export interface SyncDocument extends Omit<DocumentCopy, "validators"> {
  /** What was remembered of it. */
  readonly earlier: DocumentCopy | undefined;
  /** False if the server said that it is as it was. */
  readonly isNew: boolean;
  /** Of a list of pages: what it says of them; nothing if it is not new. */
  readonly pages: readonly ResourceSyncEntry[];
}

function namedBy({ location, capability, at, from, until, sizeBytes }: ResourceSyncEntry): NamedDocument {
  // JSON leaves out what is undefined.
  return { location, capability, at, from, until, sizeBytes } as NamedDocument;
}

/** The documents of one site's ResourceSync, asked for with the validators of last time. */
export class SyncDocuments {
  readonly #visit: SourceVisit;
  readonly #scope: TargetScope;
  readonly #earlier: Readonly<Record<string, DocumentCopy>>;
  readonly #copies = new Map<string, DocumentCopy>();
  #asked = 0;
  #hasNew = false;

  /** @param earlier - what is remembered of documents, by path; none of them is read again if it is as it was */
  constructor(visit: SourceVisit, scope: TargetScope, earlier: Readonly<Record<string, DocumentCopy>>) {
    this.#visit = visit;
    this.#scope = scope;
    this.#earlier = earlier;
  }

  /** Whether of a document something is to be remembered that was not, be it only its validators. */
  get hasNew(): boolean {
    return this.#hasNew;
  }

  /**
   * What is to be remembered together with what the documents led to.
   *
   * @param forgotten - documents of which nothing is to be remembered
   */
  copies(forgotten?: Capability): Readonly<Record<string, DocumentCopy>> {
    const asked = [...this.#copies];
    // Which lists of changes there are changes by the day; the others keep their places.
    const others = Object.entries(this.#earlier).filter(([path, { header }]) => {
      return !this.#copies.has(path) && header.capability !== "changelist";
    });
    const all = asked.length + others.length > maxDocuments ? asked : [...asked, ...others];
    return Object.fromEntries(all.filter(([, { header }]) => header.capability !== forgotten));
  }

  /** @param isWhole - ask for its body, whatever is remembered of it */
  async readNamed(location: string | undefined, isWhole = false): Promise<Result<SyncDocument>> {
    const path = this.pathOf(location);
    if (path === undefined) return problem("no-resourcesync", "a list is not named, or lies on another site");
    return await this.read(path, isWhole);
  }

  /** The path of what a document names; undefined if it lies on another site. */
  pathOf(location: string | undefined): string | undefined {
    return location === undefined ? undefined : this.#scope.pathOf(location, this.#visit.origin);
  }

  async read(path: string, isWhole = false): Promise<Result<SyncDocument>> {
    throwIfAborted(this.#visit);
    if (++this.#asked > maxDocuments) return problem("too-many", `more than ${maxDocuments} documents`);
    if (!robotsAllow(this.#visit.robots, this.#visit.agent, path))
      return problem("disallowed", `robots.txt forbids ${path}`);
    const earlier = this.#earlier[path];
    const outcome = await getPatiently(this.#visit, "metadata", () => ({
      path,
      maxBytes: maxSitemapBytes,
      maxRedirects: 5,
      ...(earlier === undefined || isWhole ? {} : { validators: earlier.validators }),
    }));
    if (outcome.kind === "not-modified" && earlier !== undefined) {
      const validators = confirmValidators(earlier.validators, outcome.validators);
      this.#hasNew ||= validators !== earlier.validators;
      this.#copies.set(path, { ...earlier, validators });
      return ok({ ...earlier, earlier, isNew: false, pages: [] });
    }
    if (outcome.kind !== "fetched")
      return problem(
        outcome.kind === "gone" || (outcome.kind !== "postponed" && isLasting(outcome))
          ? "no-resourcesync"
          : "site-unavailable",
        `${path}: ${describeOutcome(outcome)}`,
      );
    const parsed = this.#parse(path, outcome);
    if (!parsed.ok) return parsed;
    const { header, named, pages } = parsed.value;
    this.#hasNew = true;
    this.#copies.delete(path);
    const { etag, lastModified } = outcome.validators;
    if ((etag !== undefined || lastModified !== undefined) && named.length <= maxDocuments)
      this.#copies.set(path, { validators: outcome.validators, header, named });
    return ok({ header, named, pages, earlier, isNew: true });
  }

  #parse(path: string, outcome: FetchedOutcome): Result<Pick<SyncDocument, "header" | "named" | "pages">> {
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
    const { links: _, ...header } = reader.header;
    const listsPages = header.kind === "urlset" && /^(?:resource|change)list$/.test(header.capability);
    return ok({ header, named: listsPages ? [] : entries.map(namedBy), pages: listsPages ? entries : [] });
  }
}
