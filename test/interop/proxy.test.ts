import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { CrawlEvent } from "../../src/core/crawl-event.ts";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { cert, key } from "../http/own-certificate.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { findFreePort, startWebServer } from "./web-server.ts";

/** Whether something listens on a port. */
async function isUp(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "close").then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return isOpen;
}

/** Of a crawl that ends where it would wait for a server to recover. */
const atOnce = () => createPoliteness({ maxWaitMs: 0 });

test("tinyproxy with a login forwards http: and opens tunnels for https:, to nginx", {
  skip: skipWithout("tinyproxy", "nginx"),
}, async () => {
  using temp = makeTempFolder("proxy");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  writeFileSync(join(docroot, "index.html"), '<a href="a.html">a</a>');
  writeFileSync(join(docroot, "a.html"), "<p>a");
  writeFileSync(join(temp.path, "cert.pem"), cert);
  writeFileSync(join(temp.path, "key.pem"), key);
  const [port, securePort] = [await findFreePort(), await findFreePort()];
  const snippet = `listen 127.0.0.1:${securePort} ssl;
    ssl_certificate ${join(temp.path, "cert.pem")};
    ssl_certificate_key ${join(temp.path, "key.pem")};`;
  await using server = await startWebServer("nginx", docroot, { snippet });
  const [config, log] = [join(temp.path, "tinyproxy.conf"), join(temp.path, "tinyproxy.log")];
  writeFileSync(
    config,
    `Port ${port}\nListen 127.0.0.1\nTimeout 60\nLogFile "${log}"\nLogLevel Connect\nMaxClients 20\nBasicAuth me s3cret\n`,
  );
  const child = spawn(requireProgram("tinyproxy"), ["-d", "-c", config], { stdio: "ignore" });
  try {
    while (!(await isUp(port))) assert.equal(child.exitCode, null);
    for (const [url, asked] of [
      [server.url, `GET ${server.url}a.html HTTP/1.1`],
      [`https://127.0.0.1:${securePort}/`, `CONNECT 127.0.0.1:${securePort} HTTP/1.1`],
    ] as const) {
      const options = { url, sources: ["links"] as const, ca: cert };
      const proxy = `http://me:s3cret@127.0.0.1:${port}`;
      const into = join(temp.path, `mirror-${new URL(url).port}`);
      const refused = await crawlSite({
        ...options,
        into: `${into}-refused`,
        proxy: proxy.replace("s3cret", "wrong"),
        politeness: atOnce(),
      });
      assert.equal(refused.created, 0);
      assert.deepEqual(await server.takeLog(), []);
      assert.equal((await crawlSite({ ...options, into, proxy })).created, 2);
      assert.ok(readFileSync(log, "latin1").includes(asked), asked);
      assert.ok((await server.takeLog()).some(({ uri, status }) => uri === "/a.html" && status === 200));
    }
  } finally {
    child.kill();
  }
});

/** Starts a program that listens on a port, and ends it at last. */
async function startProxy(program: string, args: readonly string[], port: number): Promise<AsyncDisposable> {
  const child = spawn(requireProgram(program), args, { stdio: "ignore" });
  while (!(await isUp(port))) assert.equal(child.exitCode, null, `${program} does not start`);
  return {
    [Symbol.asyncDispose]: async () => {
      const gone = child.exitCode === null ? once(child, "exit") : undefined;
      child.kill("SIGTERM");
      await gone;
    },
  };
}

/** Two pages in a folder that all may read. */
function makeDocroot(folder: string): string {
  const docroot = join(folder, "docroot");
  mkdirSync(docroot);
  writeFileSync(join(docroot, "index.html"), '<a href="a.html">a</a>');
  writeFileSync(join(docroot, "a.html"), "<p>a");
  writeFileSync(join(folder, "cert.pem"), cert);
  writeFileSync(join(folder, "key.pem"), key);
  return docroot;
}

