import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { Crawler } from "./site-visit.ts";

const basic = `Basic ${Buffer.from("me:s3cret").toString("base64")}`;

/** A site whose every URL wants a login. */
async function openClosedSite(): Promise<Crawler> {
  const crawler = await Crawler.open({ "/a.html": "<p>a", "/b.html": "<p>b" });
  const { site } = crawler;
  const wantLogin = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.authorization !== basic) response.writeHead(401, { "www-authenticate": "Basic" }).end();
  };
  for (const path of [...site.pages.keys(), ...site.files.keys()]) site.answers.set(path, wantLogin);
  return crawler;
}

/** Text of everything below a folder; gzip members as their contents. */
function textBelow(folder: string): string {
  const texts: string[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (!statSync(file).isFile()) continue;
    const bytes = readFileSync(file);
    texts.push(name, bytes.toString("latin1"), file.endsWith(".gz") ? gunzipSync(bytes).toString("latin1") : "");
  }
  return texts.join("\n");
}

describe("a site with a login", () => {
  it("is not read without it", async () => {
    await using crawler = await openClosedSite();
    const { summary } = await crawler.visit();
    assert.deepEqual([summary.source, summary.created], ["none", 0]);
  });

  for (const keep of ["mirror", "warc"] as const)
    it(`is read with one in the URL or beside it, which is kept nowhere (${keep})`, async () => {
      await using crawler = await openClosedSite();
      const told: string[] = [];
      const onEvent = (event: unknown): void => void told.push(JSON.stringify(event));
      const url = crawler.site.origin.replace("http://", "http://me:s3cret@");
      const first = await crawler.visit({ keep, url, onEvent });
      assert.equal(first.summary.created, 2);
      crawler.site.set({ "/b.html": "<p>b2" });
      crawler.site.publish();
      const second = await crawler.visitNextDay({ keep, auth: "me:s3cret", headers: { "x-key": "k3y-9" }, onEvent });
      assert.equal(second.summary.updated, 1);
      const text = textBelow(crawler.folder.path) + told.join("\n") + JSON.stringify([first, second]);
      assert.doesNotMatch(text, /s3cret|bWU6czNjcmV0|k3y-9|authorization/i);
      if (keep === "warc") assert.match(text, /GET \/b\.html HTTP\/1\.1/);
    });

  it("is refused with options that are wrong, before anything is opened", async () => {
    await using crawler = await openClosedSite();
    for (const wrong of [{ auth: "s3cret" }, { headers: { host: "s3cret" } }, { url: "ftp://me:s3cret@h/" }])
      await assert.rejects(
        crawler.visit(wrong),
        (error: Error) => !JSON.stringify([error, error.message]).includes("s3cret"),
      );
    assert.deepEqual(readdirSync(crawler.folder.path), []);
  });
});
