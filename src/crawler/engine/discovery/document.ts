import { type FetchedOutcome, isLasting, ok, type Problem, type Result, type Validators } from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { maxSitemapBytes } from "../../../formats/sitemap/index.ts";
import { describeOutcome, getPatiently } from "../politeness/patient-request.ts";
import type { ReadingVisit } from "../visit/reading-visit.ts";
import { isCodingUnused } from "../visit/unused-coding.ts";
import { pathOfUrl } from "./url-scope.ts";

/** A list, an index or an archive of a site that is requested whole. */
export interface DocumentRequest {
  readonly path: string;
  /** Most bytes as received. */
  readonly maxBytes: number;
  readonly validators?: Validators | undefined;
  /** Whether caches on the way are bypassed. Default false. */
  readonly isFresh?: boolean;
}

/** Answer to a {@link DocumentRequest}. */
export type DocumentAnswer =
  | FetchedOutcome
  | { readonly kind: "not-modified"; readonly validators: Validators; readonly message: string }
  /** `gone`: there is none. `unusable`: nor will there be soon. `trouble`: the server or the network may recover. */
  | { readonly kind: "gone" | "unusable" | "trouble"; readonly message: string };

/** Requests a document of a site. Redirects to what robots.txt disallows are not followed. */
export async function readDocument(visit: ReadingVisit, request: DocumentRequest): Promise<DocumentAnswer> {
  const { path, maxBytes, validators, isFresh = false } = request;
  const { robots, agent } = visit;
  const outcome = await getPatiently(visit, "metadata", () => ({
    path,
    maxBytes,
    maxRedirects: 5,
    ...(robots === undefined ? {} : { mayFollow: (to: string) => robotsAllow(robots, agent, pathOfUrl(to)) }),
    ...(validators === undefined ? {} : { validators }),
    ...(isFresh ? { headers: { "cache-control": "no-cache" } } : {}),
  }));
  if (outcome.kind === "fetched") return outcome;
  const message = describeOutcome(outcome);
  if (outcome.kind === "not-modified" && validators !== undefined)
    return { kind: "not-modified", validators: outcome.validators, message };
  if (outcome.kind === "gone") return { kind: "gone", message };
  const isDisallowed = outcome.kind === "failed" && outcome.reason === "redirect-disallowed";
  const isUnusable = isDisallowed || (outcome.kind !== "postponed" && isLasting(outcome));
  return { kind: isUnusable ? "unusable" : "trouble", message };
}

const pieceBytes = 64 * 1024;
/** After so many bytes others have their turn: a document may have 50 MiB of elements that say nothing. */
const turnBytes = 512 * 1024;

/** Reads the entries of a document as it comes. */
interface EntryReader<Entry> {
  readonly problem: Problem | undefined;
  write(piece: Uint8Array): readonly Entry[];
  end(): readonly Entry[];
}

/** Decodes a sitemap or a list of ResourceSync, whatever coding it has. */
export function decodeDocument(
  { ports: { codec } }: ReadingVisit,
  { body, contentEncoding = "" }: Pick<FetchedOutcome, "body" | "contentEncoding">,
): Result<Uint8Array> {
  const coding = isCodingUnused(body, contentEncoding) ? "" : contentEncoding;
  const decoded = codec.decode(body, coding, maxSitemapBytes);
  return decoded.ok ? codec.unpack(decoded.value, maxSitemapBytes) : decoded;
}

/**
 * Reads the entries of a decoded document.
 *
 * @param take - receives its entries in their order, some thousand at a time
 */
export async function readEntries<Entry>(
  { ports: { timing }, signal }: ReadingVisit,
  content: Uint8Array,
  reader: EntryReader<Entry>,
  take: (entries: readonly Entry[]) => void,
): Promise<Result<undefined>> {
  for (let at = 0; at < content.length && reader.problem === undefined; at += pieceBytes) {
    if (at > 0 && at % turnBytes === 0) await timing.delay(0, signal);
    take(reader.write(content.subarray(at, at + pieceBytes)));
  }
  take(reader.end());
  return reader.problem === undefined ? ok(undefined) : { ok: false, error: reader.problem };
}