const secureLines = (folder: string, port: number): string =>
  `listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;

/** No file below a folder has a text. */
function assertNowhere(folder: string, text: string): void {
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) =>
    e.isFile(),
  ))
    assert.ok(!readFileSync(join(parentPath, name)).includes(text), join(parentPath, name));
}

test("Squid with a login forwards and tunnels; its refusals are told as the proxy's", {
  skip: skipWithout("squid", "nginx"),
}, async () => {
  using temp = makeTempFolder("squid");
  const docroot = makeDocroot(temp.path);
  const [port, securePort] = [await findFreePort(), await findFreePort()];
  await using server = await startWebServer("nginx", docroot, { snippet: secureLines(temp.path, securePort) });
  const folder = join(temp.path, "squid");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  // Of `openssl passwd -apr1 -salt tidemark s3cret`.
  writeFileSync(join(folder, "passwords"), "me:$apr1$tidemark$xAqhzCfu9ZYhxzsGE879C1\n");
  writeFileSync(
    join(folder, "squid.conf"),
    `http_port 127.0.0.1:${port}
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${folder}/passwords
auth_param basic children 1
acl known proxy_auth REQUIRED
acl shut urlpath_regex ^/a
acl shut-host dstdomain shut.invalid
http_access deny !known
http_access deny shut-host
http_access deny shut
http_access allow all
cache deny all
access_log none
cache_log ${folder}/cache.log
pid_filename ${folder}/squid.pid
shutdown_lifetime 0 seconds
`,
  );
  await using _ = await startProxy("squid", ["-N", "-f", join(folder, "squid.conf")], port);
  const proxy = `http://me:s3cret@127.0.0.1:${port}`;
  const run = async (url: string, by: string, name: string): Promise<readonly [number, string]> => {
    const told: CrawlEvent[] = [];
    const into = join(temp.path, name);
    const options = { sources: ["links"] as const, ca: cert, keep: "warc" as const, politeness: atOnce() };
    const { created } = await crawlSite({ ...options, url, into, proxy: by, onEvent: (event) => told.push(event) });
    assertNowhere(into, "s3cret");
    return [created, JSON.stringify(told)];
  };
  const secure = `https://127.0.0.1:${securePort}/`;
  const [tunnelled] = await run(secure, proxy, "tunnel");
  assert.equal(tunnelled, 2);
  const [forwarded, told] = await run(server.url, proxy, "forward");
  assert.equal(forwarded, 1);
  assert.match(told, /the proxy did not forward the request: it answered 403; its rules forbid it/);
  assert.ok((await server.takeLog()).some(({ uri, status }) => uri === "/a.html" && status === 200));
  for (const [url, by, message] of [
    [server.url, proxy.replace("s3cret", "wrong"), /the proxy did not forward .* 407; it wants a login/],
    [secure, proxy.replace("me:s3cret@", ""), /the proxy opened no tunnel .* 407; it wants a login/],
    ["http://shut.invalid/", proxy, /the proxy did not forward .* its rules forbid it/],
    ["https://shut.invalid/", proxy, /the proxy opened no tunnel to shut.invalid:443: .* its rules forbid it/],
  ] as const) {
    const [created, reason] = await run(url, by, `refused-${new URL(url).protocol}${by.length}${new URL(url).host}`);
    assert.equal(created, 0);
    assert.match(reason, message);
  }
  assert.deepEqual(await server.takeLog(), []);
});

for (const kind of ["microsocks", "danted"] as const)
  test(`${kind} with a login opens tunnels by SOCKS5, for http: and https:`, {
    skip: skipWithout(kind, "nginx"),
  }, async () => {
    using temp = makeTempFolder(kind);
    const docroot = makeDocroot(temp.path);
    const [port, securePort] = [await findFreePort(), await findFreePort()];
    await using server = await startWebServer("nginx", docroot, { snippet: secureLines(temp.path, securePort) });
    // Dante takes the users of the machine: here all may use it.
    const config = join(temp.path, "danted.conf");
    writeFileSync(
      config,
      `logoutput: ${temp.path}/log
internal: 127.0.0.1 port = ${port}
external: 127.0.0.1
clientmethod: none
socksmethod: none
client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
`,
    );
    const args =
      kind === "danted" ? ["-f", config] : ["-i", "127.0.0.1", "-p", String(port), "-u", "me", "-P", "s3cret"];
    await using _ = await startProxy(kind, args, port);
    const login = kind === "danted" ? "" : "me:s3cret@";
    for (const [scheme, url] of [
      ["socks5", server.url],
      ["socks5h", server.url],
      ["socks5", `https://127.0.0.1:${securePort}/`],
    ] as const) {
      const into = join(temp.path, `mirror-${scheme}-${new URL(url).port}`);
      const options = { url, into, sources: ["links"] as const, ca: cert };
      assert.equal((await crawlSite({ ...options, proxy: `${scheme}://${login}127.0.0.1:${port}` })).created, 2);
      assertNowhere(into, "s3cret");
      assert.ok((await server.takeLog()).some(({ uri, status }) => uri === "/a.html" && status === 200));
    }
    if (kind === "danted") return;
    const told: CrawlEvent[] = [];
    const options = {
      url: server.url,
      into: join(temp.path, "refused"),
      sources: ["links"] as const,
      politeness: atOnce(),
    };
    await crawlSite({ ...options, proxy: `socks5://me:wrong@127.0.0.1:${port}`, onEvent: (event) => told.push(event) });
    assert.match(JSON.stringify(told), /the proxy opened no tunnel to 127.0.0.1:\d+: Authentication failed/);
    assert.deepEqual(await server.takeLog(), []);
  });
