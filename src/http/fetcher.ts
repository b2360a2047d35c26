import { X509Certificate } from "node:crypto";
import * as tls from "node:tls";
import type { Clock, FetchOutcome, FetchRequest } from "../core/index.ts";
import { AddressGuard, type AddressRules } from "./address-guard.ts";
import { Origin } from "./connection.ts";
import type { OriginCookies } from "./cookie-jar.ts";
import { DigestLogin } from "./digest.ts";
import { Exchange, type ExchangeContext } from "./exchange.ts";
import type { RequestSigner } from "./identity.ts";
import { readProxy } from "./proxy.ts";
import { commonFields } from "./request-fields.ts";
import type { SiteFields } from "./site-fields.ts";

/** How requests are sent. */
export interface FetcherOptions extends AddressRules {
  /** @default `tidemark/<version>` with the address of the package */
  readonly userAgent?: string;
  /**
   * Concurrent requests to one origin, each on its own persistent connection.
   *
   * @default 1
   */
  readonly connections?: number;
  /**
   * Time limit to connect; the deadline of the request applies as well.
   *
   * @default 10000
   */
  readonly connectTimeoutMs?: number;
  /** Mail address of the crawler's operator, sent as the field From. Default: it is not sent. */
  readonly from?: string;
  /** PEM certificates of additional TLS authorities. Default: those that Node trusts. */
  readonly ca?: string;
  /** Fields of the requests to one origin. Default: none. */
  readonly siteFields?: SiteFields | undefined;
  /** Cookies of one origin; those that its responses set are added. Default: none are sent or taken. */
  readonly cookies?: OriginCookies | undefined;
  /** Signs each request. Default: they are not signed. */
  readonly signer?: RequestSigner | undefined;
  /**
   * URL of a proxy for all requests. `http://proxy.example:3128`: `http:` URLs are forwarded, for `https:` it opens a
   * tunnel. `socks5h://proxy.example:1080`: it opens a tunnel for each. Such a proxy resolves names, so that only literal
   * addresses are checked; with `socks5:` they are resolved and checked here. Default: none.
   */
  readonly proxy?: string | undefined;
  /** Clock to which Retry-After is relative. */
  readonly clock?: Clock;
  /** Asked at the instant at which a request is about to be sent; false ends it as failed. Default: true. */
  readonly mayWrite?: (() => boolean) | undefined;
}

/** Sends requests over HTTP/1.1; over TLS no other protocol is offered (RFC 7301). */
export interface Fetcher {
  /**
   * Makes one request as soon as a connection of the origin is free.
   *
   * Whatever a server or network does is a branch of the outcome. If the server closes an idle connection at the same
   * moment, the request is retried once. Bodies are passed on as received; codings are decoded only for a request that
   * accepts them.
   *
   * @throws TypeError if the origin, path or fields cannot be sent over HTTP; whatever the sink threw
   */
  get(request: FetchRequest): Promise<FetchOutcome>;
  /** Resolves once the earlier requests that have a connection are written to it. */
  sent(): Promise<void>;
  /** Closes all connections; requests under way end as `aborted`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const mailAddress = /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/;
const originForm = /^https?:\/\/[^/?#@\s]+$/;

/**
 * Creates a fetcher.
 *
 * Non-public addresses (loopback, private, link-local, ...) are refused as `private-address` unless the options allow
 * them. They are checked at each connection, as resolved.
 *
 * @throws RangeError if `connections` is no positive integer; TypeError if `from` is not a mail address, `ca` contains
 * no certificate, or an origin is invalid
 * @example
 * ```ts
 * await using fetcher = createFetcher();
 * const outcome = await fetcher.get({ origin: "https://example.org", path: "/", maxBytes: 1e6, timeoutMs: 30_000 });
 * if (outcome.kind === "fetched") console.log(outcome.body.length);
 * ```
 */
export function createFetcher(options: FetcherOptions = {}): Fetcher {
  const { connections = 1, connectTimeoutMs = 10_000, clock = Date.now } = options;
  if (!Number.isInteger(connections) || connections < 1) throw new RangeError("connections must be 1 or more");
  const { from, ca } = options;
  if (from !== undefined && !mailAddress.test(from)) throw new TypeError(`not a mail address: ${JSON.stringify(from)}`);
  const guard = new AddressGuard(options);
  const secureContext = ca === undefined ? undefined : trustAuthorities(ca);
  const proxy = options.proxy === undefined ? undefined : readProxy(options.proxy);
  const settings = { connectTimeoutMs, guard, secureContext, proxy, mayWrite: options.mayWrite };
  const origins = new Map<string, Origin>();
  const running = new Set<Exchange>();
  let isClosed = false;
  const context: ExchangeContext = {
    commonFields: commonFields(options.userAgent, from),
    siteFields: options.siteFields,
    digest: options.siteFields?.login === undefined ? undefined : new DigestLogin(options.siteFields.login),
    cookies: options.cookies,
    signer: options.signer,
    clock,
    guard,
    running,
    originOf: (name) => {
      let origin = origins.get(name);
      if (origin === undefined) {
        origin = new Origin(name, connections, settings, () => origins.delete(name));
        origins.set(name, origin);
      }
      return origin;
    },
  };
  return {
    get(request) {
      if (!originForm.test(request.origin)) {
        return Promise.reject(new TypeError(`not an origin: ${JSON.stringify(request.origin)}`));
      }
      if (isClosed) return Promise.reject(new TypeError("the fetcher is closed"));
      return new Promise((resolve, reject) => new Exchange(request, context, { resolve, reject }).start());
    },
    // On a reused connection undici writes in the next turn of the event loop.
    sent: () => new Promise((resolve) => setImmediate(resolve)),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const exchange of running) exchange.stop({ reason: "aborted", message: "the fetcher was closed" });
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Adds TLS authorities to those that Node trusts.
 *
 * Before Node 22.15 this drops the authorities of NODE_EXTRA_CA_CERTS: there is no way to list them.
 *
 * @param pem - one or more certificates
 * @throws TypeError if it contains no certificate, or an unreadable one
 */
export function trustAuthorities(pem: string): tls.SecureContext {
  const certificates = pem.match(certificateBlock) ?? [];
  if (certificates.length === 0) throw new TypeError("no certificate in PEM is there");
  for (const certificate of certificates) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw new TypeError(`not a certificate: ${(error as Error).message}`, { cause: error });
    }
  }
  const { getCACertificates } = tls as { readonly getCACertificates?: (type: "default") => string[] };
  return tls.createSecureContext({
    ca: [...(getCACertificates?.("default") ?? tls.rootCertificates), ...certificates],
  });
}
