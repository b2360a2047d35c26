import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HeldBody, PageTrouble, TrackedUrl } from "../../../../src/core/tracked-url.ts";
import { dueAgain, judgePage, type PageFinding } from "../../../../src/crawler/engine/pipeline/page-judgement.ts";

const now = 1_000_000;
const hours = 3600;
const days = 24 * hours;
const record = { path: "/a", sizeBytes: 3, lastModified: 5, mediaType: "text/html", digest: "AAAAAAAAAAA" };
const other = { ...record, sizeBytes: 9, digest: "BBBBBBBBBBA" };
const answer = { digest: "", validators: {}, isInsignificant: false } as const;
const body = (agrees: boolean): PageFinding => ({ kind: "body", page: agrees ? record : other, agrees, ...answer });
const unmodified: PageFinding = { kind: "unmodified", page: undefined, agrees: true, validators: { etag: "2" } };
const gone = (final: boolean): PageFinding => ({ kind: "gone", final });
const trouble = (name: "refused" | "unavailable" | "disallowed" | "mirror"): PageFinding => ({
  kind: "trouble",
  trouble: name,
  message: "why",
});

const barred: PageFinding = { kind: "trouble", trouble: "unavailable", message: "why", leadsToDisallowed: true };

/** Trouble, attempts, and when the first of them was. */
type Before = readonly [PageTrouble, number, since?: number] | undefined;

function postponedOf(before: Before): TrackedUrl["postponed"] {
  if (before === undefined) return undefined;
  const [trouble, attempts, since] = before;
  return { trouble, attempts, ...(since === undefined ? {} : { since }) };
}

function urlOf(before: Before, more: Partial<TrackedUrl> = {}): TrackedUrl {
  const nothing = {
    lastmod: undefined,
    askedLastmod: undefined,
    askedAt: undefined,
    checkedAt: undefined,
    fullAt: 7,
    interval: undefined,
  };
  const flags = { isUnconfirmed: false, hasUnreadLinks: false, rank: 0, history: [], validators: { etag: "1" } };
  const postponed = postponedOf(before);
  const known = { id: 1, path: "/a", depth: 0, dueAt: 0, announced: undefined, held: undefined, postponed };
  return { ...nothing, ...flags, ...known, ...more };
}

/** What is reported: what is stored, and when it is due. */
function summarize(url: TrackedUrl, finding: PageFinding, isKept?: boolean): string {
  const { settlement, outcome } = judgePage(url, finding, now, isKept);
  const postponed = "postponed" in settlement ? settlement.postponed : undefined;
  const rest = postponed === undefined ? "done" : `${postponed.state} ${postponed.trouble} ${postponed.attempts}`;
  const waitSeconds = settlement.dueAt === 0 ? 0 : settlement.dueAt - now;
  const wait = waitSeconds > 1 ? ` in ${waitSeconds / hours} h` : "";
  return `${outcome}: ${settlement.kind}, ${rest}${url.announced === undefined ? wait : ""}`;
}

