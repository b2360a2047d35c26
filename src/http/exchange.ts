import { setMaxListeners } from "node:events";
import { type Clock, type FetchOutcome, type FetchRequest, omitUndefined } from "../core/index.ts";
import { encodeHttpHead } from "../formats/http/index.ts";
import type { AddressGuard } from "./address-guard.ts";
import { type Answer, Attempt, type AttemptEnd, type HeadWatcher } from "./attempt.ts";
import type { Connection, Origin, Waiter } from "./connection.ts";
import type { OriginCookies } from "./cookie-jar.ts";
import { Deadline } from "./deadline.ts";
import type { DigestLogin } from "./digest.ts";
import type { Failure } from "./failure.ts";
import type { RequestSigner } from "./identity.ts";
import { isRedirect, judgeAnswer, type RequestTarget, resolveRedirect } from "./outcome.ts";
import { findProxyRefusal } from "./proxy.ts";
import { requestFields } from "./request-fields.ts";
import type { SiteFields } from "./site-fields.ts";

/** Default minimum rate in bytes per second. */
const defaultLeastBytesPerSecond = 64 * 1024;

/** What an exchange needs of its fetcher. */
export interface ExchangeContext {
  readonly commonFields: string[];
  readonly siteFields: SiteFields | undefined;
  /** The login of the site's fields. */
  readonly digest: DigestLogin | undefined;
  readonly cookies: OriginCookies | undefined;
  readonly signer: RequestSigner | undefined;
  readonly clock: Clock;
  readonly guard: AddressGuard;
  readonly originOf: (origin: string) => Origin;
  /** Those that are not settled yet. */
  readonly running: Set<Exchange>;
}

