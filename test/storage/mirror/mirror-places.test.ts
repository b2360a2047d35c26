import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "../../../src/core/page.ts";
import { MirrorPlaces } from "../../../src/storage/mirror/mirror-places.ts";
import { recordOf } from "../../crawler/engine/published-site.ts";
import { fc } from "../../property.ts";
import { openMirror } from "./open-mirror.ts";

const page = (path: string, body: string): Page => recordOf(path, { body, mediaType: "text/html", lastModified: 5 });
const segment = fc.constantFrom(..."a b.html index.html A a. %3F .. ~tidemark-index".split(" "), "", "x".repeat(300));
const query = fc.constantFrom("", "", "", "?", "?q=1", "?a/b");
const path = fc
  .tuple(fc.array(segment, { minLength: 1, maxLength: 3 }), query)
  .map(([names, end]) => `/${names.join("/")}${end}`);
const step = fc.record({ path, isRemoved: fc.boolean() });

/** What a mirror holds after pages were kept and removed, each as it is known until then. */
async function checkSteps(
  steps: readonly { readonly path: string; readonly isRemoved: boolean }[],
  isSettled: boolean,
) {
  const held = new Map<string, string>();
  // What is not settled yet is not known as held.
  const settled = new Set<string>();
  using open = openMirror((one) => settled.has(one));
  const { bodies: mirror, root } = open;
  for (const [at, { path: one, isRemoved }] of steps.entries()) {
    if (isRemoved) {
      await mirror.remove(one);
      held.delete(one);
    } else {
      const body = `${one} ${at}`;
      const kept = await mirror.keep(page(one, body), Buffer.from(body));
      assert.ok(kept.ok, `${one}: ${kept.ok ? "" : kept.error.message}`);
      held.set(one, body);
    }
    if (isSettled) {
      if (isRemoved) settled.delete(one);
      else settled.add(one);
    }
    for (const [other, body] of held) assert.equal(mirror.read(other, 1e6)?.toString(), body, other);
  }
  const places = new MirrorPlaces(root);
  const names = [...held.keys()].map((one) => places.namesOf(one));
  assert.equal(new Set(names).size, held.size);
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.equal(files.length, held.size, "nothing is left of other pages");
}

describe("pages in a mirror", () => {
  for (const isSettled of [true, false])
    it(`have a file each, whatever came and went before, ${isSettled ? "remembered" : "not yet remembered"}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => await checkSteps(steps, isSettled)),
      );
    });

  it("have the names that a web server shows", async () => {
    using open = openMirror();
    const { bodies: mirror, root } = open;
    for (const one of ["/about", "/about/team", "/", "/docs/", "/s.css"]) {
      const kept = await mirror.keep(page(one, one), Buffer.from(one));
      assert.ok(kept.ok);
    }
    const names = readdirSync(root, { recursive: true }).map(String).sort();
    assert.equal(names.join(" "), "about about/index.html about/team docs docs/index.html index.html s.css");
    assert.ok(!existsSync(join(root, "~tidemark-index")));
  });
});

it("a page that stood in for another has the folder's index file once the other is gone", async () => {
  const held = new Set<string>();
  using open = openMirror((one) => held.has(one));
  const { bodies: mirror, root } = open;
  for (const one of ["/d/", "/d/index.html"]) {
    await mirror.keep(page(one, one), Buffer.from(one));
    held.add(one);
  }
  assert.equal(readdirSync(join(root, "d")).length, 2);
  await mirror.remove("/d/");
  held.delete("/d/");
  assert.deepEqual(readdirSync(join(root, "d")), ["index.html"]);
  assert.equal(mirror.read("/d/index.html", 100)?.toString(), "/d/index.html");
});
