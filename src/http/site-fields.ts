import { TidemarkError } from "../core/index.ts";

/** Fields of all requests to one origin, such as a password; no other origin receives them, and no record of requests has them. */
export interface SiteFields {
  readonly origin: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** `user:password`, with which Digest challenges are answered. */
  readonly login?: string;
}

/** What is given for the requests to a site. */
export interface GivenFields {
  /** `user:password`. */
  readonly auth?: string | undefined;
  /** Whether the login is for Digest authentication only. Default: Basic first, Digest if the server asks for it. */
  readonly digest?: boolean | undefined;
  /** Additional header fields. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What a field's value may hold (RFC 9110 section 5.5), in characters of one byte. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What the crawler or HTTP itself decides. */
const reserved = new Set(
  (
    "host connection user-agent from accept-encoding cache-control range content-length content-type transfer-encoding " +
    "te trailer upgrade expect keep-alive proxy-authorization proxy-connection"
  ).split(" "),
);
const maxValueCharacters = 8192;

/**
 * The fields of all requests to a site.
 *
 * @throws TidemarkError `bad-option`, without a value in its message
 * @see RFC 7617 (Basic; user and password in UTF-8)
 */
export function readSiteFields(
  origin: string,
  { auth, digest = false, headers = {} }: GivenFields,
): SiteFields | undefined {
  const fields: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers)) {
    const name = given.trim().toLowerCase();
    if (!token.test(name) || !fieldValue.test(value) || value.length > maxValueCharacters)
      throw new TidemarkError("bad-option", "Not a header field.", {
        hint: "Write it as Name: value, in one line of Latin letters.",
        details: token.test(name) ? { name } : {},
      });
    if (reserved.has(name) || name.startsWith("if-"))
      throw new TidemarkError("bad-option", `The crawler sets the field ${name} itself.`, {
        hint: "For User-Agent and From there are options of their own.",
        details: { name },
      });
    fields[name] = value.trim();
  }
  if (auth !== undefined) {
    if (!/^[^:\x00-\x1f\x7f]*:[^\x00-\x1f\x7f]*$/.test(auth))
      throw new TidemarkError("bad-option", "A login must be user:password, without control characters.");
    if (fields.authorization !== undefined)
      throw new TidemarkError("bad-option", "A login and a field Authorization exclude each other.");
    if (!digest) fields.authorization = `Basic ${Buffer.from(auth, "utf8").toString("base64")}`;
  }
  if (auth === undefined && Object.keys(fields).length === 0) return undefined;
  return { origin, headers: fields, ...(auth === undefined ? {} : { login: auth }) };
}
