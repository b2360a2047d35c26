import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { type Clock, parseUrl, TidemarkError } from "../core/index.ts";

/** Where a crawler's public keys are found, below the URL of its Signature-Agent. */
export const keyDirectoryPath = "/.well-known/http-message-signatures-directory";

/** How long a signature holds: a copied one is of little use, and a server's clock may differ by minutes. */
const lifetimeMs = 300_000;
/** Signatures are dated so much earlier: a server whose clock is behind refuses what was made in its future. */
const backdatedMs = 10_000;
const base64Url = /^[A-Za-z0-9_-]{43}$/;

/** A crawler's key: an Ed25519 key as JWK (RFC 8037) with a member `agent`. */
interface IdentityKey {
  readonly key: KeyObject;
  /** JWK thumbprint with SHA-256 (RFC 7638). */
  readonly id: string;
  /** URL below which {@link keyDirectoryPath} is served; its origin. */
  readonly agent: string | undefined;
  /** What is served at {@link keyDirectoryPath}. */
  readonly directoryText: string;
}

/** A new identity, as the two files that hold it. */
export interface NewIdentity {
  /** Secret: what requests are signed with. */
  readonly keyText: string;
  /** Public: what is served at {@link keyDirectoryPath}. */
  readonly directoryText: string;
  readonly keyId: string;
}

/**
 * Makes a key for signed requests.
 *
 * @param agent - origin at which the public key will be served over HTTPS
 * @throws TidemarkError `bad-option` if it is not such an origin
 */
export function makeIdentity(agent: string): NewIdentity {
  const origin = readAgent(agent);
  const { d, x } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const key = publicKeyOf(x as string);
  return {
    keyText: `${JSON.stringify({ ...key, d, agent: origin }, undefined, 2)}\n`,
    directoryText: formatDirectory(x as string),
    keyId: key.kid,
  };
}

function publicKeyOf(x: string) {
  return { kty: "OKP", crv: "Ed25519", kid: thumbprintOf(x), x };
}

function formatDirectory(x: string): string {
  const directory = { keys: [{ ...publicKeyOf(x), use: "sig" }], purpose: "crawler" };
  return `${JSON.stringify(directory, undefined, 2)}\n`;
}

/** @throws TidemarkError `bad-option`, without anything of the text */
export function readIdentity(text: string): IdentityKey {
  try {
    const { kty, crv, d, x, agent } = JSON.parse(text) as Record<string, unknown>;
    if (kty !== "OKP" || crv !== "Ed25519" || typeof d !== "string" || typeof x !== "string") throw new TypeError();
    if (!base64Url.test(d) || !base64Url.test(x)) throw new TypeError();
    const key = createPrivateKey({ key: { kty, crv, d, x }, format: "jwk" });
    if (createPublicKey(key).export({ format: "jwk" }).x !== x) throw new TypeError();
    const origin = agent === undefined ? undefined : readAgent(String(agent));
    return { key, id: thumbprintOf(x), agent: origin, directoryText: formatDirectory(x) };
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    throw new TidemarkError("bad-option", "The identity is no Ed25519 key in the form of a JWK.", {
      hint: "Make one with `tidemark identity init`.",
    });
  }
}

function readAgent(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol === "https:" && url.username === "" && url.pathname === "/" && url.search === "") return url.origin;
  throw new TidemarkError("bad-option", `Not the origin of a site with HTTPS: ${JSON.stringify(text.slice(0, 200))}`, {
    hint: "Name the site that serves the public key, such as https://crawler.example.org",
  });
}

// RFC 7638: the required members in the order of their names, without white space.
function thumbprintOf(x: string): string {
  return createHash("sha256").update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest("base64url");
}

/**
 * Signs requests, so that a site can tell who sent them.
 *
 * @see RFC 9421 (HTTP Message Signatures); draft-meunier-web-bot-auth-architecture
 */
export class RequestSigner {
  readonly #identity: IdentityKey;
  readonly #clock: Clock;
  readonly #library: typeof import("web-bot-auth");

  private constructor(identity: IdentityKey, clock: Clock, library: typeof import("web-bot-auth")) {
    this.#identity = identity;
    this.#clock = clock;
    this.#library = library;
  }

  /** @param text - as of {@link readIdentity} */
  static async open(text: string, clock: Clock = Date.now): Promise<RequestSigner> {
    const identity = readIdentity(text);
    return new RequestSigner(identity, clock, await import("web-bot-auth"));
  }

  /** Fields of one request to an origin, names and values alternating; no other request may have them. */
  fieldsFor(origin: string): readonly string[] {
    const { key, id, agent } = this.#identity;
    const headers: Record<string, string> = agent === undefined ? {} : { "signature-agent": `"${agent}"` };
    const created = this.#clock() - backdatedMs;
    const signed = this.#library.signatureHeadersSync(
      { method: "GET", url: origin, headers },
      { alg: "ed25519", keyid: id, signSync: (data) => sign(null, Buffer.from(data, "latin1"), key) },
      { created: new Date(created), expires: new Date(created + lifetimeMs) },
    );
    const own = { ...headers, "signature-input": signed["Signature-Input"], signature: signed.Signature };
    return Object.entries(own).flat();
  }
}
