import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "../../src/core/page.ts";
import type { Bodies } from "../../src/core/ports.ts";
import type { HeldBody } from "../../src/core/tracked-url.ts";
import { nodeCodec } from "../../src/http/index.ts";
import { FolderObjects } from "../../src/storage/objects/folder-objects.ts";
import type { Keeping, SiteStore } from "../../src/storage/state/keeping.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";

const origin = "https://example.org";
const { decode } = nodeCodec;

const objects = makeTempFolder("objects");

/** The adapters of the port, and whether what is kept can be read back without the store. */
const adapters: readonly (Keeping & { readonly readsBack: boolean })[] = [
  { kind: "mirror", readsBack: true },
  { kind: "warc", info: {}, clock: () => 1_800_000_000_000, decode, readsBack: false },
  { kind: "callback", taker: { take: () => undefined, drop: () => undefined }, readsBack: false },
  { kind: "metadata", readsBack: false },
  { kind: "objects", store: new FolderObjects(objects.path), readsBack: true },
];

after(() => objects[Symbol.dispose]());

function pageOf(path: string, body: Uint8Array): Page & HeldBody {
  const digest = nodeCodec.digestOf(body);
  return { path, sizeBytes: body.length, digest, lastModified: 1_000_000_000, mediaType: "text/html" };
}

const body = Buffer.from("<p>a body");
const page = pageOf("/a.html", body);

for (const { readsBack, ...keeping } of adapters)
  describe(`bodies: ${keeping.kind}`, () => {
    class Opened implements Disposable {
      readonly temp: TempFolder = makeTempFolder();
      readonly store = openStore({ into: this.temp.path });
      readonly site: SiteStore = this.store.openSite(origin, keeping);
      readonly bodies: Bodies = this.site.bodies;

      [Symbol.dispose](): void {
        this.store[Symbol.dispose]();
        this.temp[Symbol.dispose]();
      }
    }

    it("holds nothing that was never kept", async () => {
      using opened = new Opened();
      const { bodies } = opened;
      assert.deepEqual(
        [bodies.adopt(page), bodies.mayHold("/a.html"), await bodies.read("/a.html", 1000)],
        [undefined, false, undefined],
      );
      await bodies.remove("/a.html", "gone");
      await bodies.flush();
    });

    it("adopts a kept body for its record and for no other", async () => {
      using opened = new Opened();
      const { bodies } = opened;
      assert.ok((await bodies.keep(page, body)).ok);
      await bodies.flush();
      const other = pageOf("/a.html", Buffer.from("<p>other"));
      const wanted = readsBack ? { sizeBytes: page.sizeBytes, digest: page.digest } : undefined;
      assert.deepEqual([bodies.adopt(page), bodies.adopt(other)], [wanted, undefined]);
    });

    it("reads back what it keeps, the newest, up to a bound", async () => {
      using opened = new Opened();
      const { bodies } = opened;
      const newer = Buffer.from("<p>a newer body");
      for (const each of [body, newer]) assert.ok((await bodies.keep(pageOf("/a.html", each), each)).ok);
      const read = await bodies.read("/a.html", newer.length);
      assert.equal(read && Buffer.from(read).toString(), readsBack ? newer.toString() : undefined);
      assert.equal(await bodies.read("/a.html", newer.length - 1), undefined);
    });

    it("takes a large body piece by piece, and drops one that is discarded", async () => {
      using opened = new Opened();
      const { bodies } = opened;
      const dropped = bodies.open();
      dropped.write(Buffer.from("half"));
      assert.equal(Buffer.from(dropped.read()).toString(), "half");
      dropped.discard();
      const writer = bodies.open();
      for (const piece of ["<p>a ", "body"]) writer.write(Buffer.from(piece));
      assert.equal(Buffer.from(writer.read()).toString(), body.toString());
      assert.ok((await bodies.keep(page, writer)).ok);
      writer.discard();
      await bodies.flush();
      assert.equal((await bodies.read("/a.html", 1000)) !== undefined, readsBack);
    });

    it("has nothing left of a body that was removed", async () => {
      using opened = new Opened();
      const { bodies } = opened;
      assert.ok((await bodies.keep(page, body)).ok);
      await bodies.remove("/a.html", "gone");
      await bodies.flush();
      assert.deepEqual(
        [bodies.adopt(page), bodies.mayHold("/a.html"), await bodies.read("/a.html", 1000)],
        [undefined, false, undefined],
      );
    });
  });
