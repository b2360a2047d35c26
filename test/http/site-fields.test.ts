import assert from "node:assert/strict";
import { test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import { createFetcher } from "../../src/http/fetcher.ts";
import { readSiteFields } from "../../src/http/site-fields.ts";
import { listenRaw, plainAnswer } from "./raw-server.ts";

test("a login and given fields go to their origin in each request, and nowhere else, and into no record", async () => {
  const heads: string[] = [];
  const records: string[] = [];
  await using other = await listenRaw((socket, head) => {
    heads.push(`other ${head}`);
    socket.write(plainAnswer(200, [], "there"), "latin1");
  });
  await using site = await listenRaw((socket, head) => {
    heads.push(`site ${head}`);
    const isHere = head.startsWith("GET /here ");
    const away = head.startsWith("GET /away ") ? `${other.origin}/x` : "/here";
    socket.write(isHere ? plainAnswer(200, [], "here") : plainAnswer(302, [`Location: ${away}`], ""), "latin1");
  });
  const siteFields = readSiteFields(site.origin, { auth: "me:pässword", headers: { "X-Key": " k3y ", Cookie: "a=b" } });
  await using fetcher = createFetcher({ allowPrivate: true, siteFields });
  const request = { origin: site.origin, maxBytes: 1000, timeoutMs: 30_000, maxRedirects: 3, crossOrigin: true };
  for (const path of ["/near", "/away"])
    await fetcher.get({
      ...request,
      path,
      onExchange: ({ requestHead }) => void records.push(Buffer.from(requestHead).toString("latin1")),
    });
  await fetcher.get({ ...request, origin: other.origin, path: "/direct" });
  const secret = /authorization|x-key|cookie|k3y/i;
  const seen = heads.map((head) => `${head.split(" HTTP", 1)[0]} ${secret.test(head)}`);
  assert.deepEqual(seen, [
    "site GET /near true",
    "site GET /here true",
    "site GET /away true",
    "other GET /x false",
    "other GET /direct false",
  ]);
  const basic = Buffer.from("me:pässword").toString("base64");
  assert.match(heads[0] ?? "", new RegExp(`\\r\\nauthorization: Basic ${basic}\\r\\nx-key: k3y|x-key: k3y`, "i"));
  assert.ok(heads[0]?.includes(`Basic ${basic}`));
  assert.equal(records.length, 4);
  for (const record of records) assert.doesNotMatch(record, secret);
});

test("fields that are none, or that the crawler sets, are refused without their values", () => {
  const given = [
    { headers: { "no name": "secret" } },
    { headers: { "": "secret" } },
    { headers: { a: "secret\r\nb: c" } },
    { headers: { a: "secret é".replace("é", "\u20ac") } },
    { headers: { Host: "secret" } },
    { headers: { "User-Agent": "secret" } },
    { headers: { "If-None-Match": "secret" } },
    { headers: { a: "secret".repeat(2000) } },
    { auth: "secret" },
    { auth: "me:secret\n" },
    { auth: "me:secret", headers: { Authorization: "Bearer secret" } },
  ];
  for (const fields of given)
    assert.throws(
      () => readSiteFields("https://example.org", fields),
      (error) =>
        error instanceof TidemarkError &&
        error.code === "bad-option" &&
        !JSON.stringify([error.message, error.details, error.hint]).includes("secret"),
      JSON.stringify(fields),
    );
  assert.equal(readSiteFields("https://example.org", {}), undefined);
});
