import assert from "node:assert/strict";
import { it } from "node:test";
import { serveFolder } from "../../src/server/folder-server.ts";
import { MirrorPlaces } from "../../src/storage/mirror/mirror-places.ts";
import { recordOf } from "../crawler/engine/published-site.ts";
import { fc } from "../property.ts";
import { openMirror } from "../storage/mirror/open-mirror.ts";
import { ask } from "./ask.ts";

const segment = fc.constantFrom("a", "b.css", "index.html", "A", "a.", "%C3%A9", "%2F", ".x", "%25", "x".repeat(300));
const end = fc.constantFrom("", "", "/", "?q=1", "?a/b");
const path = fc.tuple(fc.array(segment, { maxLength: 3 }), end).map(([names, last]) => `/${names.join("/")}${last}`);
const mediaType = fc.constantFrom("text/html", "text/css", "application/json");

it("each page of a mirror is shown under its URL, with its media type, whatever the others are called", async () => {
  const site = fc.dictionary(path, mediaType, { maxKeys: 12, noNullPrototype: true });
  await fc.assert(
    fc.asyncProperty(site, async (pages) => {
      using open = openMirror((one) => pages[one] !== undefined);
      const { bodies: mirror, root: folder } = open;
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
