import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
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
      const refused = await crawlSite({ ...options, into, proxy: proxy.replace("s3cret", "wrong") });
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
