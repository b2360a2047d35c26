import { decodeHttpHead, encodeHttpHead, formatBase32, headOfRecordedBody, revisitProfiles } from "../format/index.ts";
import type { ExchangeSink, HttpExchange } from "../model/index.ts";
import { SpooledBody } from "./spooled-body.ts";
import type { NewRecord } from "./warc-file.ts";
import { formatSha1, newRecordId } from "./warc-files.ts";
import type { HeldPayload } from "./warc-memory.ts";

const labelled = (sha1: Uint8Array): string => `sha1:${formatBase32(sha1)}`;

function recordedHead({ responseHead }: HttpExchange, isWhole: boolean): Uint8Array {
  return encodeHttpHead(headOfRecordedBody(decodeHttpHead(responseHead), isWhole));
}

/** A capture as it is written, and what is to be remembered of it. */
export interface PlannedCapture {
  /** Response or revisit, then request. */
  readonly records: readonly NewRecord[];
  /** What the URL has now, less its place; undefined where nothing new is known. */
  readonly payload: Omit<HeldPayload, "file" | "offset"> | undefined;
  /** What the URL had until now, if that was something else. */
  readonly replaced: HeldPayload | undefined;
  /** The record that a revisit refers to. */
  readonly original: HeldPayload | undefined;
}

/** One exchange on its way into records. */
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

  // The connection must not take a full disk for an error of its own.
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
   * Plans its records. A 200 whose payload is held already becomes a revisit, and so does a 304.
   *
   * @param find - the newest payload of a URL
   * @param findPayload - a payload of any URL
   */
  plan(
    find: (url: string) => HeldPayload | undefined,
    findPayload: (payload: string) => HeldPayload | undefined,
  ): PlannedCapture {
    const { url, status, startedAt, remoteAddress, requestHead, protocol } = this.exchange;
    const { block, sha1, digest } = this.#body.end();
    const payload = labelled(sha1);
    const sizeBytes = this.#body.sizeBytes;
    const date = Math.floor(startedAt / 1000);
    const recordId = newRecordId();
    const shared = {
      targetUri: url,
      date,
      ...(remoteAddress === undefined ? {} : { ipAddress: remoteAddress }),
      ...(protocol === "http/1.1" ? {} : { protocols: [protocol] }),
    };
    const request: NewRecord = {
      head: {
        ...shared,
        type: "request",
        recordId: newRecordId(),
        concurrentTo: [recordId],
        blockDigest: formatSha1(requestHead),
        contentType: "application/http;msgtype=request",
      },
      start: requestHead,
    };
    const answer = { ...shared, recordId, contentType: "application/http;msgtype=response" };
    const revisit = (
      original: HeldPayload | undefined,
      profile: string,
      more: { readonly truncated?: string },
    ): NewRecord => ({
      head: {
        ...answer,
        ...more,
        type: "revisit",
        profile,
        blockDigest: formatSha1(this.#head),
        ...(original === undefined
          ? {}
          : {
              payloadDigest: original.payload,
              refersTo: original.record,
              refersToTargetUri: original.target,
              refersToDate: original.date,
            }),
      },
      start: this.#head,
    });
    if (status === 304) {
      const original = find(url);
      return {
        records: [revisit(original, revisitProfiles.serverNotModified, {}), request],
        payload: undefined,
        replaced: undefined,
        original,
      };
    }
    const isPayload = status === 200 && this.#isWhole && sizeBytes > 0;
    const own = isPayload ? find(url) : undefined;
    const original = isPayload ? (own?.payload === payload ? own : findPayload(payload)) : undefined;
    const replaced = own?.payload === payload ? undefined : own;
    const now = { url, payload, digest, sizeBytes };
    if (original !== undefined) {
      const record = revisit(original, revisitProfiles.identicalPayloadDigest, { truncated: "length" });
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
