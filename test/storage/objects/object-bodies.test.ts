import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "../../../src/core/page.ts";
import type { DeletionReason, HeldBody, TrackedUrl } from "../../../src/core/tracked-url.ts";
import { nodeCodec } from "../../../src/http/index.ts";
import { FolderObjects } from "../../../src/storage/objects/folder-objects.ts";
import { ObjectBodies } from "../../../src/storage/objects/object-bodies.ts";
import type { ObjectWriter } from "../../../src/storage/objects/object-index.ts";
import { objectFolderOf } from "../../../src/storage/objects/object-name.ts";
import { maxObjectBytes, type ObjectContent, type ObjectStore } from "../../../src/storage/objects/object-store.ts";
import { StateReader } from "../../../src/storage/state/state-reader.ts";
import { openStore, type Store } from "../../../src/storage/state/store.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { keptAs } from "../state/settled.ts";

const origin = "https://example.org";
const quiet = {
  ...{ pages: 0, answeredAt: 0, notBefore: 0, level: 0, troubledAt: 0, until: 0 },
  ...{ isAsked: 0, crawlDelayMs: 0, isOpen: 0, isQuiet: 1 },
};

function pageOf(path: string, body: Uint8Array): Page & HeldBody {
  const digest = nodeCodec.digestOf(body);
  return { path, sizeBytes: body.length, digest, lastModified: 1_000_000_000, mediaType: "text/html" };
}

/** Takes no body that is longer than three bytes. */
function openSmallObjects(folder: string): ObjectStore {
  const store = new FolderObjects(folder);
  const put = async (name: string, content: ObjectContent): Promise<boolean | "too-large"> => {
    const isLong = name.includes("/bodies/") && content instanceof Uint8Array && content.length > 3;
    return isLong ? "too-large" : await store.put(name, content);
  };
  return Object.assign(new FolderObjects(folder), { put });
}

/** A site that is held, in a state of its own. */
class Holder implements Disposable {
  readonly #store: Store;
  readonly site;
  readonly bodies: ObjectBodies;

  constructor(
    into: string,
    objects: string,
    writer?: ObjectWriter,
    of = origin,
    store: ObjectStore = new FolderObjects(objects),
  ) {
    this.#store = openStore({ into });
    this.site = this.#store.openSite(of, { kind: "objects", store, ...(writer === undefined ? {} : { writer }) });
    assert.ok(this.site.bodies instanceof ObjectBodies);
    this.bodies = this.site.bodies;
  }

  async keep(path: string, text: string): Promise<Page & HeldBody> {
    const page = pageOf(path, Buffer.from(text));
    assert.ok((await this.bodies.keep(page, Buffer.from(text))).ok);
    return page;
  }

  async settle(path: string, text: string): Promise<void> {
    const url = this.find(path);
    this.site.urls.settle([keptAs(url, await this.keep(path, text))], [], 1);
  }

  remove(path: string, reason: DeletionReason = "gone"): void {
    this.bodies.remove(path);
    this.site.urls.settle([{ kind: "removed", url: this.find(path), reason, askedAt: 2, dueAt: 0 }], [], 2);
  }

  async read(path: string): Promise<string | undefined> {
    const body = await this.bodies.read(path, 1000);
    return body === undefined ? undefined : Buffer.from(body).toString();
  }

  /** A URL, noted if it is not known. */
  find(path: string): TrackedUrl {
    const { urls } = this.site;
    urls.note([{ path, depth: 0, lastmod: undefined }], urls.beginList());
    const url = urls.find(path);
    assert.ok(url !== undefined, path);
    return url;
  }

  /** As if the process were killed: what is not committed is lost. */
  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }
}

