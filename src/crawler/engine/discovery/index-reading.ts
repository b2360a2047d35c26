import {
  type EpochMs,
  excerpt,
  type FetchedOutcome,
  isLasting,
  type Result,
  type Validators,
} from "../../../core/index.ts";
import { type ArchiveIndex, maxIndexBytes, parseArchiveIndex } from "../../../formats/archive/index.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import { type ReadingVisit, warn } from "../visit/reading-visit.ts";

const maxPackedIndexBytes = 8 * 1024 * 1024;

/** Request field that makes caches on the way ask the server. */
export const noCache: Readonly<Record<string, string>> = { "cache-control": "no-cache" };

/** What asking for the index came to. */
export type IndexReading =
  | { readonly kind: "index"; readonly index: ArchiveIndex; readonly validators: Validators }
  | { readonly kind: "not-modified"; readonly validators: Validators }
  /** There is none. */
  | { readonly kind: "absent" }
  /** `isTrouble` if the server or the network is in trouble; else what is served is no index. */
  | { readonly kind: "unusable"; readonly message: string; readonly isTrouble: boolean };

/** How the index is asked for. */
export interface IndexRequest {
  readonly path: string;
  readonly validators?: Validators;
  /** Asks the server itself, not a cache. */
  readonly fresh?: boolean;
}

function readBody(visit: ReadingVisit, outcome: FetchedOutcome): Result<ArchiveIndex> {
  const content = visit.ports.codec.unpack(outcome.body, maxIndexBytes);
  return content.ok ? parseArchiveIndex(content.value) : content;
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

const keptName = "index";

/** When an index was received that a reading follows, and from where. */
interface KeptHead {
  readonly url: string;
  readonly at: EpochMs;
  readonly validators: Validators;
}

function keepIndex({ origin, ports }: ReadingVisit, path: string, { body, validators }: FetchedOutcome): void {
  const head: KeptHead = { url: origin + path, at: ports.timing.now(), validators };
  ports.reading?.keep(keptName, joinBytes(new TextEncoder().encode(`${JSON.stringify(head)}\n`), body));
}

/** The index that a visit followed that was cut short while it read; undefined if there is none of that age. */
export function readKeptIndex(
  { origin, ports }: ReadingVisit,
  path: string,
  maxAgeMs: number,
): (IndexReading & { readonly kind: "index" }) | undefined {
  const kept = ports.reading?.read(keptName);
  const end = kept?.indexOf(0x0a) ?? -1;
  if (kept === undefined || end === -1) return undefined;
  try {
    const { url, at, validators } = JSON.parse(new TextDecoder().decode(kept.subarray(0, end))) as KeptHead;
    const ageMs = ports.timing.now() - at;
    if (url !== origin + path || !(ageMs >= 0 && ageMs < maxAgeMs)) return undefined;
    const content = ports.codec.unpack(kept.subarray(end + 1), maxIndexBytes);
    const index = content.ok ? parseArchiveIndex(content.value) : content;
    return index.ok ? { kind: "index", index: index.value, validators } : undefined;
  } catch {
    // Whoever was killed while it was written left a part of it.
    return undefined;
  }
}

/** Asks for the index; one that makes no sense is asked for once more, past all caches. */
export async function readIndex(visit: ReadingVisit, request: IndexRequest): Promise<IndexReading> {
  const { path, validators, fresh = false } = request;
  const outcome = await getPatiently(visit, "metadata", () => ({
    path,
    maxBytes: maxPackedIndexBytes,
    maxRedirects: 5,
    ...(validators === undefined ? {} : { validators }),
    ...(fresh ? { headers: noCache } : {}),
  }));
  if (outcome.kind === "not-modified") return { kind: "not-modified", validators: outcome.validators };
  if (outcome.kind === "gone") return { kind: "absent" };
  if (outcome.kind !== "fetched") {
    const isTrouble = outcome.kind === "postponed" || !isLasting(outcome);
    return { kind: "unusable", message: describeOutcome(outcome), isTrouble };
  }
  const index = readBody(visit, outcome);
  if (index.ok) {
    keepIndex(visit, path, outcome);
    return { kind: "index", index: index.value, validators: outcome.validators };
  }
  if (!fresh) return readIndex(visit, { path, fresh: true });
  return { kind: "unusable", message: index.error.message, isTrouble: false };
}

/** Remarks upon an index that says it is of another site than the one it came from. */
export function checkIndexSite(visit: ReadingVisit, index: ArchiveIndex): void {
  if (index.site === `${visit.origin}/`) return;
  warn(visit, "other-site", `The index says it is of ${excerpt(index.site)}; it is read as of ${visit.origin}/.`);
}
