import { createHash, randomBytes } from "node:crypto";

/** What a server asks for in Digest authentication. Texts hold one character per byte, without quotes. */
interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  readonly algorithm: keyof typeof hashes;
  /** Whether the login was right and only the nonce too old. */
  readonly isStale: boolean;
  readonly takesUtf8: boolean;
  /** Whether the user's name is to be hashed. */
  readonly hidesUser: boolean;
}

const hashes = { MD5: "md5", "SHA-256": "sha256", "SHA-512-256": "sha512-256" } as const;
const maxFieldCharacters = 8192;
const maxValueCharacters = 1024;
/** A scheme, or a parameter with its value; what separates them. */
const part = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?[\s,]*/y;

/**
 * Finds the first Digest challenge that can be answered: with `qop=auth` and a known algorithm.
 *
 * @param field - WWW-Authenticate, repeated ones joined by commas
 * @returns undefined if there is none, also in a field that is malformed or very long
 * @see RFC 9110 section 11.6.1; RFC 7616 section 3.3
 */
export function readDigestChallenge(field = ""): DigestChallenge | undefined {
  if (field.length > maxFieldCharacters) return undefined;
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  part.lastIndex = 0;
  for (let match = part.exec(field); match !== null; match = part.exec(field)) {
    const [, name = "", quoted, plain] = match;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    const parameters = challenges.at(-1)?.parameters;
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: new Map() });
    else if (parameters?.has(name.toLowerCase()) === false) parameters.set(name.toLowerCase(), value);
  }
  for (const { scheme, parameters } of challenges) {
    const found = scheme === "digest" ? readParameters(parameters) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function readParameters(parameters: ReadonlyMap<string, string>): DigestChallenge | undefined {
  const realm = parameters.get("realm");
  const nonce = parameters.get("nonce");
  const opaque = parameters.get("opaque");
  const asked = (parameters.get("algorithm") ?? "MD5").toUpperCase();
  const algorithm = (Object.keys(hashes) as DigestChallenge["algorithm"][]).find((name) => name === asked);
  const protections = (parameters.get("qop") ?? "").toLowerCase().split(/[\s,]+/);
  if (realm === undefined || nonce === undefined || algorithm === undefined || !protections.includes("auth"))
    return undefined;
  if ([realm, nonce, opaque ?? ""].some((text) => text.length > maxValueCharacters || /[\0-\x1f\x7f]/.test(text)))
    return undefined;
  const is = (name: string, value: string): boolean => parameters.get(name)?.toLowerCase() === value;
  return {
    ...{ realm, nonce, opaque, algorithm },
    isStale: is("stale", "true"),
    takesUtf8: is("charset", "utf-8"),
    hidesUser: is("userhash", "true"),
  };
}

/** One use of a challenge. */
export interface DigestUse {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  /** How often the nonce was used, with this time. */
  readonly count: number;
  /** A random text of the client. */
  readonly clientNonce: string;
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
const inBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/**
 * The value of Authorization that answers a challenge.
 *
 * @param login - `user:password`; both are hashed in UTF-8
 * @see RFC 7616 section 3.4
 */
export function answerChallenge(challenge: DigestChallenge, login: string, use: DigestUse): string {
  const { realm, nonce, opaque, algorithm, takesUtf8, hidesUser } = challenge;
  const { method, path, clientNonce } = use;
  const hash = (text: string): string => createHash(hashes[algorithm]).update(text, "latin1").digest("hex");
  const user = login.slice(0, login.indexOf(":"));
  const password = login.slice(user.length + 1);
  const count = use.count.toString(16).padStart(8, "0");
  const secret = hash(`${inBytes(user)}:${realm}:${inBytes(password)}`);
  const response = hash(`${secret}:${nonce}:${count}:${clientNonce}:auth:${hash(`${method}:${path}`)}`);
  let name = `username=${quote(inBytes(user))}`;
  if (hidesUser) name = `username="${hash(`${inBytes(user)}:${realm}`)}"`;
  else if (takesUtf8 && /[^\x00-\x7f]/.test(user)) name = `username*=UTF-8''${encodeRfc8187(user)}`;
  return [
    `Digest ${name}`,
    `realm=${quote(realm)}`,
    `uri=${quote(path)}`,
    `algorithm=${algorithm}`,
    `nonce=${quote(nonce)}`,
    `nc=${count}`,
    `cnonce=${quote(clientNonce)}`,
    "qop=auth",
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(hidesUser ? ["userhash=true"] : []),
  ].join(", ");
}

const encodeRfc8187 = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** A login to one origin: remembers the challenge, so that only the first request is made twice. */
export class DigestLogin {
  readonly #login: string;
  #challenge: DigestChallenge | undefined;
  #uses = 0;

  /** @param login - `user:password` */
  constructor(login: string) {
    this.#login = login;
  }

  /** The value of Authorization for a GET; undefined before the first challenge. */
  fieldFor(path: string): string | undefined {
    if (this.#challenge === undefined) return undefined;
    const clientNonce = randomBytes(16).toString("hex");
    return answerChallenge(this.#challenge, this.#login, { method: "GET", path, count: ++this.#uses, clientNonce });
  }

  /**
   * Takes the challenge of a response 401.
   *
   * @param wasAnswered - whether the request had a digest
   * @returns whether to send the request again; false if the login was refused
   */
  takeChallenge(field: string | undefined, wasAnswered: boolean): boolean {
    const challenge = readDigestChallenge(field);
    if (challenge === undefined) return false;
    // RFC 7616 section 3.3: unless the nonce is stale, the server did not accept user or password.
    if (wasAnswered && !challenge.isStale && challenge.realm === this.#challenge?.realm) return false;
    this.#challenge = challenge;
    this.#uses = 0;
    return true;
  }
}
