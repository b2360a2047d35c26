import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type FolderServer, type ServedRequest, serveFolder } from "../../src/server/folder-server.ts";
import { listenIn } from "../unix-socket.ts";
import { ask } from "./ask.ts";

const folder = mkdtempSync(join(realpathSync(tmpdir()), "tidemark-serve-"));
const root = join(folder, "site");
const modified = new Date("2020-03-04T05:06:07.750Z");
const etag = '"5a00060c87f70-b"';
const lastModified = "Wed, 04 Mar 2020 05:06:07 GMT";
const log: ServedRequest[] = [];
let server: FolderServer;

function put(name: string | Buffer, content: string | Buffer, at = modified): void {
  const path = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name)]);
  writeFileSync(path, content);
  utimesSync(path, at, at);
}

before(async () => {
  for (const name of [
    "dir/deep",
    "empty",
    ".git",
    ".well-known/tidemark",
    "odd/index.html",
    "a.d",
    "dir/.well-known",
  ]) {
    mkdirSync(join(root, name), { recursive: true });
  }
  put("page.html", "hello world");
  put("index.html", "top");
  put("dir/index.html", "in dir");
  put("dir/index.gz", "packed");
  put("dir/none.xyzzy", "?");
  put("nothing.txt", "");
  put("sp ace%41?.txt", "escaped");
  put(Buffer.from("caf\xe9.txt", "latin1"), "latin");
  put("tür.txt", "utf-8");
  put(".git/config", "secret");
  put(".well-known/tidemark/index.gz", "index");
  put(".well-known/.hidden", "secret");
  put(".htaccess", "secret");
  put("dir/.well-known/x", "not at the top");
  put("a.d/..b", "two dots");
  put("a.d/..md", "a page called .");
  put("future.txt", "later", new Date("2999-01-01"));
  put("ancient.txt", "early", new Date("1960-01-01T00:00:01Z"));
  put("large.bin", Buffer.alloc(1_000_000, "0123456789"));
  writeFileSync(join(folder, "outside.txt"), "secret");
  symlinkSync("../outside.txt", join(root, "link-out.txt"));
  symlinkSync("..", join(root, "link-up"));
  symlinkSync("page.html", join(root, "link-in.html"));
  symlinkSync("dir", join(root, "link-dir"));
  symlinkSync(".git/config", join(root, "link-hidden"));
  symlinkSync("page.html", join(root, ".link"));
  symlinkSync("link-loop", join(root, "link-loop"));
  symlinkSync("gone", join(root, "link-gone"));
  // A folder whose name begins like the root's.
  mkdirSync(join(folder, "site-2"));
  writeFileSync(join(folder, "site-2/x.txt"), "secret");
  symlinkSync("../site-2/x.txt", join(root, "link-sibling"));
  server = await serveFolder({ folder: root, onRequest: (entry) => log.push(entry) });
});

after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a file comes with its validators, type and length, and a line of the log", async () => {
  log.length = 0;
  const { status, headers, body } = await ask(server, "/page.html?q=1");
  assert.equal(status, 200);
  assert.equal(body, "hello world");
  assert.equal(headers.etag, etag);
  assert.equal(headers["last-modified"], lastModified);
  assert.equal(headers["content-type"], "text/html");
  assert.equal(headers["content-length"], "11");
  assert.equal(headers["accept-ranges"], "bytes");
  assert.deepEqual(log, [{ method: "GET", path: "/page.html?q=1", status: 200, bytes: 11, conditional: false }]);
});

const found: readonly (readonly [string, string])[] = [
  ["/", "top"],
  ["/?x", "top"],
  ["/dir/", "in dir"],
  ["/dir/index.html", "in dir"],
  ["/nothing.txt", ""],
  ["/sp%20ace%2541%3F.txt", "escaped"],
  ["/caf%E9.txt", "latin"],
  ["/t%C3%BCr.txt", "utf-8"],
  ["/a.d/..md", "a page called ."],
  ["/%70age.html", "hello world"],
  ["/.well-known/tidemark/index.gz", "index"],
  ["/%2ewell-known/tidemark/index.gz", "index"],
  ["/link-in.html", "hello world"],
  ["/link-dir/", "in dir"],
  // Out of the folder and into it again.
  ["/link-up/site/page.html", "hello world"],
  ["http://example.org/page.html", "hello world"],
];

for (const [path, body] of found) {
  test(`${JSON.stringify(path)} is found`, async () => {
    const answer = await ask(server, path);
    assert.equal(answer.status, 200);
    assert.equal(answer.body, body);
  });
}

