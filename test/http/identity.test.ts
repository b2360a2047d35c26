import assert from "node:assert/strict";
import { test } from "node:test";
import { verify } from "web-bot-auth";
import { verifierFromJWK } from "web-bot-auth/crypto";
import { TidemarkError } from "../../src/core/error.ts";
import { createFetcher } from "../../src/http/fetcher.ts";
import { makeIdentity, RequestSigner, readIdentity } from "../../src/http/identity.ts";
import { listenRaw, plainAnswer } from "./raw-server.ts";

// RFC 9421 appendix B.1.4
const d = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU";
const x = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";
const rfcKey = { kty: "OKP", crv: "Ed25519", d, x };
const agent = "https://crawler.example.org";
const keyText = JSON.stringify({ ...rfcKey, agent });
const limits = { maxBytes: 1000, timeoutMs: 5000 };

/** The head of a request as the verifier takes it. */
function messageOf(head: string, authority?: string): Parameters<typeof verify>[0] {
  const lines = head.split("\r\n").slice(1);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
  const [, path] = (head.split("\r\n")[0] as string).split(" ");
  return { method: "GET", url: `http://${authority ?? headers.host}${path}`, headers };
}

test("each request and redirect is signed for the authority it goes to, and never twice alike", async () => {
  await using other = await listenRaw((socket) => socket.write(plainAnswer(200, [], "elsewhere")));
  await using site = await listenRaw((socket, head) =>
    socket.write(
      head.startsWith("GET /away ") ? plainAnswer(302, [`Location: ${other.origin}/b?c=d`]) : plainAnswer(200),
    ),
  );
  const signer = await RequestSigner.open(keyText);
  await using fetcher = createFetcher({ signer, allowedPrivateOrigins: [site.origin, other.origin] });
  for (const path of ["/robots.txt", "/a", "/away"])
    await fetcher.get({ origin: site.origin, path, maxRedirects: 1, crossOrigin: true, ...limits });
  const heads = [...site.heads, ...other.heads];
  assert.equal(heads.length, 4);
  const verifier = await verifierFromJWK({ kty: "OKP", crv: "Ed25519", x });
  const nonces = new Set<string>();
  for (const head of heads) {
    assert.match(head, /^signature-agent: "https:\/\/crawler\.example\.org"\r?$/m);
    // RFC 7638 thumbprint of this key, as draft-meunier-web-bot-auth-architecture gives it in its test vectors.
    assert.match(head, /^signature-input: .*keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"/m);
    assert.match(head, /^signature-input: .*\("@authority" "signature-agent"\).*tag="web-bot-auth"/m);
    await verify(messageOf(head), verifier);
    nonces.add(/nonce="([^"]+)"/.exec(head)?.[1] as string);
  }
  assert.equal(nonces.size, 4);
  const [first = ""] = site.heads;
  await assert.rejects(async () => await verify(messageOf(first, "other.example"), verifier));
  await assert.rejects(async () => await verify(messageOf(first.replace("crawler.", "forged.")), verifier));
  const late = await RequestSigner.open(keyText, () => Date.now() - 301_000);
  const [, signatureAgent = "", , input = "", , signature = ""] = late.fieldsFor(site.origin);
  const headers = { "signature-agent": signatureAgent, "signature-input": input, signature };
  await assert.rejects(async () => await verify({ method: "GET", url: site.origin, headers }, verifier), /expired/);
});

test("a signature holds for verifiers whose clock is ten seconds behind", async () => {
  const verifier = await verifierFromJWK({ kty: "OKP", crv: "Ed25519", x });
  const verifyAhead = async (aheadMs: number): Promise<unknown> => {
    const signer = await RequestSigner.open(keyText, () => Math.ceil(Date.now() / 1000) * 1000 + aheadMs);
    const [, signatureAgent = "", , input = "", , signature = ""] = signer.fieldsFor("https://example.org");
    const [created = 0, expires = 0] = [/created=(\d+)/, /expires=(\d+)/].map((form) => Number(form.exec(input)?.[1]));
    assert.equal(expires - created, 300);
    const headers = { "signature-agent": signatureAgent, "signature-input": input, signature };
    return await verify({ method: "GET", url: "https://example.org/", headers }, verifier);
  };
  await verifyAhead(9000);
  await assert.rejects(verifyAhead(60_000), /created/);
});

test("a key that was made signs, without an agent too, and its directory has no secret", async () => {
  const { keyText: made, directoryText, keyId } = makeIdentity(agent);
  assert.equal(readIdentity(made).id, keyId);
  assert.equal(readIdentity(made).directoryText, directoryText);
  const { keys } = JSON.parse(directoryText) as { keys: Parameters<typeof verifierFromJWK>[0][] };
  assert.deepEqual(Object.keys(keys[0] ?? {}).sort(), ["crv", "kid", "kty", "use", "x"]);
  const { agent: _agent, ...bare } = JSON.parse(made) as Record<string, string>;
  const fields = (await RequestSigner.open(JSON.stringify(bare))).fieldsFor("https://example.org");
  assert.deepEqual(
    fields.filter((_, at) => at % 2 === 0),
    ["signature-input", "signature"],
  );
  const headers = { "signature-input": fields[1] as string, signature: fields[3] as string };
  await verify({ method: "GET", url: "https://example.org/", headers }, await verifierFromJWK(keys[0] as object));
});

test("what is no key, or no origin with HTTPS, is refused without its text", () => {
  const other = x.replace("J", "K");
  for (const text of ["", "{}", "null", "[]", '"secret"', "{secret", JSON.stringify({ ...rfcKey, d: "secret" })])
    assert.throws(
      () => readIdentity(text),
      (error) => error instanceof TidemarkError && !/secret/.test(error.message),
    );
  assert.throws(() => readIdentity(JSON.stringify({ ...rfcKey, x: other })), TidemarkError);
  for (const url of [
    "http://a.example",
    "https://a.example/b",
    "https://me@a.example",
    "a.example",
    "https://a.example/?b",
  ])
    assert.throws(() => makeIdentity(url), { code: "bad-option" }, url);
});
