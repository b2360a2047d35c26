import { createHash } from "node:crypto";
import type { ExchangeSink, HttpExchange } from "../../core/index.ts";
import {
  decodeHttpHead,
  describeRepresentation,
  encodeHttpHead,
  headOfRecordedBody,
} from "../../formats/http/index.ts";
import { formatBase32, formatWarcFields, revisitProfiles } from "../../formats/warc/index.ts";
import { type NewRecord, SpooledBody } from "./warc-file.ts";
import { formatSha1, newRecordId } from "./warc-files.ts";
import type { HeldPayload } from "./warc-memory.ts";

const labelled = (sha1: Uint8Array): string => `sha1:${formatBase32(sha1)}`;

function recordedHead({ responseHead }: HttpExchange, isWhole: boolean): Uint8Array {
  return encodeHttpHead(headOfRecordedBody(decodeHttpHead(responseHead), isWhole));
}

/**
 * What a 304 said. It is not in the revisit's block, because replay tools send the head in that block to the browser:
 * a 304 without a page. Without a block they send the head and the body of the original (WARC 1.1 section 6.7.3).
 */
function describeHead({ responseHead }: HttpExchange): Uint8Array {
  const { startLine, fields } = decodeHttpHead(responseHead);
  const lines = fields.map(([name, value]) => ["responseField", `${name}: ${value}`] as const);
  return formatWarcFields([["responseLine", startLine], ...lines]);
}

/** A capture as it is written, and what is to be remembered of it. */
export interface PlannedCapture {
  /** Response or revisit, then request; of a 304 also what it said. */
  readonly records: readonly NewRecord[];
  /** What the URL has now, less its place; undefined where nothing new is known. */
  readonly payload: Omit<HeldPayload, "file" | "offset"> | undefined;
  /** What the URL had until now, if that was something else. */
  readonly replaced: HeldPayload | undefined;
  /** The record that a revisit refers to. */
  readonly original: HeldPayload | undefined;
}

/**
 * Names the fields that describe a payload. A revisit of a 304 is shown with the head of its original, so that must be of
 * the same ones.
 */
function markOf({ responseHead }: HttpExchange): string {
  const text = describeRepresentation(decodeHttpHead(responseHead));
  return createHash("sha256").update(text, "latin1").digest("base64url").slice(0, 16);
}

/** How a revisit names the record that holds its payload. */
function refer({ payload, record, target, date }: HeldPayload): Partial<NewRecord["head"]> {
  return { payloadDigest: payload, refersTo: record, refersToTargetUri: target, refersToDate: date };
}

/** One exchange that is being recorded. */
export class Capture implements ExchangeSink {
  readonly exchange: HttpExchange;
  readonly #head: Uint8Array;
  readonly #body: SpooledBody;
  #isWhole = false;
  #failure: { readonly error: unknown } | undefined;

  /** @param newFile - names a file that is not there yet */
  constructor(exchange: HttpExchange, newFile: () => string) {
    this.exchange = exchange;
    this.#head = recordedHead(exchange, true);
    this.#body = new SpooledBody(this.#head, newFile);
  }

  // The connection must not mistake a full disk for an error of its own.
  write(chunk: Uint8Array): void {
    if (this.#failure !== undefined) return;
    try {
      this.#body.write(chunk);
    } catch (error) {
      this.#failure = { error };
    }
  }

  end(isWhole: boolean): void {
    this.#isWhole = isWhole;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** @throws what kept the body from being written */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /**
   * Plans its records. A 200 whose payload is held already becomes a revisit, and so does a 304 where an original is
   * known.
   *
   * @param find - the newest payload of a URL
   * @param findPayload - a payload of any URL with such fields
   */
  plan(
    find: (url: string) => HeldPayload | undefined,
    findPayload: (payload: string, fields: string) => HeldPayload | undefined,
  ): PlannedCapture {
    const { url, status, startedAt, remoteAddress, requestHead } = this.exchange;
    const { block, sha1, digest } = this.#body.end();
    const payload = labelled(sha1);
    const sizeBytes = this.#body.sizeBytes;
    const date = Math.floor(startedAt / 1000);
    const recordId = newRecordId();
    const shared = {
      targetUri: url,
      date,
      ...(remoteAddress === undefined ? {} : { ipAddress: remoteAddress }),
    };
    /** A record beside the answer's. */
    const beside = (type: "request" | "metadata", contentType: string, start: Uint8Array): NewRecord => ({
      head: {
        ...{ ...shared, type, recordId: newRecordId(), concurrentTo: [recordId] },
        ...{ blockDigest: formatSha1(start), contentType },
      },
      start,
    });
    const request = beside("request", "application/http;msgtype=request", requestHead);
    const answer = { ...shared, recordId, contentType: "application/http;msgtype=response" };
    const own = find(url);
    if (status === 304 && own !== undefined) {
      const revisit: NewRecord = {
        head: { ...shared, ...refer(own), recordId, type: "revisit", profile: revisitProfiles.serverNotModified },
        start: new Uint8Array(0),
      };
      const metadata = beside("metadata", "application/warc-fields", describeHead(this.exchange));
      return { records: [revisit, request, metadata], payload: undefined, replaced: undefined, original: own };
    }
    const isPayload = status === 200 && this.#isWhole;
    // An empty payload is no shorter as a revisit, and replay tools take each for the same page.
    const isShared = isPayload && sizeBytes > 0;
    const fields = markOf(this.exchange);
    // Of what an older version noted only that of the URL itself is known to be shown in the same way.
    const isOwn =
      own?.payload === payload && (own.fields === fields || (own.fields === undefined && own.target === url));
    const original = isShared ? (isOwn ? own : findPayload(payload, fields)) : undefined;
    const replaced = !isPayload || own?.payload === payload ? undefined : own;
    const now = { url, payload, digest, sizeBytes, fields };
    if (original !== undefined) {
      const record: NewRecord = {
        head: {
          ...answer,
          ...refer(original),
          type: "revisit",
          profile: revisitProfiles.identicalPayloadDigest,
          truncated: "length",
          blockDigest: formatSha1(this.#head),
        },
        start: this.#head,
      };
      const { record: id, target, date: originalDate } = original;
      const held = { ...now, record: id, target, date: originalDate };
      return { records: [record, request], payload: held, replaced, original };
    }
    const start = this.#isWhole ? this.#head : recordedHead(this.exchange, false);
    const response: NewRecord = {
      head: {
        ...answer,
        type: "response",
        payloadDigest: payload,
        ...(this.#isWhole ? { blockDigest: labelled(block) } : { truncated: "unspecified" }),
      },
      start,
      body: this.#body,
    };
    return {
      records: [response, request],
      payload: isPayload ? { ...now, record: recordId, target: url, date } : undefined,
      replaced,
      original: undefined,
    };
  }

  discard(): void {
    this.#body.discard();
  }
}