const missing: Readonly<Record<number, readonly string[]>> = {
  404: [
    "/none /dir/none.html /page.html/ /page.html/x /empty/ /odd/ //page.html /dir//index.html /../outside.txt",
    "/dir/../page.html /./page.html /dir/.. /%2e%2e/outside.txt /.%2E/outside.txt /%2E /..%2foutside.txt",
    "/dir%2Findex.html /%2fetc/passwd /..%5coutside.txt /..\\outside.txt /.git/config /.git/ /.git /%2egit/config",
    "/.htaccess /a.d/..b /.well-known/.hidden /dir/.well-known/x /link-out.txt /link-up/outside.txt /link-up/",
    "/link-hidden /.link /link-sibling /link-loop /link-gone",
    `/${"x".repeat(300)}`,
  ],
  400: ["/page.html%00 /%00 /% /%4 /%zz /%u0041 *"],
};

for (const [status, lines] of Object.entries(missing))
  for (const path of lines.flatMap((line) => line.split(" ")))
    test(`${JSON.stringify(path.slice(0, 60))} is ${status}`, async () => {
      const answer = await ask(server, path);
      assert.equal(answer.status, Number(status));
      assert.match(answer.body, new RegExp(`^${status} `));
      assert.equal(answer.headers.etag, undefined);
    });

test("a folder without the slash leads to the one with it, and keeps the query", async () => {
  for (const [path, location] of [
    ["/dir", "/dir/"],
    ["/%64ir?a=b?c", "/%64ir/?a=b?c"],
    ["/link-dir", "/link-dir/"],
    ["/empty", "/empty/"],
  ] as const) {
    const { status, headers } = await ask(server, path);
    assert.equal(status, 301);
    assert.equal(headers.location, location);
  }
});

test("types are of the name, and gzip is a type and no coding", async () => {
  for (const [path, type] of [
    ["/", "text/html"],
    ["/nothing.txt", "text/plain"],
    ["/dir/index.gz", "application/gzip"],
    ["/dir/none.xyzzy", "application/octet-stream"],
  ] as const) {
    const { headers } = await ask(server, path, { "accept-encoding": "gzip" });
    assert.equal(headers["content-type"], type);
    assert.equal(headers["content-encoding"], undefined);
  }
});

test("HEAD says what GET says, without the body; other methods are not allowed", async () => {
  const get = await ask(server, "/page.html");
  const head = await ask(server, "/page.html", { range: "bytes=0-1" }, "HEAD");
  const { date: _, ...saidByHead } = head.headers;
  const { date: __, ...saidByGet } = get.headers;
  assert.deepEqual(saidByHead, saidByGet);
  assert.equal(head.status, 200);
  assert.equal(head.body, "");
  assert.equal((await ask(server, "/none", {}, "HEAD")).body, "");
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const { status, headers } = await ask(server, "/page.html", {}, method);
    assert.equal(status, 405);
    assert.equal(headers.allow, "GET, HEAD");
  }
});

// RFC 9110 section 13.2.2
const conditions: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
  [{ "if-none-match": etag }, 304],
  [{ "if-none-match": `W/${etag}` }, 304],
  [{ "if-none-match": `"x", W/"y",${etag}` }, 304],
  [{ "if-none-match": "*" }, 304],
  [{ "if-none-match": '"x"' }, 200],
  [{ "if-none-match": "" }, 200],
  [{ "if-modified-since": lastModified }, 304],
  [{ "if-modified-since": "Wed, 04 Mar 2020 05:06:08 GMT" }, 304],
  [{ "if-modified-since": "Wed, 04 Mar 2020 05:06:06 GMT" }, 200],
  [{ "if-modified-since": "Wednesday, 04-Mar-20 05:06:07 GMT" }, 304],
  [{ "if-modified-since": "never" }, 200],
  [{ "if-none-match": '"x"', "if-modified-since": lastModified }, 200],
  [{ "if-none-match": etag, "if-modified-since": "Wed, 04 Mar 1999 05:06:07 GMT" }, 304],
];

for (const [headers, status] of conditions) {
  test(`${JSON.stringify(headers)} gives ${status}`, async () => {
    log.length = 0;
    const answer = await ask(server, "/page.html", headers);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.etag, etag);
    assert.equal(answer.body, status === 304 ? "" : "hello world");
    assert.equal(log[0]?.conditional, true);
    assert.equal(log[0]?.bytes, answer.body.length);
  });
}

