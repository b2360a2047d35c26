import assert from "node:assert/strict";
import { test } from "node:test";
import { diffListedPage, type ListedCandidate } from "../../../src/exporter/publish/listed-diff.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import { fc } from "../../property.ts";

const publication = 2000;
const [oldDigest, newDigest] = ["AAAAAAAAAAA", "BBBBBBBBBBA"];

function says(facts: Partial<ListedCandidate> = {}): ListedCandidate {
  return {
    path: "/a",
    sizeBytes: undefined,
    lastModified: undefined,
    mediaType: undefined,
    digest: undefined,
    defaultType: "text/html",
    ...facts,
  };
}

function diff(facts: Partial<ListedCandidate>, before?: PublishedPage, at = publication) {
  return diffListedPage(says(facts), before, at);
}

// What was said first, what is said next, and what becomes of it: the change, and the last-modified that is published.
const rows: ReadonlyArray<
  readonly [string, Partial<ListedCandidate>, Partial<ListedCandidate>, "updated" | undefined, number]
> = [
  ["nothing is said but the URL", {}, {}, undefined, 2000],
  ["the same time", { lastModified: 500 }, { lastModified: 500 }, undefined, 500],
  ["a newer time", { lastModified: 500 }, { lastModified: 600 }, "updated", 600],
  ["an older time, as of a page that was restored", { lastModified: 500 }, { lastModified: 400 }, "updated", 400],
  ["no time any more", { lastModified: 500 }, {}, undefined, 500],
  ["a time in the future, said again", { lastModified: 9999 }, { lastModified: 9999 }, undefined, 2000],
  ["a first time, older than its publication", {}, { lastModified: 500 }, undefined, 2000],
  ["a first time, newer", {}, { lastModified: 2500 }, "updated", 2500],
  ["another size", { sizeBytes: 5 }, { sizeBytes: 6 }, "updated", 3000],
  [
    "another size of the old time",
    { sizeBytes: 5, lastModified: 500 },
    { sizeBytes: 6, lastModified: 500 },
    "updated",
    3000,
  ],
  ["a first size", {}, { sizeBytes: 6 }, undefined, 2000],
  ["no size any more", { sizeBytes: 5 }, {}, undefined, 2000],
  [
    "another digest",
    { digest: oldDigest, lastModified: 500 },
    { digest: newDigest, lastModified: 700 },
    "updated",
    700,
  ],
  [
    "an equal digest at another time",
    { digest: oldDigest, lastModified: 500 },
    { digest: oldDigest, lastModified: 700 },
    undefined,
    500,
  ],
  ["a first digest", { lastModified: 500 }, { lastModified: 500, digest: newDigest }, undefined, 500],
  ["another media type", { mediaType: "text/css" }, { mediaType: "text/html" }, undefined, 2000],
];

for (const [what, first, next, change, lastModified] of rows) {
  test(`a listed page of which is said ${what} is ${change ?? "not changed"}`, () => {
    const created = diff(first);
    assert.equal(created.change, "created");
    const second = diff(next, created.page, 3000);
    assert.equal(second.change, change);
    assert.equal(second.page.lastModified, lastModified);
    const third = diff(next, second.page, 4000);
    assert.equal(third.change, undefined);
    assert.equal(third.isRemembered, false);
    assert.deepEqual(third.page, second.page);
  });
}

test("a file that becomes a listed page is the same page while nothing says otherwise", () => {
  const file: PublishedPage = {
    path: "/a",
    sizeBytes: 5,
    mtimeUs: 1_000_000_123,
    ctimeUs: 1_000_000_456,
    lastModified: 1000,
    mediaType: "text/plain",
    digest: oldDigest,
    racy: true,
  };
  assert.equal(diff({}, file).change, undefined);
  assert.equal(diff({ lastModified: 900 }, file).change, undefined);
  assert.equal(diff({ digest: oldDigest, lastModified: 1900 }, file).change, undefined);
  assert.equal(diff({ digest: newDigest }, file).change, "updated");
  assert.equal(diff({ sizeBytes: 6 }, file).change, "updated");
  assert.deepEqual(diff({}, file).page, { ...file, mtimeUs: 0, ctimeUs: 0, racy: false });
});

test("whatever was said before, what is said again changes nothing, and no last-modified is in the future", () => {
  const times = fc.option(fc.integer({ min: 0, max: 9000 }), { nil: undefined });
  const candidate = fc.record(
    {
      path: fc.constant("/a"),
      sizeBytes: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      lastModified: times,
      mediaType: fc.option(fc.constantFrom("text/html", "text/css"), { nil: undefined }),
      digest: fc.option(fc.constantFrom(oldDigest, newDigest), { nil: undefined }),
      defaultType: fc.constant("text/html"),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(candidate, { minLength: 1, maxLength: 8 }), (said) => {
      let before: PublishedPage | undefined;
      for (const [at, now] of said.entries()) {
        const once = diffListedPage(now, before, publication + at);
        assert.ok(once.page.lastModified >= 1 && once.page.lastModified <= publication + at);
        assert.equal(once.change === "created", before === undefined);
        const again = diffListedPage(now, once.page, publication + at);
        assert.deepEqual([again.change, again.isRemembered, again.page], [undefined, false, once.page]);
        before = once.page;
      }
    }),
  );
});
