import { excerpt, ok, problem, type Result } from "../../core/index.ts";
import { type LogField, logField } from "./log-line.ts";

/** How the bytes of a field look: without spaces, digits or `-`, or anything. */
export type FieldKind = "word" | "number" | "text";

/** A field, and the bytes that end it. */
export interface FormatPart {
  /** -1 for a field that is passed over. */
  readonly field: LogField | -1;
  readonly kind: FieldKind;
  /** Empty: the field goes on to the end of the line. */
  readonly end: Uint8Array;
}

/** A compiled `LogFormat` or `log_format`. */
export interface LogFormat {
  /** What each line begins with. */
  readonly start: Uint8Array;
  readonly parts: readonly FormatPart[];
}

interface Token {
  readonly name: string;
  readonly field: LogField | -1;
  readonly kind: FieldKind;
}

/** The name of the parts in which LogFormat may write a time: `%{%F %T}t.%{msec_frac}t %{%z}t`. */
const timePart = "part of a time";

/** A format in pieces: literal text, or a field. */
type Piece = string | Token;

const apacheFields: Readonly<Record<string, readonly [LogField | -1, FieldKind]>> = {
  h: [logField.address, "word"],
  a: [logField.address, "word"],
  r: [logField.request, "text"],
  m: [logField.method, "word"],
  U: [logField.target, "text"],
  s: [logField.status, "number"],
  b: [logField.bytes, "number"],
  B: [logField.bytes, "number"],
  O: [logField.bytes, "number"],
  v: [logField.host, "word"],
  V: [logField.host, "word"],
  l: [-1, "word"],
  p: [-1, "number"],
};

const headerFields: Readonly<Record<string, LogField>> = {
  "x-forwarded-for": logField.address,
  "x-real-ip": logField.address,
  "cf-connecting-ip": logField.address,
  "user-agent": logField.agent,
  "if-modified-since": logField.ifModifiedSince,
  "if-none-match": logField.ifNoneMatch,
  "signature-input": logField.signatureInput,
  "signature-agent": logField.signatureAgent,
};

const nginxFields: Readonly<Record<string, readonly [LogField | -1, FieldKind]>> = {
  remote_addr: [logField.address, "word"],
  // A list, where there are several proxies.
  http_x_forwarded_for: [logField.address, "text"],
  proxy_add_x_forwarded_for: [logField.address, "text"],
  http_x_real_ip: [logField.address, "text"],
  http_cf_connecting_ip: [logField.address, "text"],
  time_local: [logField.time, "text"],
  time_iso8601: [logField.time, "text"],
  msec: [logField.time, "word"],
  host: [logField.host, "word"],
  server_name: [logField.host, "word"],
  request: [logField.request, "text"],
  request_method: [logField.method, "word"],
  request_uri: [logField.target, "text"],
  uri: [logField.target, "text"],
  status: [logField.status, "number"],
  body_bytes_sent: [logField.bytes, "number"],
  bytes_sent: [logField.bytes, "number"],
  http_user_agent: [logField.agent, "text"],
  http_if_modified_since: [logField.ifModifiedSince, "text"],
  http_if_none_match: [logField.ifNoneMatch, "text"],
  http_signature_input: [logField.signatureInput, "text"],
  http_signature_agent: [logField.signatureAgent, "text"],
  sent_http_etag: [logField.etag, "text"],
};

/**
 * Compiles a format: Apache's `LogFormat` if it has `%`, nginx's `log_format` if it has `$name`. Of a field that stands
 * twice the first counts, but a time in several parts goes on to its last. What a line has after the format's last text is
 * passed over.
 *
 * @param text - what stands between the quotes in the server's configuration; `\"` stands for a quote
 * @returns problems `no-field`, `unknown-field`, `adjacent-fields`
 * @see https://httpd.apache.org/docs/2.4/mod/mod_log_config.html#formats
 * @see https://nginx.org/en/docs/http/ngx_http_log_module.html#log_format
 */
export function compileLogFormat(text: string): Result<LogFormat> {
  const plain = text.replace(/\\(["'\\])/g, "$1").replaceAll("\\t", "\t");
  const pieces = /\$\{?[a-z]/i.test(plain) ? splitNginx(plain) : splitApache(plain);
  if (!Array.isArray(pieces)) return pieces;
  return joinPieces(pieces);
}

function splitApache(text: string): Piece[] | Result<never> {
  const pieces: Piece[] = [];
  const token = /%!?[\d,]*[<>]?(?:\{([^}]*)\})?(\^F[BU]|\^t[io]|[a-zA-Z%])/y;
  for (let at = 0; at < text.length; ) {
    if (text[at] !== "%") {
      const next = text.indexOf("%", at);
      pieces.push(text.slice(at, next < 0 ? undefined : next));
      at = next < 0 ? text.length : next;
      continue;
    }
    token.lastIndex = at;
    const [whole, argument, letter] = token.exec(text) ?? [];
    if (whole === undefined || letter === undefined)
      return problem("unknown-field", `${excerpt(text.slice(at, at + 20))}: not a field of LogFormat.`);
    at += whole.length;
    if (letter === "%") pieces.push("%");
    else if (letter === "t" && argument === undefined)
      pieces.push("[", { name: whole, field: logField.time, kind: "text" }, "]");
    else pieces.push(apacheField(whole, letter, argument));
  }
  return pieces;
}

function apacheField(name: string, letter: string, argument: string | undefined): Token {
  const header = argument?.toLowerCase() ?? "";
  if (letter === "t") {
    // The parts of a second that LogFormat can write by themselves, as msec_frac, are no time.
    const isFraction = /_frac$/.test(header);
    const isPart = isFraction || header.includes("%");
    return { name: isPart ? timePart : name, field: isFraction ? -1 : logField.time, kind: "text" };
  }
  if (letter === "i") return { name, field: headerFields[header] ?? -1, kind: "text" };
  if (letter === "o") return { name, field: header === "etag" ? logField.etag : -1, kind: "text" };
  const [field, kind] = apacheFields[letter] ?? [-1, "text"];
  return { name: letter, field, kind };
}

function splitNginx(text: string): Piece[] {
  return text
    .split(/(\$\{\w+\}|\$\w+)/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const name = /^\$\{?(\w+)/.exec(piece)?.[1];
      if (name === undefined) return piece;
      const [field, kind] = nginxFields[name] ?? [-1, "text"];
      return { name, field, kind };
    });
}

function joinPieces(pieces: readonly Piece[]): Result<LogFormat> {
  const encoder = new TextEncoder();
  let start = "";
  const parts: { field: LogField | -1; kind: FieldKind; end: string; name: string }[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (typeof piece === "string") {
      if (last === undefined) start += piece;
      else last.end += piece;
    } else if (last?.end === "") {
      // Apache's path and query: together the target as it was sent.
      if (!(last.name === "U" && piece.name === "q"))
        return problem("adjacent-fields", `Nothing stands between the fields ${last.name} and ${piece.name}.`);
    } else {
      const isGoneOn = piece.name === timePart && last?.name === timePart;
      const isKnown = !isGoneOn && parts.some(({ field }) => field === piece.field);
      parts.push({ ...piece, field: isKnown ? -1 : piece.field, end: "" });
    }
  }
  const has = (field: LogField) => parts.some((part) => part.field === field);
  if (!has(logField.status) || !(has(logField.request) || has(logField.target)))
    return problem("no-field", "The format needs the status (%>s, $status) and the request (%r, $request).");
  return ok({
    start: encoder.encode(start),
    parts: parts.map(({ field, kind, end }) => ({ field, kind, end: encoder.encode(end) })),
  });
}
