import {
  confirmValidators,
  type EpochMs,
  excerpt,
  type FetchOutcome,
  type FetchRequest,
  parseUrl,
  type UsageFields,
} from "../core/index.ts";
import { escapeBytes } from "../formats/url/index.ts";
import type { AddressGuard } from "./address-guard.ts";
import { type AnswerFields, parseRetryAfter, withoutWeakDate } from "./answer-fields.ts";
import type { Answer } from "./attempt.ts";
import type { Failure } from "./failure.ts";
import { isConditional, isRangeAskedFor } from "./request-fields.ts";

/** Facts besides the response. */
export interface OutcomeFacts {
  readonly receivedBytes: number;
  readonly requests: number;
  readonly finalPath: string;
  /** Whether a redirect led to another URL than the requested one. */
  readonly isRedirected: boolean;
  readonly now: EpochMs;
}

/** Converts the last response to a request into its outcome; redirects were followed before. */
export function judgeAnswer(
  request: FetchRequest,
  answer: Omit<Answer, "isMeasured">,
  facts: OutcomeFacts,
): FetchOutcome {
  const { status, fields } = answer;
  const { receivedBytes, requests, finalPath, isRedirected } = facts;
  const answered = { status, receivedBytes, requests };
  if (status === 200 || (status === 206 && isRangeAskedFor(request, fields.contentRange))) {
    const { contentType, cacheControl, link, refresh, contentLanguage } = fields;
    const links = {
      ...(link === undefined ? {} : { link }),
      ...(refresh === undefined ? {} : { refresh }),
      ...(contentLanguage === undefined ? {} : { contentLanguage }),
    };
    const { body, isDecoded } = answer;
    const validators = isRedirected ? {} : withoutWeakDate(fields, facts.now);
    const { lastModified } = isRedirected ? {} : fields.validators;
    const contentEncoding = isDecoded ? undefined : fields.contentEncoding;
    return {
      kind: "fetched",
      ...answered,
      validators,
      ...(lastModified === validators.lastModified ? {} : { lastModified }),
      contentType,
      contentEncoding,
      cacheControl,
      ...links,
      ...usageOf(fields),
      body,
      finalPath,
    };
  }
  if (status === 304 && !isRedirected && isConditional(request)) {
    const validators = confirmValidators(request.validators ?? {}, withoutWeakDate(fields, facts.now));
    return { kind: "not-modified", ...answered, validators, cacheControl: fields.cacheControl, ...usageOf(fields) };
  }
  if (status === 404 || status === 410) return { kind: "gone", ...answered };
  if (status === 429 || (status >= 500 && status < 600)) {
    return { kind: "unavailable", ...answered, retryAt: parseRetryAfter(fields.retryAfter, facts.now) };
  }
  if (status >= 400 && status < 500) return { kind: "refused", ...answered };
  return { kind: "failed", reason: "protocol", message: complaint(status), receivedBytes, requests };
}

function usageOf({ contentUsage, robotsTag, tdmReservation }: AnswerFields): { usage?: UsageFields } {
  const isSilent = contentUsage === undefined && robotsTag === undefined && tdmReservation === undefined;
  return isSilent ? {} : { usage: { contentUsage, robotsTag, tdmReservation } };
}

function complaint(status: number): string {
  if (status === 304) return "the server answered 304 to a request without conditions";
  if (status === 206) return "the server answered 206 with a range that was not requested";
  return `the server answered ${status}, which is not a usable answer to GET`;
}

/** Target of a request. */
export interface RequestTarget {
  /** Without a slash at the end. */
  readonly origin: string;
  /** Path with query. */
  readonly path: string;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Whether a response of this status is a redirect. */
export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/**
 * Resolves a redirect if it may be followed.
 *
 * @param location - the field's value, one character per byte
 * @param followed - number of earlier redirects of this request
 * @param guard - knows the origins named by the user: these may have any port
 */
export function resolveRedirect(
  request: FetchRequest,
  from: RequestTarget,
  location: string | undefined,
  followed: number,
  guard: Pick<AddressGuard, "isNamed">,
): RequestTarget | Failure {
  if (location === undefined) return { reason: "protocol", message: "redirected without a location" };
  const url = parseUrl(escapeBytes(location), from.origin + from.path);
  if (url === undefined) return { reason: "protocol", message: `redirected to ${excerpt(location)}, which is no URL` };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { reason: "redirect-elsewhere", message: `redirected to ${excerpt(url.href)}, which is not HTTP` };
  }
  if (url.origin !== from.origin && request.crossOrigin !== true) {
    return { reason: "redirect-elsewhere", message: `redirected to ${excerpt(url.href)}, which is on another origin` };
  }
  if (url.port !== "" && url.port !== new URL(from.origin).port && !guard.isNamed(url.origin)) {
    return { reason: "redirect-elsewhere", message: `redirected to ${excerpt(url.href)}, which is on another port` };
  }
  const max = request.maxRedirects ?? 0;
  if (followed >= max) {
    const why = max === 0 ? ", and no redirect is followed here" : ` after ${followed} redirects`;
    return { reason: "redirect-loop", message: `redirected to ${excerpt(url.href)}${why}` };
  }
  url.hash = "";
  if (request.mayFollow?.(url.href) === false) {
    return { reason: "redirect-disallowed", message: `redirected to ${excerpt(url.href)}, which may not be requested` };
  }
  return { origin: url.origin, path: url.pathname + url.search };
}
