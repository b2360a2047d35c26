import { badRequestCode, codedError, type Message } from "./carrier.ts";
import type { Field } from "./hpack-table.ts";

const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const badSentValue = /[^\t\x20-\x7e\x80-\xff]/;
const badValue = /[\0\r\n]/;
const badPath = /^[^/]|[^\x21-\xff]/;

/** RFC 9113 section 8.2.2: these speak of a connection of HTTP/1.1. */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]);
/** Of a request further ones are left out: `host` has become a pseudo-field. */
const unsent = new Set([...ofConnection, "host", "te"]);

/**
 * The fields of a request as HTTP/2 has them.
 *
 * @param authority - host and port of the origin
 * @throws Error `ERR_NOT_A_REQUEST` for what HTTP cannot carry
 */
export function fieldsOfRequest({ method, path, fields, body }: Message, authority: string): Field[] {
  if (path === "" || badPath.test(path)) throw codedError(badRequestCode, "invalid request path");
  const all: Field[] = [
    [":method", method],
    [":scheme", "https"],
    [":authority", authority],
    [":path", path],
  ];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] ?? "").toLowerCase();
    const value = fields[at + 1] ?? "";
    if (!token.test(name) || badSentValue.test(value)) throw codedError(badRequestCode, `invalid ${name} header`);
    if (!unsent.has(name)) all.push([name, value]);
  }
  if (body !== undefined) all.push(["content-length", String(Buffer.byteLength(body))]);
  return all;
}

/** The fields of an answer, with what HTTP/1.1 has in its first line. */
export interface AnswerHead {
  readonly status: number;
  /** Names and values in turn, as bytes, without pseudo-fields; as undici gives those of HTTP/1.1. */
  readonly raw: Buffer[];
  /** In bytes. */
  readonly contentLength: number | undefined;
}

/**
 * Reads the fields of an answer.
 *
 * @returns undefined for what is malformed (RFC 9113 sections 8.1.1, 8.2 and 8.3.2)
 */
export function readAnswerHead(fields: readonly Field[]): AnswerHead | undefined {
  const [[name, status] = ["", ""], ...others] = fields;
  if (name !== ":status" || !/^[1-9]\d\d$/.test(status) || status === "101" || !areRegular(others)) return undefined;
  const lengths = new Set(others.flatMap(([name, value]) => (name === "content-length" ? [value.trim()] : [])));
  const [length] = lengths;
  if (lengths.size > 1 || (length !== undefined && !/^\d{1,15}$/.test(length))) return undefined;
  const raw = others.flatMap((field) => field.map((text) => Buffer.from(text, "latin1")));
  return { status: Number(status), raw, contentLength: length === undefined ? undefined : Number(length) };
}

/** Whether these are fields of an answer other than pseudo-fields, as trailers must be. */
export function areRegular(fields: readonly Field[]): boolean {
  return fields.every(([name, value]) => token.test(name) && !badValue.test(value) && !ofConnection.has(name));
}
