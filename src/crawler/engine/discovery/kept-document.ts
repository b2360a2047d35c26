import type { EpochMs, FetchedOutcome, Validators } from "../../../core/index.ts";
import type { ReadingVisit } from "../visit/reading-visit.ts";

/** What is kept of an answer. */
export type KeptAnswer =
  | Pick<FetchedOutcome, "kind" | "contentEncoding" | "validators" | "body">
  | { readonly kind: "not-modified"; readonly validators: Validators };

/** First line of a kept document: when it was received, and from where. */
interface KeptHead {
  readonly url: string;
  readonly at: EpochMs;
  readonly validators: Validators;
  readonly contentEncoding?: string | undefined;
  /** Whether it is a 304. */
  readonly isUnchanged?: true;
}

/** Keeps a document that an unfinished reading needs, for the visit that goes on with it. */
export function keepDocument({ origin, ports }: ReadingVisit, name: string, path: string, answer: KeptAnswer): void {
  if (ports.reading === undefined) return;
  const { validators } = answer;
  const body = answer.kind === "fetched" ? answer.body : new Uint8Array(0);
  const head: KeptHead = {
    url: origin + path,
    at: ports.timing.now(),
    validators,
    ...(answer.kind === "fetched" ? { contentEncoding: answer.contentEncoding } : { isUnchanged: true }),
  };
  const line = new TextEncoder().encode(`${JSON.stringify(head)}\n`);
  const copy = new Uint8Array(line.length + body.length);
  copy.set(line);
  copy.set(body, line.length);
  ports.reading.keep(name, copy);
}

/** A document that an unfinished visit left; undefined if there is none of that URL, or none of that age. */
export function readKeptDocument(
  { origin, ports }: ReadingVisit,
  name: string,
  path: string,
  maxAgeMs: number,
): KeptAnswer | undefined {
  const kept = maxAgeMs > 0 ? ports.reading?.read(name) : undefined;
  const end = kept?.indexOf(0x0a) ?? -1;
  if (kept === undefined || end === -1) return undefined;
  try {
    const head = JSON.parse(new TextDecoder().decode(kept.subarray(0, end))) as KeptHead;
    const { url, at, validators, contentEncoding, isUnchanged } = head;
    const ageMs = ports.timing.now() - at;
    if (url !== origin + path || !(ageMs >= 0 && ageMs < maxAgeMs)) return undefined;
    if (isUnchanged === true) return { kind: "not-modified", validators };
    return { kind: "fetched", validators, contentEncoding, body: kept.subarray(end + 1) };
  } catch {
    // A crawler killed while writing leaves a part of it.
    return undefined;
  }
}
