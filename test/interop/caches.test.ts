import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { findCli } from "./command.ts";
import { readDocumentCode } from "./document-code.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { startVarnish } from "./varnish.ts";
import { findFreePort, getRaw, startWebServer } from "./web-server.ts";

const host = "a.example";

/** A site with ten pages behind a server that lets caches keep them. */
class Origin implements AsyncDisposable {
  readonly folder: TempFolder = makeTempFolder();
  readonly docroot: string = join(this.folder.path, "site");
  readonly paths: readonly string[] = [...Array.from({ length: 9 }, (_, at) => `/page-[${at}].html`), "/docs/"];
  #asked: string[] = [];
  readonly #server = createServer(({ url = "" }, response) => {
    this.#asked.push(url);
    const file = join(this.docroot, url.endsWith("/") ? `${url}index.html` : url);
    if (!existsSync(file)) response.writeHead(404).end();
    else response.writeHead(200, { "cache-control": "max-age=3600", vary: "accept-encoding" }).end(readFileSync(file));
  });

  static async open(): Promise<Origin> {
    const origin = new Origin();
    mkdirSync(join(origin.docroot, "docs"), { recursive: true });
    for (const path of origin.paths) origin.write(path, "first");
    origin.#server.listen(0, "127.0.0.1");
    await once(origin.#server, "listening");
    return origin;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.docroot, path.endsWith("/") ? `${path}index.html` : path), text);
  }

  /** Paths that were asked for since the last call. */
  takeAsked(): string[] {
    return this.#asked.splice(0).sort();
  }

  /** Exports, and hands the changed URLs to a shell's pipeline. */
  async purge(port: number, pipeline: string): Promise<void> {
    const state = join(this.folder.path, "state");
    const command = `"$0" "$1" export "$2" --base-url https://${host}/ --state "$3" --purge urls | ${pipeline.replace("PORT", String(port))}`;
    const args = ["-o", "pipefail", "-c", command, process.execPath, findCli(), this.docroot, state];
    // The origin answers meanwhile.
    const shell = spawn("bash", args, { stdio: ["ignore", "ignore", "inherit"] });
    const [code] = await once(shell, "exit");
    assert.equal(code, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    this.folder[Symbol.dispose]();
  }
}

/** What a cache in front of a site is seen to do. */
async function changeThree(origin: Origin, port: number, pipeline: string): Promise<string[]> {
  const readAll = async (): Promise<string[]> => {
    const texts: string[] = [];
    for (const path of origin.paths) {
      const answers = new Set<string>();
      for (const coding of ["identity", "x-any"]) {
        const { status, body } = await getRaw(port, path, { host, "accept-encoding": coding });
        answers.add(status === 200 ? body.toString() : String(status));
      }
      texts.push([...answers].join(" and "));
    }
    return texts;
  };
  await origin.purge(port, "cat");
  await readAll();
  assert.deepEqual(origin.takeAsked(), [...origin.paths].sort());
  await readAll();
  assert.deepEqual(origin.takeAsked(), [], "all is cached");
  origin.write("/page-[1].html", "second");
  origin.write("/docs/", "second");
  rmSync(join(origin.docroot, "page-[2].html"));
  assert.ok(
    (await readAll()).every((text) => text === "first"),
    "the cache is stale",
  );
  await origin.purge(port, pipeline);
  const expected = origin.paths.map((path) => {
    if (path === "/page-[2].html") return "404";
    return path === "/page-[1].html" || path === "/docs/" ? "second" : "first";
  });
  assert.deepEqual(await readAll(), expected);
  return origin.takeAsked();
}

describe("caches forget exactly what a publication changed", () => {
  it("Varnish", { skip: skipWithout("varnishd", "curl", "xargs"), timeout: 60_000 }, async () => {
    await using origin = await Origin.open();
    await using varnish = await startVarnish(origin.port);
    origin.takeAsked();
    const pipeline = `sed 's,^https://${host},http://127.0.0.1:PORT,' | xargs -r -d '\\n' -n 1 curl -gfsS -o /dev/null -X PURGE -H 'Host: ${host}'`;
    const asked = await changeThree(origin, varnish.port, pipeline);
    assert.deepEqual(asked, ["/docs/", "/page-[1].html", "/page-[2].html"]);
    assert.equal(varnish.countPurged(), 3);
  });

  it("nginx, of a site with TLS", {
    skip: skipWithout("nginx", "curl", "xargs", "openssl"),
    timeout: 60_000,
  }, async () => {
    await using origin = await Origin.open();
    const fileOf = (name: string): string => join(origin.folder.path, name);
    const [key, certificate] = [fileOf("key.pem"), fileOf("certificate.pem")];
    const request = ["req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", `/CN=${host}`, "-days", "2"];
    const alternative = ["-addext", `subjectAltName=DNS:${host}`];
    execFileSync(requireProgram("openssl"), [...request, ...alternative, "-keyout", key, "-out", certificate], {
      stdio: "ignore",
    });
    const tlsPort = await findFreePort();
    const beside = readDocumentCode("docs/caches.md", "nginx vary");
    const snippet = `location ^~ / { proxy_pass http://127.0.0.1:${origin.port}; proxy_cache site; ${beside} }`;
    const tls = `listen 127.0.0.1:${tlsPort} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};`;
    const code = readDocumentCode("docs/caches.md", "nginx");
    const http = `proxy_cache_path ${fileOf("cache")} keys_zone=site:1m;\n${code}\nserver { ${tls} ${snippet} }`;
    await using nginx = await startWebServer("nginx", origin.docroot, { http, snippet });
    origin.takeAsked();
    const pipeline = `CURL_CA_BUNDLE=${certificate} xargs -r -d '\\n' -n 1 curl -gsS -o /dev/null --connect-to ::127.0.0.1:PORT -H 'X-Refresh: 1'`;
    const asked = await changeThree(origin, nginx.port, pipeline.replace("PORT", String(tlsPort)));
    assert.deepEqual(asked, ["/docs/", "/docs/index.html", "/page-[1].html", "/page-[2].html"]);
  });
});
