import { confirmValidators, type EpochMs, type FetchOutcome, type FetchRequest } from "../core/index.ts";
import { parseRetryAfter, withoutWeakDate } from "./answer-fields.ts";
import type { Answer } from "./attempt.ts";
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
    const { contentType, cacheControl, link, refresh } = fields;
    const links = { ...(link === undefined ? {} : { link }), ...(refresh === undefined ? {} : { refresh }) };
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
      body,
      finalPath,
    };
  }
  if (status === 304 && !isRedirected && isConditional(request)) {
    const validators = confirmValidators(request.validators ?? {}, withoutWeakDate(fields, facts.now));
    return { kind: "not-modified", ...answered, validators, cacheControl: fields.cacheControl };
  }
  if (status === 404 || status === 410) return { kind: "gone", ...answered };
  if (status === 429 || (status >= 500 && status < 600)) {
    return { kind: "unavailable", ...answered, retryAt: parseRetryAfter(fields.retryAfter, facts.now) };
  }
  if (status >= 400 && status < 500) return { kind: "refused", ...answered };
  return { kind: "failed", reason: "protocol", message: complaint(status), receivedBytes, requests };
}

function complaint(status: number): string {
  if (status === 304) return "the server answered 304 to a request without conditions";
  if (status === 206) return "the server answered 206 with a range that was not requested";
  return `the server answered ${status}, which is not a usable answer to GET`;
}
