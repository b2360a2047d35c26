import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import Database from "libsql";
import type { Page } from "../../../src/core/page.ts";
import type { HeldBody } from "../../../src/core/tracked-url.ts";
import type { Keeping, SiteStore } from "../../../src/storage/state/keeping.ts";
import { openMirroredPages } from "../../../src/storage/state/mirrored-pages.ts";
import { openStore, type Store, stateFileIn } from "../../../src/storage/state/store.ts";
import { recordOf } from "../../crawler/engine/published-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { keptAs } from "./settled.ts";

const plain = "http://example.org";
const secure = "https://example.org";
const warc: Keeping = { kind: "warc", info: {}, clock: () => 0, decode: () => assert.fail("nothing is read") };

/** Opens a site and closes it again. */
function placeOf(store: Store, origin: string, keeping?: Keeping): string {
  const site = keeping === undefined ? store.openSite(origin) : store.openSite(origin, keeping);
  site.close();
  return basename(site.folder);
}

function pageOf(path: string, body: string): Page & HeldBody {
  const { digest, sizeBytes, ...record } = recordOf(path, {
    body,
    mediaType: "text/html",
    lastModified: 1_000_000_000,
  });
  assert.ok(digest !== undefined && sizeBytes !== undefined);
  return { ...record, digest, sizeBytes };
}

/** Finds pages by links, and keeps their bodies. */
async function keep({ urls, bodies }: SiteStore, pages: Readonly<Record<string, string>>): Promise<void> {
  const list = urls.beginList();
  urls.note(
    Object.keys(pages).map((path) => ({ path, depth: 0, lastmod: undefined })),
    list,
  );
  const settlements = urls.take("new", 0, undefined, 100).map((url) => {
    return keptAs(url, pageOf(url.path, pages[url.path] ?? ""));
  });
  for (const [path, body] of Object.entries(pages)) await bodies.keep(pageOf(path, body), Buffer.from(body));
  await bodies.flush();
  urls.settle(settlements, [], 1);
}

describe("the folders of sites", () => {
  it("are two for `http:` and `https:`, whose bodies do not touch each other", async () => {
    using temp = makeTempFolder();
    {
      using store = openStore({ into: temp.path });
      const [one, other] = [store.openSite(plain), store.openSite(secure)];
      assert.deepEqual(
        [one.folder, other.folder].map((folder) => basename(folder)),
        ["example.org", "example.org_443"],
      );
      await keep(one, { "/p": "plain" });
      await keep(other, { "/p": "secure" });
      await one.bodies.remove("/p");
      assert.equal(Buffer.from(other.bodies.read("/p", 100) ?? "").toString(), "secure");
    }
    for (const [folder, origin] of [
      ["example.org", plain],
      ["example.org_443", secure],
    ] as const) {
      using pages = openMirroredPages(join(temp.path, folder));
      assert.equal(pages?.origin, origin);
    }
  });

  it("have the usual name if no other site has it, whichever scheme is the first", () => {
    using temp = makeTempFolder();
    using store = openStore({ into: temp.path });
    assert.deepEqual(
      [secure, plain].map((origin) => placeOf(store, origin)),
      ["example.org", "example.org_80"],
    );
  });

  it("are two also for WARC files, but sites without a folder take no name", () => {
    using temp = makeTempFolder();
    using store = openStore({ into: temp.path });
    placeOf(store, "https://example.org:80", { kind: "metadata" });
    const places = [plain, secure, "https://example.org:80"].map((origin) => placeOf(store, origin, warc));
    assert.deepEqual(places, ["example.org", "example.org_443", "example.org_80"]);
  });

  it("are one for each origin and stay so, in whatever order sites are opened, in however many runs", () => {
    const hosts = ["example.org", "example.org_80", "example.org_443", "[::1]", ".hidden", "_.hidden", "_.hidden_80"];
    const origins = hosts.flatMap((host) =>
      ["http", "https"].flatMap((scheme) =>
        ["", ":80", ":443", ":8080"].map((port) => new URL(`${scheme}://${host}${port}`).origin),
      ),
    );
    const runs = fc.array(fc.array(fc.constantFrom(...origins), { maxLength: 30 }), { minLength: 1, maxLength: 3 });
    const property = fc.property(runs, (opened) => {
      using temp = makeTempFolder();
      const places = new Map<string, string>();
      for (const run of opened) {
        using store = openStore({ into: temp.path });
        for (const origin of run) {
          const place = placeOf(store, origin);
          assert.equal(places.get(origin) ?? place, place);
          places.set(origin, place);
        }
      }
      assert.equal(new Set(places.values()).size, places.size);
    });
    fc.assert(property, { numRuns: 15 });
  });

  it("stay when the mirrors are moved away from the state", () => {
    using temp = makeTempFolder();
    const stateFile = join(temp.path, "s.db");
    for (const into of ["here", "there"]) {
      using store = openStore({ into: join(temp.path, into), stateFile });
      const order = into === "here" ? [secure, plain] : [plain, secure];
      const places = new Map(order.map((origin) => [origin, placeOf(store, origin)]));
      assert.deepEqual([places.get(secure), places.get(plain)], ["example.org", "example.org_80"]);
    }
  });
});

