import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { serveFolder } from "../../src/server/folder-server.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";

import { readCaptures } from "../storage/state/recorded-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { findCli } from "./command.ts";
import { readDocumentCode } from "./document-code.ts";
import { compareFiles, compareTrees, listFiles } from "./file-tree.ts";
import { skipWithout } from "./programs.ts";
import { startWebServer } from "./web-server.ts";

interface Request {
  readonly uri: string;
  readonly status: number;
}

/** A server of a folder, as the newcomer meets it. */
interface Server extends AsyncDisposable {
  readonly url: string;
  /** Requests since the last call. */
  takeLog(): Promise<readonly Request[]>;
}

const servers: Readonly<Record<"nginx" | "tidemark serve", (docroot: string) => Promise<Server>>> = {
  nginx: async (docroot) => await startWebServer("nginx", docroot),
  "tidemark serve": async (folder) => {
    const log: Request[] = [];
    const server = await serveFolder({ folder, onRequest: ({ path, status }) => log.push({ uri: path, status }) });
    return {
      url: `${server.url}/`,
      takeLog: async () => log.splice(0),
      [Symbol.asyncDispose]: () => server.close(),
    };
  },
};

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder in which what README.md says is typed, with the programs that it takes for there. */
class Desk {
  readonly #folder: string;
  readonly #docroot: string;
  readonly #url: string;

  constructor(folder: string, docroot: string, url: string) {
    this.#folder = folder;
    this.#docroot = docroot;
    this.#url = url;
    mkdirSync(join(folder, "bin"));
    this.#addProgram("tidemark", `exec "${process.execPath}" "${findCli()}" "$@"`);
    // Reads what it is told, as whatever follows a crawl does.
    this.#addProgram("my-indexer", "cat >> indexed.jsonl");
  }

  /** Types a block of README.md or docs/mirrors.md, with the real site for that of the example, and expects that all goes well. */
  async type(block: string): Promise<Ended> {
    const ended = await this.try(block);
    assert.equal(ended.code, 0, `${block}: ${ended.stderr}`);
    return ended;
  }