/** The outcome of an exchange: exactly one of the two is called, once. */
export interface Settlement {
  readonly resolve: (outcome: FetchOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** One request with its redirects, from the queue to the outcome. */
export class Exchange implements Waiter {
  readonly #request: FetchRequest;
  readonly #context: ExchangeContext;
  readonly #settlement: Settlement;
  #target: RequestTarget;
  #origin: Origin | undefined;
  #attempt: Attempt | undefined;
  #deadline: Deadline | undefined;
  #requests = 0;
  #receivedBytes = 0;
  /** Bytes of the current response's body so far. */
  #bodyBytes = 0;
  #isRedirected = false;
  #isRetried = false;
  /** Requests that were made again with a login. */
  #logins = 0;
  /** Whether the current URL was requested again with a login. */
  #isLoggedIn = false;
  #hasDigest = false;
  #proxyRefusal: Failure | undefined;
  #stopped: Failure | undefined;
  #isSettled = false;
  readonly #onAbort = (): void => this.stop(aborted);

  constructor(request: FetchRequest, context: ExchangeContext, settlement: Settlement) {
    this.#request = request;
    this.#context = context;
    this.#settlement = settlement;
    this.#target = { origin: request.origin, path: request.path };
  }

  /** Starts it. The deadline counts from the moment a connection is free. */
  start(): void {
    const { signal } = this.#request;
    this.#context.running.add(this);
    if (signal?.aborted === true) {
      this.#fail(aborted);
    } else {
      if (signal !== undefined) {
        // Many requests may share a signal; Node warns of more than ten listeners.
        setMaxListeners(0, signal);
        signal.addEventListener("abort", this.#onAbort);
      }
      this.#queue();
    }
  }

  /** Stops it, wherever it is. */
  stop(failure: Failure): void {
    this.#stopped = failure;
    if (this.#attempt !== undefined) this.#attempt.stop(failure);
    else this.#fail(failure);
  }

  accept(connection: Connection): boolean {
    // One abort may stop many requests: a waiting one must not be sent because another freed its connection.
    if (this.#request.signal?.aborted === true) this.#stopped = aborted;
    if (this.#stopped !== undefined) this.#fail(this.#stopped);
    if (this.#isSettled) return false;
    this.#deadline ??= this.#startClock();
    const { origin, path } = this.#target;
    const plain = requestFields(this.#context.commonFields, this.#request, {
      isRedirected: this.#isRedirected,
      isElsewhere: origin !== this.#request.origin,
    });
    const { signer } = this.#context;
    const fields = signer === undefined ? plain : [...plain, ...signer.fieldsFor(origin)];
    const attempt = new Attempt(
      this.#request,
      () => connection.drop(),
      (end, receivedBytes) => this.#endAttempt(connection, end, receivedBytes),
      this.#watchHead(connection, fields),
      (bytes) => this.#earn(bytes),
    );
    this.#requests++;
    this.#attempt = attempt;
    connection.send({ method: "GET", path, fields: [...fields, ...this.#ownFields(this.#target)] }, attempt);
    return true;
  }

  // They may be secret: no other origin gets them, and the record of the exchange is without them.
  #ownFields({ origin, path }: RequestTarget): readonly string[] {
    const { siteFields, digest, cookies } = this.#context;
    const cookie = cookies?.origin === origin ? cookies.fieldFor(path) : undefined;
    const fields = siteFields?.origin === origin ? siteFields.headers : undefined;
    const authorization = fields === undefined ? undefined : digest?.fieldFor(path);
    this.#hasDigest = authorization !== undefined;
    return Object.entries({ ...fields, ...omitUndefined({ authorization, cookie }) }).flat();
  }

  #watchHead(connection: Connection, sent: readonly string[]): HeadWatcher | undefined {
    const record = this.#makeRecord(connection, sent);
    const { origin, path } = this.#target;
    const cookies = this.#context.cookies?.origin === origin ? this.#context.cookies : undefined;
    if (!connection.isForwarded && cookies === undefined) return record;
    return (status, raw, reason) => {
      if (connection.isForwarded) this.#proxyRefusal = findProxyRefusal(status, raw);
      // It is no answer of the site.
      if (this.#proxyRefusal !== undefined) return undefined;
      return record?.(status, cookies?.take(path, raw) ?? raw, reason);
    };
  }

  /** Makes a record of the exchange for a request that asks for it. */
  #makeRecord(connection: Connection, sent: readonly string[]): HeadWatcher | undefined {
    const { onExchange } = this.#request;
    if (onExchange === undefined) return undefined;
    const startedAt = this.#context.clock();
    const { origin, path } = this.#target;
    return (status, raw, reason) => {
      // undici writes these two fields itself, before the given ones.
      const own: [string, string][] = [
        ["host", new URL(origin).host],
        ["connection", "keep-alive"],
      ];
      const received = raw.map((bytes) => Buffer.from(bytes).toString("latin1"));
      return onExchange({
        url: origin + path,
        requestHead: encodeHttpHead({ startLine: `GET ${path} HTTP/1.1`, fields: [...own, ...pairUp(sent)] }),
        responseHead: encodeHttpHead({ startLine: `HTTP/1.1 ${status} ${reason}`, fields: pairUp(received) }),
        status,
        remoteAddress: connection.remoteAddress,
        startedAt,
      });
    };
  }

  #startClock(): Deadline {
    const { timeoutMs, onProgress } = this.#request;
    const onTick = (): void => {
      const stop = onProgress?.(0);
      if (stop !== undefined) this.stop(stop);
    };
    return new Deadline(timeoutMs, () => this.#late(), onProgress === undefined ? undefined : onTick);
  }

  /** Received bytes extend the deadline: a large body may take longer than a small one, but never forever. */
  #earn(bytes: number): void {
    this.#bodyBytes += bytes;
    this.#deadline?.extend((bytes * 1000) / (this.#request.leastBytesPerSecond ?? defaultLeastBytesPerSecond));
  }

  #late(): void {
    const { timeoutMs, leastBytesPerSecond = defaultLeastBytesPerSecond } = this.#request;
    const message =
      this.#bodyBytes === 0
        ? `no complete answer within ${timeoutMs} ms`
        : `the body comes too slowly: after ${this.#bodyBytes} bytes it was more than ${timeoutMs} ms behind ${leastBytesPerSecond} bytes a second`;
    this.stop({ reason: "timeout", message });
  }

  #queue(): void {
    this.#origin = this.#context.originOf(this.#target.origin);
    this.#origin.admit(this);
  }

  #endAttempt(connection: Connection, end: AttemptEnd, receivedBytes: number): void {
    this.#attempt = undefined;
    this.#receivedBytes += receivedBytes;
    // Surplus bytes after a body with a length show up only then.
    if (end.kind === "answered" && end.answer.isMeasured) queueMicrotask(() => this.#conclude(connection, end));
    else this.#conclude(connection, end);
  }

  #conclude(connection: Connection, end: AttemptEnd): void {
    // RFC 9112 section 9.3.1: the server closed an idle connection as we sent the request, and has not read it.
    const isUnread = end.kind === "unanswered" && connection.isUsed;
    if (isUnread && !this.#isRetried) {
      this.#isRetried = true;
      this.#requests--;
      this.#goOn((isWanted) => {
        if (!isWanted || !this.accept(connection)) this.#origin?.release(connection);
      });
      return;
    }
    const isCut = end.kind === "answered" && end.answer.fields.endsWithConnection && connection.isReset;
    const isOverrun = end.kind === "answered" && end.answer.isMeasured && connection.isOverrun;
    if (end.kind === "answered") connection.markUsed();
    this.#origin?.release(connection);
    if (end.kind === "broken") this.#settle(() => this.#settlement.reject(end.error));
    else if (end.kind !== "answered") this.#fail(end.failure);
    else if (isOverrun) this.#fail({ reason: "protocol", message: "the body continues beyond its Content-Length" });
    else if (isCut) this.#fail({ reason: "truncated", message: "the connection was reset within the body" });
    else this.#take(end.answer);
  }

  #take(answer: Answer): void {
    if (this.#proxyRefusal !== undefined) {
      this.#fail(this.#proxyRefusal);
      return;
    }
    if (answer.status === 401 && this.#mayLogIn(answer)) {
      this.#isLoggedIn = true;
      this.#logins++;
      this.#goOn((isWanted) => {
        if (isWanted) this.#queue();
      });
      return;
    }
    if (isRedirect(answer.status)) {
      this.#follow(answer.fields.location);
      return;
    }
    const outcome = judgeAnswer(this.#request, answer, {
      receivedBytes: this.#receivedBytes,
      requests: this.#requests,
      finalPath: this.#target.path,
      isRedirected: this.#isRedirected,
      now: this.#context.clock(),
    });
    this.#settle(() => this.#settlement.resolve(outcome));
  }

  /** Whether a challenge of the site can be answered, once for each URL. */
  #mayLogIn({ fields }: Answer): boolean {
    const { siteFields, digest } = this.#context;
    if (this.#isLoggedIn || this.#stopped !== undefined || siteFields?.origin !== this.#target.origin) return false;
    return digest?.takeChallenge(fields.wwwAuthenticate, this.#hasDigest) === true;
  }

  #follow(location: string | undefined): void {
    const { guard } = this.#context;
    let target: RequestTarget | Failure;
    try {
      target =
        this.#stopped ??
        resolveRedirect(this.#request, this.#target, location, this.#requests - this.#logins - 1, guard);
    } catch (error) {
      // An error thrown by the caller's own callback.
      this.#settle(() => this.#settlement.reject(error));
      return;
    }
    if ("reason" in target) {
      this.#fail(target);
      return;
    }
    this.#target = target;
    this.#isRedirected = true;
    this.#isLoggedIn = false;
    this.#goOn((isWanted) => {
      if (isWanted) this.#queue();
    });
  }

  /** Makes a further request once the caller allows it. The wait does not count against the deadline. */
  #goOn(make: (isWanted: boolean) => void): void {
    const { beforeNext } = this.#request;
    if (beforeNext === undefined) {
      queueMicrotask(() => make(true));
      return;
    }
    this.#deadline?.clear();
    this.#deadline = undefined;
    beforeNext(this.#target.origin + this.#target.path).then(
      (may) => {
        if (!may) this.#stopped ??= aborted;
        if (this.#stopped !== undefined) this.#fail(this.#stopped);
        make(!this.#isSettled);
      },
      (error: unknown) => {
        this.#settle(() => this.#settlement.reject(error));
        make(false);
      },
    );
  }

  #fail(failure: Failure): void {
    const facts = { receivedBytes: this.#receivedBytes, requests: this.#requests };
    this.#settle(() => this.#settlement.resolve({ kind: "failed", ...failure, ...facts }));
  }

  #settle(report: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#context.running.delete(this);
    this.#deadline?.clear();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    report();
  }
}

const aborted: Failure = { reason: "aborted", message: "stopped before the end" };

/** Names and values that alternate, as pairs. */
function pairUp(alternating: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < alternating.length; at += 2)
    pairs.push([alternating[at] as string, alternating[at + 1] as string]);
  return pairs;
}
