import type { FetchRequest } from "../model/index.ts";

const secrets = new Set(["authorization", "cookie", "proxy-authorization"]);

/**
 * The fields of a request, names and values in turn.
 *
 * @param elsewhere - whether a redirect has left the origin that the request was meant for
 */
export function requestFields(userAgent: string, request: FetchRequest, elsewhere: boolean): string[] {
  const fields: Record<string, string> = { "user-agent": userAgent, "accept-encoding": "identity" };
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (!elsewhere || !secrets.has(name.toLowerCase())) fields[name.toLowerCase()] = value;
  }
  if (request.validators?.etag !== undefined) fields["if-none-match"] = request.validators.etag;
  if (request.validators?.lastModified !== undefined) fields["if-modified-since"] = request.validators.lastModified;
  return Object.entries(fields).flat();
}

/** Whether an answer of 304 would be one to this request. */
export function isConditional(request: FetchRequest): boolean {
  const { validators, headers } = request;
  if (validators?.etag !== undefined || validators?.lastModified !== undefined) return true;
  return headers !== undefined && ("if-none-match" in headers || "if-modified-since" in headers);
}

/** Whether an answer of 206 would be one to this request. */
export function isRanged(request: FetchRequest): boolean {
  return request.headers !== undefined && "range" in request.headers;
}
