import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import type { ResourceSyncEntry } from "../../../src/formats/resourcesync/resource-sync.ts";
import { ResourceSyncReader } from "../../../src/formats/resourcesync/resource-sync-reader.ts";
import { StandardsReader } from "../publish/standards-site.ts";
import { TestSite } from "../publish/test-site.ts";

const origin = "https://example.org";

/** Reads a ZIP file by its directory (PKWARE APPNOTE 4.3.12); of each file its bytes, by name and in its order. */
function unzip(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    const [method, packed, nameLength] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ];
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const head = bytes.readUInt32LE(at + 42);
    const start = head + 30 + bytes.readUInt16LE(head + 26) + bytes.readUInt16LE(head + 28);
    const content = bytes.subarray(start, start + packed);
    files.set(name, method === 8 ? inflateRawSync(content) : content);
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return files;
}

/** What a package says of a page, and its bytes. */
function readPackage(
  site: TestSite,
  url: string,
): { entries: readonly ResourceSyncEntry[]; contents: Map<string, string> } {
  const files = unzip(readFileSync(join(site.docroot, url.slice(origin.length))));
  const reader = new ResourceSyncReader();
  const entries = [...reader.write(files.get("manifest.xml") ?? Buffer.alloc(0)), ...reader.end()];
  assert.equal(reader.problem, undefined);
  const contents = new Map<string, string>();
  for (const { path, hash, location, sizeBytes, change } of entries) {
    if (change === "deleted") continue;
    const content = files.get((path ?? "").slice(1));
    assert.ok(content !== undefined && path?.startsWith("/"), location);
    assert.equal(content.length, sizeBytes);
    assert.equal(hash, `sha-256:${createHash("sha256").update(content).digest("hex")}`);
    contents.set(location, content.toString());
  }
  assert.equal(files.size, contents.size + 1);
  return { entries, contents };
}

test("a day's changes are packed once it is over, with what is still as it was published", async () => {
  using site = new TestSite();
  const options = { changeDumps: true };
  for (const name of ["a.html", "b.html", "c.html"]) site.write(name, name);
  await site.export(options);
  const reader = new StandardsReader(site);
  assert.equal(reader.capabilities().get("changedump"), undefined);
  site.write("a.html", "changed");
  site.write("[new].html", "new");
  site.write("b.html", "changed, and again before the day's package");
  site.remove("c.html");
  await site.export(options);
  site.write("b.html", "later");
  await site.export(options);
  const dump = reader.document(reader.capabilities().get("changedump") ?? "");
  const [only] = dump.entries;
  assert.equal(dump.entries.length, 1, "of the first day nothing changed");
  const closed = reader.changeLists().at(-2)?.header;
  assert.deepEqual([only?.from, only?.until], [closed?.from, closed?.until]);
  const { entries, contents } = readPackage(site, only?.location ?? "");
  assert.deepEqual(
    entries.map(({ location, change }) => [location.slice(origin.length), change]),
    [
      ["/%5Bnew%5D.html", "created"],
      ["/a.html", "updated"],
      ["/c.html", "deleted"],
    ],
  );
  assert.equal(contents.get(`${origin}/a.html`), "changed");
  assert.equal(contents.get(`${origin}/%5Bnew%5D.html`), "new");
});

test("pages under the server's URLs and of mapped folders are packed too", async () => {
  using site = new TestSite();
  for (const name of ["about.html", "docs/index.html"]) site.write(name, name);
  const folder = join(site.folder, "static");
  mkdirSync(folder);
  writeFileSync(join(folder, "b.txt"), "b");
  await site.export({ resourceDump: true, cleanUrls: true, map: [{ urlPrefix: "/static/", folder }] });
  const reader = new StandardsReader(site);
  const dump = reader.document(reader.capabilities().get("resourcedump") ?? "");
  const { contents } = readPackage(site, dump.entries[0]?.location ?? "");
  assert.deepEqual([...contents].sort(), [
    [`${origin}/about`, "about.html"],
    [`${origin}/docs/`, "docs/index.html"],
    [`${origin}/static/b.txt`, "b"],
  ]);
});

test("a page whose bytes are not the published ones any more is in no dump", async () => {
  using site = new TestSite();
  site.write("a.html", "published");
  site.write("b.html", "published");
  await site.export();
  const published = site.reader().index.publication;
  // It is written to after the export looked at it, with a size and times that say nothing.
  let looks = 0;
  const signal = new AbortController().signal;
  Object.defineProperty(signal, "aborted", {
    get: () => {
      if (readdirSync(site.publishedFolder).includes("resourcelist.xml")) {
        looks += 1;
        writeFileSync(join(site.docroot, "b.html"), "not-to-be");
      }
      return false;
    },
  });
  await site.export({ resourceDump: true, signal });
  assert.ok(looks > 0);
  const reader = new StandardsReader(site);
  const dump = reader.document(reader.capabilities().get("resourcedump") ?? "");
  assert.equal(dump.header.at, published);
  const { contents } = readPackage(site, dump.entries[0]?.location ?? "");
  assert.deepEqual([...contents], [[`${origin}/a.html`, "published"]]);
});

test("a dump of all pages is written on request, stays listed, and equal input gives equal bytes", async () => {
  using site = new TestSite();
  for (let page = 0; page < 20; page++) site.write(`p${page}.html`, `page ${page}`, 1_700_000_000);
  await site.export({ resourceDump: true });
  const reader = new StandardsReader(site);
  const dump = reader.document(reader.capabilities().get("resourcedump") ?? "");
  assert.equal(dump.header.at, site.reader().index.publication);
  const url = dump.entries[0]?.location ?? "";
  assert.equal(readPackage(site, url).contents.size, 20);
  const path = join(site.docroot, url.slice(origin.length));
  const bytes = readFileSync(path);
  const before = site.snapshot();
  await site.export({ resourceDump: true });
  assert.deepEqual(site.snapshot(), before);
  await site.export({ resourceSync: true });
  assert.equal(reader.capabilities().get("resourcedump"), `${origin}/.well-known/tidemark/resourcedump.xml`);
  using other = new TestSite();
  for (let page = 0; page < 20; page++) other.write(`p${page}.html`, `page ${page}`, 1_700_000_000);
  other.nowMs = site.nowMs - 3 * 86_400_000;
  await other.export({ resourceDump: true });
  const twin = readdirSync(other.publishedFolder).find((name) => name.endsWith(".zip"));
  assert.ok(readFileSync(join(other.publishedFolder, twin ?? "")).equals(bytes));
});