// RFC 9110 section 13.1: of a file that changed, no part is sent.
const preconditions: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
  [{ "if-match": etag }, 200],
  [{ "if-match": `"x", ${etag}` }, 200],
  [{ "if-match": "*" }, 200],
  [{ "if-match": '"x"', range: "bytes=0-1" }, 412],
  [{ "if-match": `W/${etag}` }, 412],
  [{ "if-match": '"x"', "if-none-match": etag }, 412],
  [{ "if-match": etag, "if-unmodified-since": "Wed, 04 Mar 2020 05:06:06 GMT" }, 200],
  [{ "if-unmodified-since": lastModified }, 200],
  [{ "if-unmodified-since": "Wed, 04 Mar 2020 05:06:06 GMT" }, 412],
  [{ "if-unmodified-since": "never" }, 200],
];

for (const [headers, status] of preconditions) {
  test(`${JSON.stringify(headers)} gives ${status}`, async () => {
    const answer = await ask(server, "/page.html", headers);
    assert.equal(answer.status, status);
    assert.equal(answer.body, status === 200 ? "hello world" : "412 Precondition Failed\n");
  });
}

// RFC 9110 section 14
const ranges: readonly (readonly [Readonly<Record<string, string>>, number, string, string | undefined])[] = [
  [{ range: "bytes=0-4" }, 206, "hello", "bytes 0-4/11"],
  [{ range: "bytes=6-" }, 206, "world", "bytes 6-10/11"],
  [{ range: "bytes=6-99" }, 206, "world", "bytes 6-10/11"],
  [{ range: "bytes=-5" }, 206, "world", "bytes 6-10/11"],
  [{ range: "bytes=-99" }, 206, "hello world", "bytes 0-10/11"],
  [{ range: "bytes=10-10" }, 206, "d", "bytes 10-10/11"],
  [{ range: "bytes=11-" }, 416, "416 Range Not Satisfiable\n", "bytes */11"],
  [{ range: "bytes=-0" }, 416, "416 Range Not Satisfiable\n", "bytes */11"],
  [{ range: "bytes=5-4" }, 200, "hello world", undefined],
  [{ range: "bytes=-" }, 200, "hello world", undefined],
  [{ range: "bytes=0-1,3-4" }, 200, "hello world", undefined],
  [{ range: "lines=0-1" }, 200, "hello world", undefined],
  [{ range: "bytes=0-1", "if-range": etag }, 206, "he", "bytes 0-1/11"],
  [{ range: "bytes=0-1", "if-range": lastModified }, 206, "he", "bytes 0-1/11"],
  [{ range: "bytes=0-1", "if-range": `W/${etag}` }, 200, "hello world", undefined],
  [{ range: "bytes=0-1", "if-range": "Wed, 04 Mar 2020 05:06:08 GMT" }, 200, "hello world", undefined],
  [{ range: "bytes=0-1", "if-none-match": etag }, 304, "", undefined],
];

for (const [headers, status, body, contentRange] of ranges) {
  test(`${JSON.stringify(headers)} gives ${status} ${contentRange ?? ""}`, async () => {
    const answer = await ask(server, "/page.html", headers);
    assert.equal(answer.status, status);
    assert.equal(answer.body, body);
    assert.equal(answer.headers["content-range"], contentRange);
  });
}

test("no range of an empty file can be sent", async () => {
  assert.equal((await ask(server, "/nothing.txt", { range: "bytes=0-" })).status, 416);
  assert.equal((await ask(server, "/nothing.txt", { range: "bytes=-1" })).status, 416);
});

test("a large file comes whole, and a range of it", async () => {
  const whole = await ask(server, "/large.bin");
  assert.equal(whole.headers["content-length"], "1000000");
  assert.equal(whole.body, "0123456789".repeat(100_000));
  const part = await ask(server, "/large.bin", { range: "bytes=100003-900003" });
  assert.equal(part.body, whole.body.slice(100_003, 900_004));
});

test("no Last-Modified lies in the future, and the past goes far back", async () => {
  const { headers } = await ask(server, "/future.txt");
  assert.ok(Date.parse(headers["last-modified"] ?? "") <= Date.now());
  assert.equal((await ask(server, "/ancient.txt")).headers["last-modified"], "Fri, 01 Jan 1960 00:00:01 GMT");
});

test("a pipe is not waited for, and neither it nor a socket is a file", async () => {
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
  const listener = await listenIn(root, "socket");
  assert.equal((await ask(server, "/pipe")).status, 404);
  assert.equal((await ask(server, "/socket")).status, 404);
  listener.close();
});

test("a file that may not be read is 403", { skip: process.getuid?.() === 0 && "root may read all" }, async () => {
  put("locked.txt", "secret");
  chmodSync(join(root, "locked.txt"), 0);
  assert.equal((await ask(server, "/locked.txt")).status, 403);
});

