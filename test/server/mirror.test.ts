import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { serveFolder } from "../../src/server/folder-server.ts";
import { Mirror } from "../../src/storage/mirror/mirror.ts";
import { MirrorPlaces } from "../../src/storage/mirror/mirror-places.ts";
import { recordOf } from "../crawler/engine/published-site.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { ask } from "./ask.ts";

const segment = fc.constantFrom("a", "b.css", "index.html", "A", "a.", "%C3%A9", "%2F", ".x", "%25", "x".repeat(300));
const end = fc.constantFrom("", "", "/", "?q=1", "?a/b");
const path = fc.tuple(fc.array(segment, { maxLength: 3 }), end).map(([names, last]) => `/${names.join("/")}${last}`);
const mediaType = fc.constantFrom("text/html", "text/css", "application/json");

it("each page of a mirror is shown under its URL, with its media type, whatever the others are called", async () => {
  const site = fc.dictionary(path, mediaType, { maxKeys: 12, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(site, async (pages) => {
      using temp = makeTempFolder();
      const folder = join(temp.path, "mirror");
      mkdirSync(join(temp.path, "temporary"));
      const mirror = new Mirror(folder, join(temp.path, "temporary"), (one) => pages[one] !== undefined);
      for (const one of Object.keys(pages)) {
        const page = recordOf(one, { body: one, mediaType: pages[one] ?? "", lastModified: 5 });
        assert.ok((await mirror.keep(page, Buffer.from(one))).ok);
      }
      const places = new MirrorPlaces(folder);
      const find = (one: string) => {
        const type = pages[one];
        return type === undefined ? undefined : { path: one, mediaType: type, names: places.namesOf(one) };
      };
      await using server = await serveFolder({ folder, pages: { find } });
      for (const [one, type] of Object.entries(pages)) {
        const answer = await ask(server, one);
        assert.deepEqual([answer.status, answer.headers["content-type"], answer.body], [200, type, one]);
      }
    }),
    { numRuns: 40 },
  );
});
