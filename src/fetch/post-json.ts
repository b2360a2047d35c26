import { type Clock, type PostOutcome, type PostRequest, parseUrl } from "../model/index.ts";
import { AddressGuard } from "./address-guard.ts";
import { readAnswerFields } from "./answer-fields.ts";
import { type AnswerReceiver, type Message, unprocessedCode } from "./carrier.ts";
import { Connection } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import { classifyError, type Failure, type Progress } from "./failure.ts";
import { commonFields } from "./request-fields.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { formatUserAgent } from "./user-agent.ts";

/** How a JSON text is sent. */
export interface PostOptions {
  /** @default `tidemark/<version>` with the address of the package */
  readonly userAgent?: string;
  /** Tells the time to which Retry-After is relative. */
  readonly clock?: Clock;
}

/** Takes the head of an answer; its body is not read. */
class AnswerHead implements AnswerReceiver {
  readonly #clock: Clock;
  readonly #settle: (outcome: PostOutcome) => void;
  readonly #sendAgain: () => void;
  #progress: Progress = "connecting";
  #isSentAgain = false;

  /** @param sendAgain - called at most once, where the server says that it has not acted upon the request */
  constructor(clock: Clock, settle: (outcome: PostOutcome) => void, sendAgain: () => void) {
    this.#clock = clock;
    this.#settle = settle;
    this.#sendAgain = sendAgain;
  }

  onConnect(): void {
    this.#progress = "sent";
  }

  onResponseStarted(): void {
    this.#progress = "answering";
  }

  onHeaders(status: number, raw: Buffer[]): boolean {
    if (status < 200) return true;
    const { retryAfter, location } = readAnswerFields(raw);
    if (status > 599) this.fail({ reason: "protocol", message: `the server answered ${status}, which is no status` });
    else this.#settle({ kind: "answered", status, retryAt: parseRetryAfter(retryAfter, this.#clock()), location });
    return true;
  }

  onData(): boolean {
    return true;
  }

  onComplete(): void {}

  onError(error: Error): void {
    if ((error as { code?: unknown }).code === unprocessedCode && !this.#isSentAgain) {
      this.#isSentAgain = true;
      queueMicrotask(this.#sendAgain);
    } else this.fail(classifyError(error, this.#progress));
  }

  fail(failure: Failure): void {
    this.#settle({ kind: "failed", ...failure });
  }
}

/**
 * Sends a JSON text by POST, on a connection of its own that ends with the head of the answer.
 *
 * Whatever a server or a network does is a branch of the outcome. Nothing is sent twice, unless the server says that it
 * has not acted upon it (RFC 9113 section 8.7): a request that may have been read is the caller's to repeat. No redirect is followed, and of the answer's body nothing is read.
 *
 * @throws TypeError if the URL is none of http or https
 * @see RFC 9110 section 9.3.3
 */
export async function postJson(request: PostRequest, options: PostOptions = {}): Promise<PostOutcome> {
  const { json, timeoutMs, signal } = request;
  const url = parseUrl(request.url);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw new TypeError("not an http or https URL");
  if (signal?.aborted === true) return { kind: "failed", ...aborted };
  const fields = commonFields(options.userAgent ?? formatUserAgent());
  fields.push("content-type", "application/json; charset=utf-8");
  // The URL is the user's own, never one that a site gave.
  const guard = new AddressGuard({ allowPrivate: true });
  const settings = { connectTimeoutMs: timeoutMs, guard, http1Origins: new Set<string>() };
  const connection = new Connection(url.origin, settings, () => undefined);
  try {
    return await new Promise<PostOutcome>((resolve) => {
      let isSettled = false;
      const message: Message = { method: "POST", path: url.pathname + url.search, fields, body: json };
      const head = new AnswerHead(options.clock ?? Date.now, settle, () => {
        if (!isSettled) connection.send(message, head);
      });
      const stop = (): void => head.fail(aborted);
      const late: Failure = { reason: "timeout", message: `no answer within ${timeoutMs} ms` };
      const deadline = new Deadline(timeoutMs, () => head.fail(late));
      signal?.addEventListener("abort", stop);
      connection.send(message, head);

      function settle(outcome: PostOutcome): void {
        isSettled = true;
        deadline.clear();
        signal?.removeEventListener("abort", stop);
        resolve(outcome);
      }
    });
  } finally {
    await connection.close();
  }
}

const aborted: Failure = { reason: "aborted", message: "stopped before the end" };
