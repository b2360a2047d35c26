import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createSecureServer as createHttp2Server } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { rootCertificates } from "node:tls";
import { createFetcher } from "../../src/http/fetcher.ts";
import { cert, key } from "./own-certificate.ts";
import { createLocalFetcher, listenRaw, plainAnswer } from "./raw-server.ts";

const server = createServer({ key, cert }, (_, response) => response.end("secret"));
const folder = mkdtempSync(join(tmpdir(), "tidemark-tls-"));
let port = 0;

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});

after(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

async function reasonAt(origin: string): Promise<string> {
  await using fetcher = createLocalFetcher();
  const outcome = await fetcher.get({ origin, path: "/", maxBytes: 99, timeoutMs: 30_000 });
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

test("a certificate that nobody vouches for is refused", async () => {
  assert.equal(await reasonAt(`https://127.0.0.1:${port}`), "tls");
});

test("a server that does not speak TLS is a failure of TLS", async () => {
  await using plain = await listenRaw(() => undefined);
  // What a client of TLS says first is no request: answer it at once.
  const timer = setInterval(() => {
    for (const socket of plain.sockets) if (!socket.destroyed) socket.write(plainAnswer(400));
  }, 5);
  try {
    assert.equal(await reasonAt(plain.origin.replace("http:", "https:")), "tls");
  } finally {
    clearInterval(timer);
  }
});

test("a server that accepts and stays silent in the handshake is a timeout", async () => {
  await using mute = await listenRaw(() => undefined);
  await using fetcher = createLocalFetcher();
  const origin = mute.origin.replace("http:", "https:");
  const outcome = await fetcher.get({ origin, path: "/", maxBytes: 99, timeoutMs: 200 });
  assert.equal(outcome.kind === "failed" ? outcome.reason : outcome.kind, "timeout");
});

/** Asks in a process of its own, since Node reads further authorities only as it starts. */
async function askTrusting(origin: string): Promise<string> {
  const authorities = join(folder, "authorities.pem");
  writeFileSync(authorities, cert);
  const room = new URL("../../src/http/fetcher.js", import.meta.url).href;
  const script = `
    const { createFetcher } = await import(${JSON.stringify(room)});
    const fetcher = createFetcher({ allowPrivate: true });
    const outcome = await fetcher.get({ origin: "${origin}", path: "/", maxBytes: 99, timeoutMs: 30_000 });
    process.stdout.write(outcome.kind === "fetched" ? Buffer.from(outcome.body).toString() : outcome.reason);
    await fetcher[Symbol.asyncDispose]();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authorities },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let said = "";
  for await (const chunk of child.stdout) said += chunk;
  await exited;
  return said;
}

test("a page is fetched over TLS where the certificate is trusted", async () => {
  assert.equal(await askTrusting(`https://127.0.0.1:${port}`), "secret");
});

test("a certificate for another name is refused, though it is trusted", async (context) => {
  const other = createServer({ key, cert });
  other.listen(0, "127.0.0.2");
  try {
    await once(other, "listening");
  } catch {
    return context.skip("127.0.0.2 is not an address of this machine");
  }
  const { port: otherPort } = other.address() as AddressInfo;
  assert.equal(await askTrusting(`https://127.0.0.2:${otherPort}`), "tls");
  other.close();
});

test("a further authority is trusted where the caller gives it, and others still are not", async () => {
  const origin = `https://127.0.0.1:${port}`;
  const request = { origin, path: "/", maxBytes: 99, timeoutMs: 30_000 };
  await using trusting = createFetcher({ allowPrivate: true, ca: `An authority:\n${cert}\nand again\n${cert}` });
  const outcome = await trusting.get(request);
  assert.equal(outcome.kind === "fetched" && Buffer.from(outcome.body).toString(), "secret");
  // An authority of Node's own is none for this server.
  await using other = createFetcher({ allowPrivate: true, ca: rootCertificates[0] ?? "" });
  const refused = await other.get(request);
  assert.equal(refused.kind === "failed" && refused.reason, "tls");
});

test("what is no certificate is a mistake of the caller", () => {
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
  for (const ca of ["", "none", key, broken, cert + broken]) assert.throws(() => createFetcher({ ca }), TypeError);
});

test("a server that offers HTTP/2 is spoken to in HTTP/1.1, on a connection that is kept: nothing else is offered", async () => {
  const versions: string[] = [];
  const offers: string[][] = [];
  const both = createHttp2Server({
    key,
    cert,
    allowHTTP1: true,
    ALPNCallback: ({ protocols }) => {
      offers.push(protocols);
      return protocols.includes("h2") ? "h2" : protocols[0];
    },
  });
  both.on("request", (request, response) => {
    versions.push(`${request.httpVersion} ${request.socket.remotePort}`);
    response.end("x");
  });
  both.listen(0, "127.0.0.1");
  await once(both, "listening");
  const origin = `https://127.0.0.1:${(both.address() as AddressInfo).port}`;
  {
    await using fetcher = createFetcher({ allowPrivate: true, ca: cert });
    for (let turn = 0; turn < 2; turn++)
      assert.equal((await fetcher.get({ origin, path: "/", maxBytes: 9, timeoutMs: 30_000 })).kind, "fetched");
  }
  assert.ok(versions[0]?.startsWith("1.1 "));
  assert.deepEqual(versions, [versions[0], versions[0]]);
  assert.deepEqual(offers, [["http/1.1"]]);
  both.close();
  await once(both, "close");
});

test("a server that speaks HTTP/2 alone is a failure of TLS, which names no protocol in common", async () => {
  const alone = createHttp2Server({ key, cert });
  alone.listen(0, "127.0.0.1");
  await once(alone, "listening");
  const origin = `https://127.0.0.1:${(alone.address() as AddressInfo).port}`;
  {
    await using fetcher = createFetcher({ allowPrivate: true, ca: cert });
    const outcome = await fetcher.get({ origin, path: "/", maxBytes: 9, timeoutMs: 30_000 });
    assert.equal(outcome.kind === "failed" && outcome.reason, "tls");
    assert.match(outcome.kind === "failed" ? outcome.message : "", /no application protocol/);
  }
  alone.close();
  await once(alone, "close");
});

test("a connection resumes the TLS session of the one before", async () => {
  const areResumed: boolean[] = [];
  const ending = createServer({ key, cert }, (_, response) => response.setHeader("connection", "close").end());
  ending.on("secureConnection", (socket) => areResumed.push(socket.isSessionReused()));
  ending.listen(0, "127.0.0.1");
  await once(ending, "listening");
  const origin = `https://127.0.0.1:${(ending.address() as AddressInfo).port}`;
  {
    await using fetcher = createFetcher({ allowPrivate: true, ca: cert });
    await Promise.all(["/a", "/b", "/c"].map((path) => fetcher.get({ origin, path, maxBytes: 9, timeoutMs: 30_000 })));
  }
  assert.deepEqual(areResumed, [false, true, true]);
  ending.close();
  await once(ending, "close");
});
