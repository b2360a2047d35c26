import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { measureMetadata } from "../../../lab/brandman/metadata-size.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { makeTempFolder } from "../../temp-folder.ts";

describe("a real site in the lab", () => {
  it("is exported beside itself, with the same paths, and measured as it was published", async () => {
    using temp = makeTempFolder();
    const root = join(temp.path, "root");
    const scratch = join(temp.path, "scratch");
    for (const folder of [scratch, join(root, "a b", "c"), join(root, ".git")]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, "index.html"), "<p>top");
    writeFileSync(join(root, "robots.txt"), `User-agent: *\nDisallow: /private/\n#${"x".repeat(5000)}\n`);
    mkdirSync(join(root, "private"));
    writeFileSync(join(root, "private", "page.html"), "not for crawlers");
    writeFileSync(join(root, ".git", "config"), "hidden");
    for (let page = 0; page < 60; page++) writeFileSync(join(root, "a b", "c", `${page}.html`), "x".repeat(page));
    const ports = createLabPorts(scratch);
    const before = readdirSync(root, { recursive: true });
    const shares: number[] = [];
    {
      await using site = await ports.exportSite({ kind: "folder", root });
      const { tidemark, paper } = await measureMetadata(site, ports.pack, (share) => shares.push(share));
      assert.deepEqual([tidemark.pages, tidemark.pageBytes, tidemark.archives], [61, 1770 + 6, 1]);
      assert.deepEqual([paper.pages, paper.pageBytes], [61, 1770 + 6]);
      for await (const { pages } of site.archives())
        assert.ok(
          pages.some(({ path }) => path === "/a%20b/c/59.html") && pages.some(({ path }) => path === "/index.html"),
        );
      // 26 bytes of date, a space, a path, a space, a size and LF.
      assert.equal(paper.plainBytes, 61 * (26 + 3) + sizesOf(60) + 60 * "a%20b/c/.html".length + sizesOf(60) + 11);
      assert.ok(tidemark.packedBytes > 61 * 8 && tidemark.packedBytes < tidemark.plainBytes);
      assert.ok(site.listingBytes > 300 && site.listingBytes < 2000);
    }
    assert.deepEqual(shares, [1]);
    assert.deepEqual(readdirSync(root, { recursive: true }), before);
    assert.deepEqual(readdirSync(scratch), []);
  });

  it("must be a folder with pages", async () => {
    using temp = makeTempFolder();
    const ports = createLabPorts(temp.path);
    mkdirSync(join(temp.path, "empty"));
    await assert.rejects(ports.exportSite({ kind: "folder", root: join(temp.path, "empty") }), { code: "not-found" });
    await assert.rejects(ports.exportSite({ kind: "folder", root: join(temp.path, "nothing") }), { code: "not-found" });
    assert.deepEqual(readdirSync(temp.path), ["empty"]);
  });

  it("can be the package's own documents, and the demonstration's site", async () => {
    using temp = makeTempFolder();
    const ports = createLabPorts(temp.path);
    await using documents = await ports.exportSite({ kind: "documents" });
    assert.ok(documents.pages >= 7);
    await using demonstration = await ports.exportSite({ kind: "demonstration", pages: 150 });
    assert.equal(demonstration.pages, 150);
    const { tidemark } = await measureMetadata(demonstration, ports.pack, () => undefined);
    assert.equal(tidemark.pages, 150);
  });
});

/** Digits of the numbers from 0 to below. */
function sizesOf(below: number): number {
  return Array.from({ length: below }, (_, number) => String(number).length).reduce((sum, digits) => sum + digits, 0);
}
