import type { FetchRequest } from "../model/index.ts";

const secrets = new Set(["authorization", "cookie", "proxy-authorization"]);

/** The fields of every request, names and values in turn. */
export function commonFields(userAgent: string): string[] {
  return ["user-agent", userAgent, "accept-encoding", "identity"];
}

/**
 * The fields of one request, names and values in turn.
 *
 * @param common - what {@link commonFields} gave; given back as it is where there is nothing to add
 * @param elsewhere - whether a redirect has left the origin that the request was meant for
 */
export function requestFields(common: string[], request: FetchRequest, elsewhere: boolean): string[] {
  const { headers, validators } = request;
  if (headers === undefined && validators === undefined) return common;
  const fields = new Map<string, string>();
  for (let at = 0; at < common.length; at += 2) fields.set(common[at] ?? "", common[at + 1] ?? "");
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!elsewhere || !secrets.has(name.toLowerCase())) fields.set(name.toLowerCase(), value);
  }
  if (validators?.etag !== undefined) fields.set("if-none-match", validators.etag);
  if (validators?.lastModified !== undefined) fields.set("if-modified-since", validators.lastModified);
  return [...fields].flat();
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
