import { type Clock, type PostOutcome, type PostRequest, parseUrl } from "../core/index.ts";
import { AddressGuard } from "./address-guard.ts";
import { parseRetryAfter, readAnswerFields } from "./answer-fields.ts";
import { type AnswerReceiver, Connection, type Message } from "./connection.ts";
import { Deadline } from "./deadline.ts";
import { classifyError, type Failure, type Progress } from "./failure.ts";
import { commonFields } from "./request-fields.ts";

/** How a JSON text is sent. */
export interface PostOptions {
  /** @default `tidemark/<version>` with the address of the package */
  readonly userAgent?: string;
  /** Clock to which Retry-After is relative. */
  readonly clock?: Clock;
}

/** Receives the head of a response; the body is not read. */
class AnswerHead implements AnswerReceiver {
  readonly #clock: Clock;
  readonly #settle: (outcome: PostOutcome) => void;
  #progress: Progress = "connecting";

  constructor(clock: Clock, settle: (outcome: PostOutcome) => void) {
    this.#clock = clock;
    this.#settle = settle;
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
    if (status > 599)
      this.fail({ reason: "protocol", message: `the server answered ${status}, which is not a valid status` });
    else this.#settle({ kind: "answered", status, retryAt: parseRetryAfter(retryAfter, this.#clock()), location });
    return true;
  }

  onData(): boolean {
    return true;
  }

  onComplete(): void {}

  onError(error: Error): void {
    this.fail(classifyError(error, this.#progress));
  }

  fail(failure: Failure): void {
    this.#settle({ kind: "failed", ...failure });
  }
}

/**
 * Sends JSON text by POST, on its own connection that is closed after the head of the response.
 *
 * Whatever a server or network does is a branch of the outcome. Nothing is sent twice: repeating a request that may
 * have been read is up to the caller. Redirects are not followed, and the body of the response is not read.
 *
 * @throws TypeError if the URL is not http or https
 * @see RFC 9110 section 9.3.3
 */
export async function postJson(request: PostRequest, options: PostOptions = {}): Promise<PostOutcome> {
  const { json, timeoutMs, signal } = request;
  const url = parseUrl(request.url);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") throw new TypeError("not an http or https URL");
  if (signal?.aborted === true) return { kind: "failed", ...aborted };
  const fields = commonFields(options.userAgent);
  fields.push("content-type", "application/json; charset=utf-8");
  // The URL comes from the user, never from a site.
  const guard = new AddressGuard({ allowPrivate: true });
  const settings = { connectTimeoutMs: timeoutMs, guard };
  const connection = new Connection(url.origin, settings, () => undefined);
  try {
    return await new Promise<PostOutcome>((resolve) => {
      const message: Message = { method: "POST", path: url.pathname + url.search, fields, body: json };
      const head = new AnswerHead(options.clock ?? Date.now, settle);
      const stop = (): void => head.fail(aborted);
      const late: Failure = { reason: "timeout", message: `no answer within ${timeoutMs} ms` };
      const deadline = new Deadline(timeoutMs, () => head.fail(late));
      signal?.addEventListener("abort", stop);
      connection.send(message, head);

      function settle(outcome: PostOutcome): void {
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
