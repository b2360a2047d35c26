import assert from "node:assert/strict";
import { test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { OriginCookies, readCookies } from "../../src/http/cookie-jar.ts";
import { createFetcher } from "../../src/http/fetcher.ts";
import { listenRaw, plainAnswer } from "./raw-server.ts";

const line = (
  domain: string,
  tail: string,
  path: string,
  secure: string,
  expiry: number,
  name: string,
  value: string,
): string => [domain, tail, path, secure, expiry, name, value].join("\t");
const setBy = (...lines: string[]): Buffer[] =>
  lines.flatMap((text) => [Buffer.from("Set-Cookie"), Buffer.from(text, "latin1")]);
const later = 4_000_000_000;

const file = [
  "# Netscape HTTP Cookie File",
  "",
  line("www.example.co.uk", "FALSE", "/", "FALSE", 0, "host", "1"),
  line("#HttpOnly_.example.co.uk", "TRUE", "/", "FALSE", later, "domain", "2"),
  line(".example.co.uk", "TRUE", "/docs", "FALSE", later, "path", "3"),
  line("www.example.co.uk", "FALSE", "/", "TRUE", later, "secure", "4"),
  line("www.example.co.uk", "FALSE", "/", "FALSE", 1, "expired", "x"),
  line("example.co.uk", "FALSE", "/", "FALSE", later, "other-host", "x"),
  line("example.org", "TRUE", "/", "FALSE", later, "other-site", "x"),
  line(".co.uk", "TRUE", "/", "FALSE", later, "public", "x"),
].join("\r\n");

test("of a file those of the host are sent: by domain, path, TLS and expiry (RFC 6265 section 5.4)", async () => {
  const http = await OriginCookies.open("http://www.example.co.uk", file);
  assert.equal(http.fieldFor("/"), "host=1; domain=2");
  assert.equal(http.fieldFor("/docs/a?b"), "path=3; host=1; domain=2");
  assert.equal(http.fieldFor("/docsy"), "host=1; domain=2");
  const https = await OriginCookies.open("https://www.example.co.uk", file);
  assert.equal(https.fieldFor("/"), "host=1; domain=2; secure=4");
  assert.equal((await OriginCookies.open("http://127.0.0.1:8080", file)).fieldFor("/"), undefined);
  const local = line("127.0.0.1", "FALSE", "/", "FALSE", 0, "a", "b");
  // As Python writes one of the session.
  const session = local.replace("\t0\t", "\t\t");
  assert.equal((await OriginCookies.open("http://127.0.0.1:8080", session)).fieldFor("/"), "a=b");
  assert.equal((await OriginCookies.open("http://127.0.0.1:8080", local)).fieldFor("/"), "a=b");
});

test("responses set cookies for their host or its domain; not for a public suffix, another domain, or by control bytes", async () => {
  const cookies = await OriginCookies.open("http://www.example.co.uk", "");
  const answer = [Buffer.from("ETag"), Buffer.from("x")];
  const set = setBy(
    "own=1",
    "wide=2; Domain=.example.co.uk; Max-Age=100",
    "public=x; Domain=co.uk",
    "top=x; Domain=uk",
    "other=x; Domain=example.org",
    "below=x; Domain=a.www.example.co.uk",
    "late=x; Max-Age=0",
    "tls=x; Secure",
    "control=a\x01b",
    "del=a\x7fb",
    "",
    ";;;",
    "=",
  );
  assert.deepEqual(cookies.take("/a/b", [...set, ...answer]), answer, "what is set is in no record");
  assert.equal(cookies.fieldFor("/a/c"), "own=1; wide=2");
  cookies.take("/a/d", setBy("own=; Max-Age=0", "wide=3; Domain=example.co.uk"));
  assert.equal(cookies.fieldFor("/a/"), "wide=3");
});

test("a flood is bounded in number, size and what is sent, and displaces nothing that was given", async () => {
  const given = line("h.example", "FALSE", "/", "FALSE", 0, "given", "1");
  const small = await OriginCookies.open("http://h.example", given);
  for (let at = 0; at < 400; at++) small.take(`/p${at}/q`, setBy(`f${at}=1; Path=/`, `same=${at}`));
  const sent = (small.fieldFor("/") ?? "").split("; ");
  // Half of the 149 that it took are of other paths.
  assert.deepEqual([sent[0], sent.length], ["given=1", 76]);
  assert.doesNotMatch(small.fieldFor("/p399/x") ?? "", /same/);
  const cookies = await OriginCookies.open("http://h.example", given);
  cookies.take("/", setBy(`huge=${"v".repeat(5000)}`));
  assert.equal(cookies.fieldFor("/"), "given=1");
  for (let at = 0; at < 100; at++) cookies.take("/", setBy(`f${at}=${"v".repeat(100)}`));
  cookies.take("/", setBy(`wide=${"v".repeat(4000)}`, "given=2"));
  const field = cookies.fieldFor("/") ?? "";
  assert.ok(field.startsWith("given=2"), "those that are held can change");
  assert.ok(field.length <= 7168, String(field.length));
});

test("what is no file of cookies is refused by its line, without its text", () => {
  const wrong = [
    "a b c",
    "h\tTRUE\t/\tFALSE\t0",
    "h\tyes\t/\tFALSE\t0\ta\tsecret",
    "h\tTRUE\t/\tFALSE\t0\ta\tsecret\x01",
    '{"name":"secret"}',
  ];
  for (const text of wrong)
    assert.throws(
      () => readCookies(`# comment\n${text}\n`),
      (error) =>
        error instanceof TidemarkError && /^Line 2 /.test(error.message) && !JSON.stringify(error).includes("secret"),
    );
});

test("cookies go to their origin, those of a redirect at once, and no record has them", async () => {
  const heads: string[] = [];
  const note = (who: string, head: string): number =>
    heads.push(`${who} ${head.split(" ")[1]} ${/\r\ncookie: ([^\r]*)/i.exec(head)?.[1] ?? "-"}`);
  await using other = await listenRaw((socket, head) => {
    note("other", head);
    socket.write(plainAnswer(200, ["Set-Cookie: evil=1"]), "latin1");
  });
  await using site = await listenRaw((socket, head) => {
    note("site", head);
    const isLast = head.startsWith("GET /in ");
    const to = head.startsWith("GET /away ") ? `${other.origin}/x` : "/in";
    const fields = ["Set-Cookie: session=s3cret; HttpOnly", "X-Other: kept"];
    socket.write(plainAnswer(isLast ? 200 : 302, isLast ? fields : [...fields, `Location: ${to}`]), "latin1");
  });
  const cookies = await OriginCookies.open(site.origin, line("127.0.0.1", "FALSE", "/", "FALSE", 0, "k", "s3cret-k"));
  await using fetcher = createFetcher({ allowPrivate: true, cookies });
  const records: string[] = [];
  const request = { origin: site.origin, maxBytes: 1000, timeoutMs: 20_000, maxRedirects: 3, crossOrigin: true };
  for (const path of ["/login", "/away"])
    await fetcher.get({
      ...{ ...request, path },
      onExchange: ({ requestHead, responseHead }) =>
        void records.push(Buffer.concat([requestHead, responseHead]).toString("latin1")),
    });
  assert.deepEqual(heads, [
    "site /login k=s3cret-k",
    "site /in k=s3cret-k; session=s3cret",
    "site /away k=s3cret-k; session=s3cret",
    "other /x -",
  ]);
  const ofSite = records.slice(0, 3).join();
  assert.doesNotMatch(ofSite, /cookie|s3cret/i);
  assert.match(ofSite, /x-other: kept/i);
});
