import { hasStatus, splitRequest } from "./line-parser.ts";
import { type LogField, type LogLine, logField } from "./log-line.ts";

/** Names of members, the first that is there counts: nginx's variables, then those of Caddy and of common loggers. */
const memberNames: ReadonlyArray<readonly [LogField, readonly string[]]> = [
  [logField.address, ["remote_addr", "client_ip", "remote_ip", "clientip", "ip"]],
  [logField.time, ["time_local", "time_iso8601", "@timestamp", "timestamp", "time", "ts"]],
  [logField.request, ["request"]],
  [logField.method, ["request_method", "method"]],
  [logField.target, ["request_uri", "uri", "url", "path"]],
  [logField.status, ["status", "status_code"]],
  [logField.bytes, ["body_bytes_sent", "bytes_sent", "bytes", "size"]],
  [logField.agent, ["http_user_agent", "user_agent", "useragent", "agent", "user-agent"]],
  [logField.ifModifiedSince, ["http_if_modified_since", "if-modified-since"]],
  [logField.ifNoneMatch, ["http_if_none_match", "if-none-match"]],
  [logField.signatureInput, ["http_signature_input", "signature-input"]],
  [logField.signatureAgent, ["http_signature_agent", "signature-agent"]],
  [logField.etag, ["sent_http_etag", "etag"]],
  [logField.host, ["host", "server_name"]],
];

/** What is read of the headers of requests and answers: a client may send any other, such as `Remote_addr`. */
const requestHeaders: ReadonlySet<string> = new Set(
  memberNames.flatMap(([, names]) => names.filter((name) => name.includes("-"))),
);
const answerHeaders: ReadonlySet<string> = new Set(["etag"]);

/** Reads lines that are JSON objects. */
export class JsonLineParser {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #scratch: Uint8Array;

  /** @param maxLineBytes - length of the longest line */
  constructor(maxLineBytes: number) {
    // No character of JSON text takes more than three bytes for each that it is written in.
    this.#scratch = new Uint8Array(3 * maxLineBytes);
  }

  /** @returns false if the line is not a JSON object with a status and a request */
  parse(bytes: Uint8Array, from: number, to: number, line: LogLine): boolean {
    const members = this.#read(bytes.subarray(from, to));
    if (members === undefined) return false;
    line.clear();
    line.bytes = this.#scratch;
    line.isEscaped = false;
    let at = 0;
    for (const [field, names] of memberNames) {
      const value = names.map((name) => members.get(name)).find((one) => one !== undefined);
      if (value === undefined) continue;
      const { written } = this.#encoder.encodeInto(value, this.#scratch.subarray(at));
      line.from[field] = at;
      line.to[field] = at + written;
      at += written;
    }
    splitRequest(line);
    return hasStatus(line) && ((line.from[logField.request] as number) >= 0 || line.has(logField.target));
  }

  #read(bytes: Uint8Array): Map<string, string> | undefined {
    let value: unknown;
    try {
      value = JSON.parse(this.#decoder.decode(bytes));
    } catch {
      return undefined;
    }
    if (!isObject(value)) return undefined;
    const members = new Map<string, string>();
    const take = (object: unknown, wanted?: ReadonlySet<string>): void => {
      for (const [name, member] of Object.entries(isObject(object) ? object : {})) {
        const one: unknown = Array.isArray(member) ? member[0] : member;
        const key = name.toLowerCase();
        if ((typeof one !== "string" && typeof one !== "number") || members.has(key)) continue;
        if (wanted?.has(key) !== false) members.set(key, String(one));
      }
    };
    // Caddy has the request in a member of its own, and its headers in one of that, as lists.
    const request = isObject(value.request) ? value.request : {};
    take(value);
    take(request);
    take(request.headers, requestHeaders);
    take(value.resp_headers, answerHeaders);
    return members;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