  async try(block: string): Promise<Ended> {
    const document = block === "publish" ? "README.md" : "docs/mirrors.md";
    const script = readDocumentCode(document, `sh ${block}`)
      .replaceAll("https://example.org/", this.#url)
      .replaceAll("/var/www/html", this.#docroot);
    assert.doesNotMatch(script, /example\.org/);
    const PATH = [join(this.#folder, "bin"), process.env.PATH ?? ""].join(":");
    const env = { PATH, HOME: this.#folder, NO_COLOR: "1" };
    const child = spawn("sh", ["-e", "-c", script], { cwd: this.#folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, stdout, stderr };
  }

  /** What the program behind the pipe was told since the last call: `created /a.html` each, in the order of paths. */
  takeIndexed(): string[] {
    const file = join(this.#folder, "indexed.jsonl");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    rmSync(file);
    const told = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === undefined);
    for (const { change, url, file: body } of told) {
      const path = new URL(url).pathname;
      if (change !== "deleted") assert.deepEqual(readFileSync(body), readFileSync(join(this.#docroot, path)));
    }
    return told.map(({ change, url }) => `${change} ${new URL(url).pathname}`).sort();
  }

  #addProgram(name: string, line: string): void {
    const file = join(this.#folder, "bin", name);
    writeFileSync(file, `#!/bin/sh\n${line}\n`);
    chmodSync(file, 0o755);
  }
}

/** A folder of files that tests write by their paths. */
class Site {
  readonly docroot: string;

  constructor(docroot: string) {
    this.docroot = docroot;
    mkdirSync(docroot);
  }

  write(path: string, content: string | Buffer): void {
    const file = join(this.docroot, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  remove(path: string): void {
    rmSync(join(this.docroot, path));
  }

  /** Gives a file the time of a redeployment, and leaves its bytes. */
  touch(path: string): void {
    utimesSync(join(this.docroot, path), new Date(), new Date());
  }

  paths(): string[] {
    return listFiles(this.docroot, withoutOutput).sort();
  }
}

const withoutOutput: ReadonlySet<string> = new Set(["/robots.txt", "/.well-known"]);
const png = (name: string): Buffer => Buffer.from(`\x89PNG\r\n\x1a\n${name}`, "latin1");

/** Paths that were asked for and are pages, sorted. */
function pagesOf(log: readonly Request[]): string[] {
  const uris = log.map(({ uri }) => uri);
  return uris.filter((uri) => uri !== "/robots.txt" && !uri.startsWith("/.well-known/tidemark/")).sort();
}

async function walksThePath(start: (docroot: string) => Promise<Server>): Promise<void> {
  using temp = makeTempFolder("newcomer");
  const site = new Site(join(temp.path, "site"));
  site.write("/index.html", '<p>home <a href="/about.html">about</a> <a href="/news/1.html">news</a>');
  site.write("/about.html", '<p>about <img src="/pictures/a.png"><img src="/pictures/b.png">');
  site.write("/news/1.html", "<p>old news");
  site.write("/pictures/a.png", png("a"));
  site.write("/pictures/b.png", png("b"));
  await using server = await start(site.docroot);
  const desk = new Desk(temp.path, site.docroot, server.url);
  const host = mirrorFolderOf(new URL(server.url).origin);
  const inFolder = (...names: string[]): string => join(temp.path, ...names);
  const takePages = async (): Promise<string[]> => pagesOf(await server.takeLog());

  // A mirror that is kept fresh.
  await desk.type("publish");
  await desk.type("mirror");
  assert.deepEqual(await takePages(), site.paths());
  assert.deepEqual(compareTrees(site.docroot, inFolder("mirror", host), withoutOutput), []);

  site.write("/news/1.html", "<p>old news, corrected");
  site.write("/news/2.html", "<p>fresh news");
  site.remove("/pictures/b.png");
  site.touch("/about.html");
  await desk.type("publish");
  await desk.type("mirror");
  assert.deepEqual(await takePages(), ["/news/1.html", "/news/2.html"]);
  assert.deepEqual(compareTrees(site.docroot, inFolder("mirror", host), withoutOutput), []);

  await desk.type("mirror");
  assert.deepEqual(
    (await server.takeLog()).map(({ status, uri }) => `${status} ${uri}`),
    ["304 /robots.txt", "304 /.well-known/tidemark/index.gz"],
  );

  // Another program is told everything once, then each change once, then nothing.
  await desk.type("feed");
  const created = site.paths().map((path) => `created ${path}`);
  assert.deepEqual(desk.takeIndexed(), created);
  site.write("/news/3.html", "<p>hot");
  site.write("/index.html", "<p>a home that leads nowhere");
  site.remove("/news/1.html");
  await desk.type("publish");
  await desk.type("feed");
  assert.deepEqual(desk.takeIndexed(), ["created /news/3.html", "deleted /news/1.html", "updated /index.html"]);
  await desk.type("feed");
  assert.deepEqual(desk.takeIndexed(), []);

  // An archive whose second visit says of a page that it is the same.
  site.write("/index.html", '<p>home <a href="/about.html">about</a> <a href="/news/2.html">news</a>');
  site.write("/pictures/b.png", png("b"));
  await desk.type("warc");
  const captured = (): string[] =>
    readCaptures(inFolder("archive", host))
      .filter(({ head }) => !head.targetUri?.endsWith("/robots.txt"))
      .map(({ head }) => `${head.type} ${new URL(head.targetUri ?? "").pathname}`)
      .sort();
  const firstCaptures = ["/", "/about.html", "/news/2.html", "/pictures/a.png", "/pictures/b.png"];
  assert.deepEqual(
    captured(),
    firstCaptures.map((path) => `response ${path}`),
  );
  site.write("/news/2.html", "<p>fresh news, corrected");
  await desk.type("warc");
  assert.deepEqual(
    captured(),
    [
      ...["/", "/about.html", "/pictures/a.png", "/pictures/b.png"].map((path) => `revisit ${path}`),
      ...[...firstCaptures, "/news/2.html"].sort().map((path) => `response ${path}`),
    ].sort(),
  );

  // Images, and no page of HTML.
  await desk.type("publish");
  await server.takeLog();
  await desk.type("images");
  const images = ["/pictures/a.png", "/pictures/b.png"];
  assert.deepEqual(await takePages(), images);
  assert.deepEqual(listFiles(inFolder("images", host)).sort(), images);
  assert.deepEqual(compareFiles(site.docroot, inFolder("images", host), images), []);

  // A mirror that is damaged is found and mended.
  await desk.type("mirror");
  await desk.type("check");
  writeFileSync(inFolder("mirror", host, "about.html"), "rotten");
  assert.equal((await desk.try("check")).code, 3);
  await server.takeLog();
  await desk.type("mirror");
  assert.deepEqual(await takePages(), ["/about.html"]);
  assert.deepEqual(compareTrees(site.docroot, inFolder("mirror", host), withoutOutput), []);

  if (skipWithout("wget") !== false) return;
  const downloaded = inFolder(new URL(server.url).host);
  await server.takeLog();
  await desk.type("downloader");
  assert.deepEqual(await takePages(), site.paths());
  site.write("/news/3.html", "<p>hotter");
  await desk.type("publish");
  await desk.type("downloader");
  assert.deepEqual(await takePages(), ["/news/3.html"]);
  assert.deepEqual(compareTrees(site.docroot, downloaded, withoutOutput), []);
  assert.ok(existsSync(inFolder("site.cursor")));
}

for (const [name, start] of Object.entries(servers)) {
  const skip = name === "nginx" ? skipWithout("nginx") : false;
  test(`what README.md tells those who crawl does what it says, with ${name}`, { skip }, async () => {
    await walksThePath(start);
  });
}