class Places implements Disposable {
  readonly #temp: TempFolder = makeTempFolder();
  readonly into: string = join(this.#temp.path, "into");
  readonly objects: string = join(this.#temp.path, "objects");

  async open(writer?: ObjectWriter, into = this.into): Promise<Holder> {
    const holder = new Holder(into, this.objects, writer);
    await holder.bodies.recover();
    return holder;
  }

  /** Whole names of the objects that are bodies. */
  names(): string[] {
    const all = readdirSync(this.objects, { recursive: true, encoding: "utf8" });
    return all.filter((name) => name.includes("/bodies/") && statSync(join(this.objects, name)).isFile()).sort();
  }

  /** A folder with a copy of the state as it is. */
  copy(name: string): string {
    const into = join(this.#temp.path, name);
    cpSync(this.into, into, { recursive: true });
    rmSync(join(into, ".tidemark", "state.db.lock"), { force: true });
    return into;
  }

  [Symbol.dispose](): void {
    this.#temp[Symbol.dispose]();
  }
}

describe("the folder of a site's objects", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["https://example.org", "https/example.org"],
    ["http://example.org", "http/example.org"],
    ["https://example.org:8443", "https/example.org_3a8443"],
    ["http://[::1]:80", "http/_5b_3a_3a1_5d"],
    ["https://a_3a1.example", "https/a_5f3a1.example"],
    ["https://xn--bcher-kva.example", "https/xn--bcher-kva.example"],
    ["https://-a.example", "https/_2da.example"],
  ];
  for (const [site, folder] of rows) it(`${site}: ${folder}`, () => assert.equal(objectFolderOf(site), folder));

  it("is of bounded length, and another for each long name", () => {
    const folders = ["b", "c"].map((last) => objectFolderOf(`https://${"a".repeat(200)}${last}`));
    assert.notEqual(folders[0], folders[1]);
    assert.deepEqual(
      folders.map((folder) => folder.length),
      [151, 151],
    );
  });
});

describe("bodies as objects", () => {
  it("are there for who opens the site next, one object for pages with the same bytes", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      for (const path of ["/a", "/b"]) await holder.settle(path, "same");
      await holder.settle("/c", "other");
      assert.equal(places.names().length, 2);
    }
    using next = await places.open();
    assert.deepEqual([await next.read("/a"), await next.read("/b"), await next.read("/c")], ["same", "same", "other"]);
    const page = pageOf("/a", Buffer.from("same"));
    assert.deepEqual(next.bodies.adopt(page), { sizeBytes: 4, digest: page.digest });
    assert.equal(next.bodies.adopt({ ...page, sizeBytes: 5 }), undefined);
    assert.equal(places.names().length, 2);
  });