describe("an announced page", () => {
  const rows: readonly [string, Before, PageFinding, string][] = [
    ["keeps a body as recorded", undefined, body(true), "created: answered, done"],
    ["keeps a body that differs and asks again", undefined, body(false), "differs: answered, due differs 1"],
    ["asks again a second time for yet another body", ["differs", 1], body(false), "differs: answered, due differs 2"],
    ["accepts a body that differs on the third visit", ["differs", 2], body(false), "differs: answered, done"],
    ["forgets the trouble when the body agrees", ["differs", 2], body(true), "created: answered, done"],
    ["keeps what is held after a first 404", undefined, gone(false), "failed: postponed, due gone 1"],
    ["deletes after three visits of 404 in two days", ["gone", 2, now - 2 * days], gone(false), "gone: removed, done"],
    [
      "keeps what is held after visits of 404 in less than two days",
      ["gone", 9, now - 2 * days + 1],
      gone(false),
      "failed: postponed, due gone 10",
    ],
    ["counts 404 in a row only", ["unavailable", 2], gone(false), "failed: postponed, due gone 1"],
    ["deletes after one 410", undefined, gone(true), "gone: removed, done"],
    ["asks again after a refusal", ["refused", 1], trouble("refused"), "failed: postponed, due refused 2"],
    [
      "parks after three refusals in two days",
      ["refused", 2, now - 2 * days],
      trouble("refused"),
      "failed: postponed, parked refused 3",
    ],
    [
      "asks again after three refusals in less",
      ["refused", 2, now - days],
      trouble("refused"),
      "failed: postponed, due refused 3",
    ],
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
      "never parks for a redirect to a disallowed page",
      ["unavailable", 9],
      barred,
      "disallowed: postponed, due unavailable 10",
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
      { kind: "adopted", page: record },
      "undefined: answered, done",
    ],
  ];
  for (const [what, before, finding, expected] of rows)
    it(what, () => assert.equal(summarize(urlOf(before, { announced: record }), finding), expected));

  it("is deleted when the site withdrew it", () => {
    const withdrawn = { kind: "withdrawn", reason: "published" } as const;
    assert.equal(summarize(urlOf(undefined, { held: record }), withdrawn), "deleted: removed, done");
    assert.equal(summarize(urlOf(undefined), withdrawn), "undefined: removed, done");
  });

  const judge = (before: Before, held: HeldBody, finding: PageFinding) =>
    judgePage(urlOf(before, { announced: record, held: { ...record, ...held } }), finding, now);

  it("whose body differs in the same way twice is accepted, with what was served", () => {
    const { sizeBytes, digest } = other;
    const again = judge(["differs", 1], { sizeBytes, digest }, body(false));
    assert.equal(again.outcome, "unchanged");
    const { settlement } = again;
    assert.ok(settlement.kind === "answered" && settlement.isAccepted === true);
    assert.deepEqual([settlement.page, settlement.postponed], [other, undefined]);
    // The body may have been held before its record came.
    assert.equal(judge(undefined, { sizeBytes, digest }, body(false)).outcome, "differs");
    assert.equal(judge(["differs", 1], { sizeBytes: 8, digest }, body(false)).outcome, "differs");
  });

  it("that was held is updated, also with its record if its bytes are the same", () => {
    assert.equal(judge(undefined, { sizeBytes: 1, digest: "CCCCCCCCCCA" }, body(true)).outcome, "updated");
    const { settlement, outcome, hasChanged } = judge(undefined, record, { ...unmodified, page: record, agrees: true });
    assert.equal(outcome, "unchanged");
    assert.ok(settlement.kind === "answered");
    assert.deepEqual([settlement.page, settlement.validators, settlement.fullAt], [record, { etag: "2" }, 7]);
    // It says nothing of how often the page changes.
    assert.equal(hasChanged, undefined);
  });

  it("that is adopted keeps the validators of the same body only", () => {
    const adopted = { kind: "adopted", page: record } as const;
    const of = (held: HeldBody) => {
      const { settlement } = judge(undefined, held, adopted);
      return settlement.kind === "answered" && [settlement.validators, settlement.fullAt, settlement.askedAt];
    };
    assert.deepEqual(of(record), [{ etag: "1" }, 7, undefined]);
    assert.deepEqual(of(other), [{}, undefined, undefined]);
  });
});

