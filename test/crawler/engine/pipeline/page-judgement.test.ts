import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FetchItem, PageTrouble } from "../../../../src/core/work-item.ts";
import { judgePage, type PageFinding } from "../../../../src/crawler/engine/pipeline/page-judgement.ts";

const page = { path: "/a", sizeBytes: 3, lastModified: 5, mediaType: "text/html", digest: "AAAAAAAAAAA" };
const body = (agrees: boolean): PageFinding => ({ kind: "body", sizeBytes: 9, digest: "BBBBBBBBBBA", agrees });
const trouble = (name: "refused" | "unavailable" | "disallowed" | "mirror"): PageFinding => ({
  kind: "trouble",
  trouble: name,
  message: "why",
});

function item(before: [PageTrouble, number] | undefined, isHeld = false): FetchItem {
  const held = isHeld ? { sizeBytes: 1, digest: "CCCCCCCCCCA" } : undefined;
  return {
    kind: "fetch",
    page,
    held,
    postponed: before === undefined ? undefined : { trouble: before[0], attempts: before[1] },
  };
}

function summarize(before: [PageTrouble, number] | undefined, finding: PageFinding): string {
  const { settlement, outcome } = judgePage(item(before), finding);
  const postponed = settlement.kind === "removed" ? undefined : settlement.postponed;
  const rest = postponed === undefined ? "done" : `${postponed.state} ${postponed.trouble} ${postponed.attempts}`;
  return `${outcome}: ${settlement.kind}, ${rest}`;
}

describe("judgePage", () => {
  const rows: readonly [string, [PageTrouble, number] | undefined, PageFinding, string][] = [
    ["keeps a body as recorded", undefined, body(true), "created: kept, done"],
    ["keeps a body that differs and asks again", undefined, body(false), "differs: kept, due differs 1"],
    ["asks again a second time for yet another body", ["differs", 1], body(false), "differs: kept, due differs 2"],
    ["accepts a body that differs on the third visit", ["differs", 2], body(false), "differs: kept, done"],
    ["forgets the trouble when the body agrees", ["differs", 2], body(true), "created: kept, done"],
    [
      "keeps what is held after a first 404",
      undefined,
      { kind: "gone", final: false },
      "failed: postponed, due gone 1",
    ],
    ["deletes after three visits of 404", ["gone", 2], { kind: "gone", final: false }, "gone: removed, done"],
    ["counts 404 in a row only", ["unavailable", 2], { kind: "gone", final: false }, "failed: postponed, due gone 1"],
    ["deletes after one 410", undefined, { kind: "gone", final: true }, "gone: removed, done"],
    ["asks again after a refusal", ["refused", 1], trouble("refused"), "failed: postponed, due refused 2"],
    ["parks after three refusals", ["refused", 2], trouble("refused"), "failed: postponed, parked refused 3"],
    [
      "never parks for an error of the server",
      ["unavailable", 9],
      trouble("unavailable"),
      "failed: postponed, due unavailable 10",
    ],
    [
      "waits for robots.txt to change",
      undefined,
      trouble("disallowed"),
      "disallowed: postponed, disallowed disallowed 1",
    ],
    [
      "parks what has no place after three visits",
      ["mirror", 2],
      trouble("mirror"),
      "failed: postponed, parked mirror 3",
    ],
    [
      "takes over a body that is there without telling",
      undefined,
      { kind: "adopted", sizeBytes: page.sizeBytes, digest: page.digest },
      "undefined: kept, done",
    ],
  ];
  for (const [what, before, finding, expected] of rows)
    it(what, () => assert.equal(summarize(before, finding), expected));

  it("accepts a body that differs in the same way twice, and remembers for which record", () => {
    const held = { sizeBytes: 9, digest: "BBBBBBBBBBA" };
    const again = judgePage({ ...item(["differs", 1]), held }, body(false));
    assert.equal(again.outcome, "unchanged");
    assert.deepEqual(again.settlement, { kind: "kept", page: { ...page, ...held }, acceptedFor: page });
    // The body may have been held before its record came.
    assert.equal(judgePage({ ...item(undefined), held }, body(false)).outcome, "differs");
    assert.equal(
      judgePage({ ...item(["differs", 1]), held: { ...held, sizeBytes: 8 } }, body(false)).outcome,
      "differs",
    );
  });

  it("calls a page that was held updated", () => {
    assert.equal(judgePage(item(undefined, true), body(true)).outcome, "updated");
  });

  it("remembers the size and digest of what came, not of what was promised", () => {
    const { settlement } = judgePage(item(undefined), body(false));
    assert.deepEqual(settlement.kind === "kept" && settlement.page, { ...page, sizeBytes: 9, digest: "BBBBBBBBBBA" });
  });
});