interface Kept {
  readonly origin: string;
  readonly pages: Readonly<Record<string, string>>;
}

/** Two sites in one folder, as earlier versions kept them: what the second one keeps replaces files of the first. */
async function share(into: string, first: Kept, second: Kept): Promise<void> {
  const folders: string[] = [];
  {
    using store = openStore({ into });
    for (const { origin, pages } of [first, second]) {
      const site = store.openSite(origin);
      folders.push(site.folder);
      await keep(site, pages);
      site.close();
    }
  }
  const [shared = "", own = ""] = folders;
  for (const name of readdirSync(own)) copyFileSync(join(own, name), join(shared, name));
  rmSync(own, { recursive: true });
  const state = new Database(stateFileIn(into));
  assert.equal(state.prepare("UPDATE site SET mirror = ?").run("../example.org").changes, 2);
  state.close();
}

/** Opens both sites again. @returns the folder of each, what it holds, and what of that is to come again */
function reopen(into: string, order: readonly string[]): Record<string, [folder: string, held: string, due: string]> {
  using store = openStore({ into });
  const sites = order.map((origin) => {
    const { folder, urls } = store.openSite(origin);
    const held = ["/a", "/b", "/c"].filter((path) => urls.find(path)?.held !== undefined);
    const due = urls.take("doubted", 2, undefined, 100).map(({ path }) => path);
    return [origin, [basename(folder), held.join(" "), due.join(" ")]] as const;
  });
  return Object.fromEntries(sites) as Record<string, [string, string, string]>;
}

describe("a folder that earlier versions gave to two sites", () => {
  for (const order of [
    [plain, secure],
    [secure, plain],
  ])
    it(`stays with the one that has more of its bodies there, and loses none, if ${order[0]} is opened first`, async () => {
      using temp = makeTempFolder();
      const second = { origin: secure, pages: { "/b": "other b", "/c": "other c" } };
      await share(temp.path, { origin: plain, pages: { "/a": "plain a", "/b": "plain b" } }, second);
      for (const again of [order, order.toReversed()])
        assert.deepEqual(reopen(temp.path, again), {
          [secure]: ["example.org", "/b /c", ""],
          [plain]: ["example.org_80", "", ""],
        });
      const texts = ["a", "b", "c"].map((name) => readFileSync(join(temp.path, "example.org", name), "utf8"));
      assert.deepEqual(texts, ["plain a", "other b", "other c"]);
    });

  it("stays with the one that was known first if they have as many there, whose other pages come again", async () => {
    for (const [first, second] of [
      [plain, secure],
      [secure, plain],
    ] as const) {
      using temp = makeTempFolder();
      const pages = { "/a": "first a", "/b": "first b" };
      await share(temp.path, { origin: first, pages }, { origin: second, pages: { "/b": "other b" } });
      assert.deepEqual(reopen(temp.path, [plain, secure])[first], ["example.org", "/a /b", "/b"]);
    }
  });

  it("is shown as that of the site with `https:` until one of them is visited", async () => {
    using temp = makeTempFolder();
    const second = { origin: secure, pages: { "/a": "other a" } };
    await share(temp.path, { origin: plain, pages: { "/a": "plain a" } }, second);
    using pages = openMirroredPages(join(temp.path, "example.org"));
    assert.equal(pages?.origin, secure);
  });
});