describe("a polled page", () => {
  const held = { held: record };
  const rows: readonly [string, Partial<TrackedUrl>, Before, PageFinding, string][] = [
    ["is created", {}, undefined, body(true), "created: answered, done"],
    ["is updated", { held: other }, undefined, body(true), "updated: answered, done"],
    ["is unchanged if its bytes are", held, undefined, body(true), "unchanged: answered, done"],
    ["is unchanged after 304", held, undefined, unmodified, "unchanged: answered, done"],
    ["is not there after a first 404", {}, undefined, gone(false), "undefined: removed, done in 720 h"],
    ["stays after a first 404 if it is held", held, undefined, gone(false), "failed: postponed, due gone 1"],
    [
      "is deleted after three visits of 404 in two days",
      held,
      ["gone", 2, now - 2 * days],
      gone(false),
      "gone: removed, done in 720 h",
    ],
    [
      "stays after three visits of 404 in less, and waits 6 hours",
      held,
      ["gone", 2, now - 2 * hours],
      gone(false),
      "failed: postponed, due gone 3 in 6 h",
    ],
    [
      "stays after two visits of 404, however long they take",
      held,
      ["gone", 1, now - 9 * days],
      gone(false),
      "failed: postponed, due gone 2",
    ],
    [
      "stays where an earlier version did not save when it began",
      held,
      ["gone", 2],
      gone(false),
      "failed: postponed, due gone 3 in 6 h",
    ],
    ["is deleted after one 410", held, undefined, gone(true), "gone: removed, done in 720 h"],
    ["leads elsewhere", {}, undefined, { kind: "alias" }, "undefined: alias, done in 720 h"],
    ["stays if it redirects", held, undefined, { kind: "alias" }, "undefined: postponed, due moved 1"],
    [
      "moves on the third visit in two days",
      held,
      ["moved", 2, now - 2 * days],
      { kind: "alias" },
      "gone: removed, done in 720 h",
    ],
    [
      "stays if it redirects in three visits in less",
      held,
      ["moved", 2, now - 2 * hours],
      { kind: "alias" },
      "undefined: postponed, due moved 3 in 6 h",
    ],
    [
      "is requested in the next visit",
      held,
      ["unavailable", 1],
      trouble("unavailable"),
      "failed: postponed, due unavailable 2",
    ],
    ["waits 6 hours", held, ["unavailable", 2], trouble("unavailable"), "failed: postponed, due unavailable 3 in 6 h"],
    ["then 12", held, ["unavailable", 3], trouble("unavailable"), "failed: postponed, due unavailable 4 in 12 h"],
    [
      "and a week at most",
      held,
      ["unavailable", 90],
      trouble("unavailable"),
      "failed: postponed, due unavailable 91 in 168 h",
    ],
    [
      "waits 90 days after three refusals in two days",
      held,
      ["refused", 2, now - 2 * days],
      trouble("refused"),
      "failed: postponed, due refused 3 in 2160 h",
    ],
    [
      "waits a week at most after redirects to a disallowed page",
      held,
      ["unavailable", 90],
      barred,
      "disallowed: postponed, due unavailable 91 in 168 h",
    ],
    [
      "waits 6 hours after three refusals in less",
      held,
      ["refused", 2, now - 2 * hours],
      trouble("refused"),
      "failed: postponed, due refused 3 in 6 h",
    ],
    ["waits for robots.txt", held, undefined, trouble("disallowed"), "disallowed: postponed, disallowed disallowed 1"],
  ];
  for (const [what, more, before, finding, expected] of rows)
    it(what, () => assert.equal(summarize(urlOf(before, more), finding), expected));

  it("that is too large waits 90 days after three visits, however soon they come", () => {
    const finding: PageFinding = { kind: "trouble", trouble: "refused", message: "why", isTooLarge: true };
    const expected = "failed: postponed, due refused 3 in 2160 h";
    assert.equal(summarize(urlOf(["refused", 2], held), finding), expected);
  });

  it("that a killed visit kept is not deleted after a first 404", () => {
    assert.equal(summarize(urlOf(undefined), gone(false), true), "failed: postponed, due gone 1");
  });

  it("says what is evidence of change", () => {
    const changed = (more: Partial<TrackedUrl>, finding: PageFinding) =>
      judgePage(urlOf(undefined, more), finding, now).hasChanged;
    const slight: PageFinding = { kind: "body", page: record, agrees: true, ...answer, isInsignificant: true };
    assert.deepEqual(
      [changed({ held: other }, body(true)), changed({ held: other }, slight), changed(held, body(true))],
      [true, false, false],
    );
    assert.deepEqual([changed({}, body(true)), changed(held, trouble("unavailable"))], [false, undefined]);
  });

  it("that is of an unwanted type holds nothing and has links", () => {
    const finding: PageFinding = { kind: "body", page: undefined, agrees: true, ...answer };
    const { settlement, outcome } = judgePage(urlOf(undefined), finding, now);
    assert.deepEqual([settlement.kind === "answered" && settlement.isLinkOnly, outcome], [true, undefined]);
  });
});

describe("a start page", () => {
  const dueAfter = (before: Before, more: Partial<TrackedUrl>, finding: PageFinding, leadsOn: boolean): string => {
    const { settlement } = dueAgain(judgePage(urlOf(before, more), finding, now), now, leadsOn);
    const { trouble = "none", attempts = 0 } = ("postponed" in settlement ? settlement.postponed : undefined) ?? {};
    return `${settlement.kind} ${trouble} ${attempts} in ${settlement.dueAt - now} s`;
  };

  it("that is not held is due in the next visit, and comes before planned polls if others are found from it", () => {
    assert.equal(dueAfter(undefined, {}, gone(false), true), "removed gone 1 in 1 s");
    assert.equal(dueAfter(["gone", 7], {}, gone(true), true), "removed gone 8 in 1 s");
    assert.equal(dueAfter(undefined, {}, gone(false), false), "removed none 0 in 1 s");
    const long = ["refused", 9, now - 9 * days] as const;
    assert.equal(dueAfter(long, {}, trouble("refused"), false), "postponed refused 10 in 1 s");
    assert.equal(dueAfter(["unavailable", 9], {}, trouble("unavailable"), true), "postponed unavailable 10 in 1 s");
  });

  it("that redirects is due in the next visit if others are found from it", () => {
    assert.equal(dueAfter(undefined, {}, { kind: "alias" }, true), "alias none 0 in 1 s");
    assert.equal(dueAfter(undefined, {}, { kind: "alias" }, false), `alias none 0 in ${30 * days} s`);
  });

  it("that is held waits like any other, until it is removed", () => {
    const held = { held: record };
    const long = (name: PageTrouble) => [name, 9, now - 9 * days] as const;
    assert.equal(dueAfter(long("refused"), held, trouble("refused"), true), `postponed refused 10 in ${90 * days} s`);
    assert.equal(dueAfter(long("gone"), held, gone(false), true), "removed gone 10 in 1 s");
    assert.equal(dueAfter(long("moved"), held, { kind: "alias" }, true), "removed moved 10 in 1 s");
  });
});