test("a file that is cut while it is sent ends with the connection", async () => {
  const path = join(root, "shrinking.bin");
  closeSync(openSync(path, "w"));
  truncateSync(path, 100_000_000);
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    "GET /shrinking.bin HTTP/1.1\r\nHost: localhost\r\n\r\nGET /page.html HTTP/1.1\r\nHost: localhost\r\n\r\n",
  );
  await once(socket, "readable");
  truncateSync(path, 1000);
  let received = 0;
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    received += (chunk as Buffer).length;
    last = chunk as Buffer;
  }
  assert.ok(received < 100_000_000, `${received} bytes came`);
  // The client would take the next answer for the rest of this one.
  assert.ok(!last.includes("hello world"));
});

test("a client that goes away in the middle harms nobody", async () => {
  log.length = 0;
  const path = join(root, "endless.bin");
  closeSync(openSync(path, "w"));
  truncateSync(path, 100_000_000);
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET /endless.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "readable");
  socket.destroy();
  while (log.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.ok((log[0]?.bytes ?? 0) < 100_000_000);
  assert.equal((await ask(server, "/page.html")).status, 200);
});

test("on the loopback a request for a name of somebody else gets nothing", async () => {
  log.length = 0;
  for (const host of ["evil.example", `evil.example:${server.port}`, "127.0.0.1.evil.example", "10.0.0.5"])
    for (const method of ["GET", "HEAD", "POST"]) {
      const { status, headers, body } = await ask(server, "/page.html", { host }, method);
      assert.deepEqual([status, headers.etag], [421, undefined], host);
      assert.equal(body, method === "HEAD" ? "" : "421 Misdirected Request\n");
    }
  assert.deepEqual(log[0], { method: "GET", path: "/page.html", status: 421, bytes: 24, conditional: false });
  for (const host of ["localhost", `LOCALHOST:${server.port}`, `127.0.0.1:${server.port}`, "[::1]"])
    assert.equal((await ask(server, "/page.html", { host })).status, 200, host);
});

test("a check by a load balancer, which names no host, is answered; HTTP/1.1 has to name one", async () => {
  for (const [version, status] of [
    ["1.0", 200],
    ["1.1", 400],
  ] as const) {
    const socket = connect(server.port, "127.0.0.1");
    socket.end(`GET /page.html HTTP/${version}\r\n\r\n`);
    const answer = (await socket.setEncoding("utf8").toArray()).join("");
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
  }
});

test("on an address that others reach any name is right", async () => {
  await using open = await serveFolder({ folder: root, host: "0.0.0.0" });
  assert.equal((await ask(open, "/page.html", { host: "site.example" })).status, 200);
});

test("names can be allowed", async () => {
  await using named = await serveFolder({ folder: root, allowedHosts: ["Site.example"] });
  for (const [host, status] of [
    ["site.example:8080", 200],
    ["127.0.0.1", 200],
    ["evil.example", 421],
  ] as const)
    assert.equal((await ask(named, "/page.html", { host })).status, status, host);
  await using open = await serveFolder({ folder: root, host: "0.0.0.0", allowedHosts: ["site.example"] });
  assert.equal((await ask(open, "/page.html", { host: "evil.example" })).status, 421);
});

test("closing ends what is being sent, and frees the port", async () => {
  const other = await serveFolder({ folder: root });
  const socket = connect(other.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET /endless.bin HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "readable");
  await other.close();
  await other.close();
  socket.destroy();
  await using again = await serveFolder({ folder: root, port: other.port });
  assert.equal(again.url, `http://127.0.0.1:${other.port}`);
});

test("a signal closes the server", async () => {
  const stop = new AbortController();
  const other = await serveFolder({ folder: root, signal: stop.signal });
  assert.equal((await ask(other, "/page.html")).status, 200);
  stop.abort();
  await assert.rejects(ask(other, "/page.html"), { code: "ECONNREFUSED" });
});

test("what cannot be served is said with a code", async () => {
  await assert.rejects(serveFolder({ folder: join(root, "none") }), { name: "TidemarkError", code: "not-found" });
  await assert.rejects(serveFolder({ folder: join(root, "page.html") }), {
    name: "TidemarkError",
    code: "not-a-folder",
  });
  await assert.rejects(serveFolder({ folder: root, port: server.port }), {
    name: "TidemarkError",
    code: "address-in-use",
  });
  await assert.rejects(serveFolder({ folder: root, signal: AbortSignal.abort() }), {
    name: "TidemarkError",
    code: "aborted",
  });
});