  it("are removed once no page has them, not before the site is opened next", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      await holder.settle("/a", "same");
      await holder.settle("/b", "same");
      await holder.settle("/c", "c");
      await holder.settle("/c", "c 2");
      holder.remove("/a");
      assert.equal(await holder.read("/a"), undefined);
      assert.equal(places.names().length, 3);
    }
    {
      using holder = await places.open();
      assert.equal(places.names().length, 2);
      assert.deepEqual([await holder.read("/b"), await holder.read("/c")], ["same", "c 2"]);
      holder.remove("/b");
    }
    using last = await places.open();
    assert.deepEqual([await last.read("/c"), places.names().length], ["c 2", 1]);
  });

  it("come back under another name after they were replaced, so that who removes the old one takes nothing away", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      await holder.settle("/a", "one");
      await holder.settle("/a", "two");
    }
    {
      using holder = new Holder(places.into, places.objects);
      await holder.settle("/a", "one");
      const names = places.names().map((name) => name.slice(name.lastIndexOf(".")));
      assert.deepEqual(names.sort(), [".1", ".1", ".2"]);
    }
    using last = await places.open();
    assert.equal(await last.read("/a"), "one");
    assert.equal(places.names().length, 1);
  });

  it("go when the page goes back to what it was within a visit, only if no page has them", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      for (const text of ["one", "two", "one"]) await holder.settle("/a", text);
    }
    using next = await places.open();
    assert.equal(await next.read("/a"), "one");
    assert.equal(places.names().length, 1);
  });

  it("that a killed visit stored and nobody remembers are removed", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      await holder.settle("/a", "one");
      holder.site.memory.rememberClock({ ...quiet, isOpen: 1 });
      await holder.keep("/a", "two");
      assert.equal(await holder.read("/a"), "two");
    }
    assert.equal(places.names().length, 2);
    using next = await places.open();
    assert.deepEqual([await next.read("/a"), places.names().length], ["one", 1]);
  });

  it("of a holder who lost the site harm nobody, whatever it writes and removes", async () => {
    using places = new Places();
    const crawl = "fleet1";
    {
      using first = await places.open({ crawl, epoch: 3 });
      await first.settle("/a", "one");
      await first.settle("/b", "b");
      await first.settle("/a", "two");
    }
    const frozenState = places.copy("frozen");
    // It has the site with epoch 64, and freezes before it does anything. Another one has it with epoch 65.
    using frozen = new Holder(frozenState, places.objects, { crawl, epoch: 64 });
    {
      using holder = await places.open({ crawl, epoch: 65 });
      await holder.settle("/a", "one");
      await holder.settle("/c", "c");
      holder.remove("/b");
    }
    const before = places.names();
    // Its sweep lists what is there, and it stores what the other one stored.
    await frozen.bodies.recover();
    await frozen.settle("/c", "c");
    await frozen.settle("/a", "three");
    assert.deepEqual(
      before.filter((name) => !places.names().includes(name)),
      [],
    );
    assert.equal(places.names().length, before.length + 2);
    using last = await places.open({ crawl, epoch: 66 });
    assert.deepEqual([await last.read("/a"), await last.read("/b"), await last.read("/c")], ["one", undefined, "c"]);
    // What the frozen one left is gone, and what nobody has: it is the other one's successor.
    assert.equal(places.names().length, 2 + 2);
    using sweeping = await places.open({ crawl, epoch: 68 }, places.copy("later"));
    assert.deepEqual([await sweeping.read("/a"), places.names().length], ["one", 2]);
  });

  it("are not removed by who opens the site again, for what it did before may never be committed", async () => {
    using places = new Places();
    const crawl = "fleet2";
    {
      using holder = await places.open({ crawl, epoch: 1 });
      await holder.settle("/a", "one");
    }
    const committed = places.copy("committed");
    {
      using holder = await places.open({ crawl, epoch: 2 });
      await holder.settle("/a", "two");
      holder.site.memory.rememberClock({ ...quiet, isOpen: 1 });
    }
    (await places.open({ crawl, epoch: 2 }))[Symbol.dispose]();
    using next = await places.open({ crawl, epoch: 3 }, committed);
    assert.equal(await next.read("/a"), "one");
  });

  it("are not looked for in a store that has not those of the crawl", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      await holder.settle("/a", "one");
    }
    using other = makeTempFolder();
    using holder = new Holder(places.into, other.path);
    await assert.rejects(holder.bodies.recover(), { code: "not-found", message: /are not in/ });
  });

  it("that are damaged are none", async () => {
    using places = new Places();
    using holder = await places.open();
    await holder.settle("/a", "one");
    writeFileSync(join(places.objects, places.names()[0] ?? ""), "ONE");
    assert.equal(await holder.read("/a"), undefined);
  });

  it("are settled as they were stored, also if the page was stored again meanwhile", async () => {
    using places = new Places();
    {
      using holder = await places.open();
      const url = holder.find("/a");
      const one = await holder.keep("/a", "one");
      const two = await holder.keep("/a", "two");
      holder.site.urls.settle([keptAs(url, one)], [], 1);
      assert.equal(await holder.read("/a"), "two");
      {
        using reader = new StateReader(join(places.into, ".tidemark", "state.db"));
        const [site] = reader.readSites();
        assert.ok(site !== undefined);
        const sha256 = createHash("sha256").update("one").digest("hex");
        assert.match(reader.findObject(site, "/a") ?? "", new RegExp(`/${sha256}\\.1$`));
        assert.equal(reader.findObject(site, "/b"), undefined);
      }
      holder.site.urls.settle([keptAs(url, two)], [], 2);
    }
    using next = await places.open();
    assert.equal(await next.read("/a"), "two");
    assert.equal(places.names().length, 1);
  });

  it("have at most 5 GiB", async () => {
    using places = new Places();
    using holder = await places.open();
    const file = holder.bodies.open();
    truncateSync(file.file, maxObjectBytes + 1);
    const kept = await holder.bodies.keep(pageOf("/a", Buffer.of()), file);
    assert.equal(!kept.ok && kept.error.code, "too-large");
    assert.deepEqual([places.names(), holder.bodies.mayHold("/a")], [[], false]);
    file.discard();
  });

  it("that the store takes for too large are told, and the others are stored", async () => {
    using places = new Places();
    using holder = new Holder(places.into, places.objects, undefined, origin, openSmallObjects(places.objects));
    await holder.bodies.recover();
    const kept = await holder.bodies.keep(pageOf("/a", Buffer.from("long")), Buffer.from("long"));
    assert.equal(!kept.ok && kept.error.code, "too-large");
    assert.equal(holder.bodies.mayHold("/a"), false);
    await holder.keep("/b", "b");
    assert.equal(await holder.read("/b"), "b");
  });

  it("belong to one crawl", async () => {
    using places = new Places();
    (await places.open({ crawl: "one", epoch: 1 }))[Symbol.dispose]();
    assert.throws(() => new Holder(places.into, places.objects, { crawl: "two", epoch: 2 }), /is of the crawl one/);
  });
});
