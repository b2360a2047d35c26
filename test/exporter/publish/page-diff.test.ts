import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExportEvent } from "../../../src/core/export-event.ts";
import {
  type CandidateDigest,
  type CandidateFile,
  type DiffOptions,
  type DigestMode,
  diffPage,
  digestModes,
  needsDigest,
} from "../../../src/exporter/publish/page-diff.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";

const second = 1_000_000;
/** When the file was written, when it was published, and when the scan of this test begins. */
const writtenUs = 1_700_000_000 * second;
const scanStartUs = 1_800_000_000 * second;
const publication = 1_800_000_000;

const oldDigest = "AAAAAAAAAAA";
const newDigest = "BBBBBBBBBBA";

function optionsFor(digestMode: DigestMode): DiffOptions {
  return { digestMode, publication, scanStartUs };
}

/** What was published: last modified a year before the file's own time, as after a redeploy of equal bytes. */
const before: PublishedPage = {
  path: "/a.html",
  sizeBytes: 100,
  mtimeUs: writtenUs,
  ctimeUs: writtenUs + second,
  lastModified: 1_600_000_000,
  mediaType: "text/html",
  digest: oldDigest,
  racy: false,
};

const unmoved: CandidateFile = {
  path: "/a.html",
  sizeBytes: 100,
  mtimeUs: before.mtimeUs,
  ctimeUs: before.ctimeUs,
  mediaType: "text/html",
};

/** Compares as an export would: the file's bytes are read only if that is asked for. */
function compare(
  mode: DigestMode,
  file: CandidateFile,
  remembered: PublishedPage | undefined,
  read: string | Exclude<CandidateDigest, { kind: "digested" }>,
) {
  const options = optionsFor(mode);
  const events: ExportEvent[] = [];
  const isRead = needsDigest(file, remembered, options);
  const digest: CandidateDigest | undefined = !isRead
    ? undefined
    : typeof read === "string"
      ? { kind: "digested", digest: read, sizeBytes: file.sizeBytes, mtimeUs: file.mtimeUs, ctimeUs: file.ctimeUs }
      : read;
  const diff = diffPage(file, remembered, digest, options, (event) => events.push(event));
  return { ...diff, isRead, events };
}

type Outcome = "created" | "updated" | "same" | "touched" | "remembered";

function outcomeOf(diff: ReturnType<typeof compare>): Outcome {
  if (diff.change !== undefined) return diff.change.kind as Outcome;
  if (diff.isTouched) return "touched";
  return diff.isRemembered ? "remembered" : "same";
}

const moved = { mtimeUs: writtenUs + 5 * second, ctimeUs: writtenUs + 6 * second };
const undigested = { digest: undefined };
const restored = { mtimeUs: 1_500_000_000 * second, ctimeUs: moved.ctimeUs };
const fresh = { mtimeUs: scanStartUs, ctimeUs: scanStartUs };

// A file, what was remembered of it, what its bytes digest to, and its outcome by mode (all, changed, none): `+` if it is read.
const rows: ReadonlyArray<
  readonly [string, Partial<CandidateFile>, Partial<PublishedPage> | undefined, string, string]
> = [
  ["a new file", {}, undefined, newDigest, "created+ created created"],
  ["a new file that is being written to", fresh, undefined, newDigest, "created+ created+ created"],
  ["an unmoved file", {}, {}, newDigest, "same same same"],
  ["other bytes, size and times", { ...moved, sizeBytes: 101 }, {}, newDigest, "updated+ updated+ updated"],
  ["a redeploy of equal bytes", moved, {}, oldDigest, "touched+ touched+ updated"],
  ["other bytes, and the old time put back", { ctimeUs: moved.ctimeUs }, {}, newDigest, "updated+ updated+ same"],
  ["a new owner or mode", { ctimeUs: moved.ctimeUs }, {}, oldDigest, "remembered+ remembered+ same"],
  ["other bytes within the tick of a racy look", {}, { racy: true }, newDigest, "updated+ updated+ same"],
  ["a racy look that turns out well", {}, { racy: true }, oldDigest, "remembered+ remembered+ same"],
  ["an unmoved file without a digest", {}, undigested, newDigest, "remembered+ same same"],
  ["a moved file without a digest", moved, undigested, newDigest, "updated+ updated+ updated"],
  ["a file restored from a backup", restored, {}, newDigest, "updated+ updated+ updated"],
];

for (const [name, file, known, digest, expected] of rows) {
  test(`${name}: ${expected}`, () => {
    const outcomes = digestModes.map((mode) => {
      const diff = compare(mode, { ...unmoved, ...file }, known && { ...before, ...known }, digest);
      assert.deepEqual(diff.events, []);
      return `${outcomeOf(diff)}${diff.isRead ? "+" : ""}`;
    });
    assert.equal(outcomes.join(" "), expected);
  });
}

test("equal bytes keep their last-modified, and the file's own times are remembered", () => {
  const { page } = compare("all", { ...unmoved, ...moved }, before, oldDigest);
  assert.deepEqual(page, { ...before, ...moved, stamp: undefined });
});

test("a time to come is published as of this export: with a warning, unless the file is written meanwhile", () => {
  const hour = 3600 * second;
  const { ctimeUs: old } = unmoved;
  for (const [mtimeUs, ctimeUs, lastModified, warnings] of [
    [1_234_567_890 * second + 999_999, old, 1_234_567_890, 0],
    [publication * second, old, publication, 0],
    [publication * second + 999_999, old, publication, 0],
    [(publication + 1) * second, old, publication, 1],
    [Number.MAX_SAFE_INTEGER, old, publication, 1],
    [999_999, old, 1, 0],
    [0, old, 1, 0],
    [scanStartUs + hour, scanStartUs + hour, publication, 0],
    [scanStartUs + hour, scanStartUs + hour + 1, publication, 0],
    [scanStartUs + hour + 1, scanStartUs + hour, publication, 1],
    [scanStartUs + 24 * hour, scanStartUs + 24 * hour, publication, 1],
  ] as const) {
    const { change, page, events } = compare("all", { ...unmoved, mtimeUs, ctimeUs }, undefined, newDigest);
    assert.ok(change?.kind === "created");
    assert.equal(change.page.lastModified, lastModified);
    assert.equal(page?.mtimeUs, mtimeUs, "remembered as it is, else the file would look touched each time");
    assert.deepEqual(
      events.map((event) => event.event === "warning" && event.code),
      Array(warnings).fill("future-mtime"),
    );
  }
});

test("a file is racy if it changed after the scan began, or a tick before: of whole seconds the tick is two", () => {
  const whole = Math.floor(scanStartUs / second) * second;
  for (const [ctimeUs, racy] of [
    [whole - 3 * second, false],
    [whole - second, true],
    [whole, true],
    [whole - second + 1, false],
    [scanStartUs - second - 1, false],
    [scanStartUs - 20_001, false],
    [scanStartUs - 20_000, true],
    [scanStartUs, true],
    [scanStartUs + second, true],
  ] as const) {
    for (const digest of [newDigest, oldDigest])
      assert.equal(compare("all", { ...unmoved, ctimeUs }, before, digest).page?.racy, racy, `${ctimeUs - whole}`);
    assert.equal(compare("none", { ...unmoved, ctimeUs, sizeBytes: 5 }, before, oldDigest).page?.racy, false);
  }
});

test("another inode or file system is another file: its bytes are read, and the digest decides", () => {
  const [old, other] = [
    { ...before, stamp: 1 },
    { ...unmoved, stamp: 2 },
  ];
  for (const mode of ["all", "changed"] as const) {
    const changed = compare(mode, other, old, newDigest);
    assert.ok(changed.isRead && changed.change?.kind === "updated");
    const same = compare(mode, other, old, oldDigest);
    assert.ok(same.isRead && same.change === undefined && !same.isTouched && same.isRemembered);
    assert.deepEqual(same.page, { ...old, stamp: 2 });
    // It is remembered: the next run reads nothing.
    assert.ok(!compare(mode, other, same.page, newDigest).isRead);
    // Without a digest to compare with, times and size are all that is known: it is the same page.
    const undigested = compare(mode, other, { ...old, digest: undefined }, newDigest);
    assert.ok(undigested.change === undefined && undigested.page?.digest === newDigest);
  }
  assert.ok(!compare("none", other, old, newDigest).isRead);
});

test("what an earlier version remembered has no stamp: nothing is read, and the stamp is remembered", () => {
  const { isRead, page, change, isTouched, isRemembered } = compare("all", { ...unmoved, stamp: 7 }, before, newDigest);
  assert.deepEqual([isRead, change, isTouched, isRemembered], [false, undefined, false, true]);
  assert.deepEqual(page, { ...before, stamp: 7 });
  assert.equal(compare("all", { ...unmoved, stamp: 7 }, page, newDigest).isRemembered, false);
});

test("what is published is what was read, not what was listed", () => {
  const digest: CandidateDigest = {
    kind: "digested",
    digest: newDigest,
    sizeBytes: 777,
    mtimeUs: moved.mtimeUs,
    ctimeUs: moved.ctimeUs,
  };
  const { change, page } = diffPage(unmoved, undefined, digest, optionsFor("all"), () => undefined);
  assert.ok(change?.kind === "created");
  assert.equal(change.page.sizeBytes, 777);
  assert.equal(change.page.lastModified, Math.floor(moved.mtimeUs / second));
  assert.equal(page?.mtimeUs, moved.mtimeUs);
});

test("a file that vanishes before it is read is deleted if it was published", () => {
  const known = compare("all", { ...unmoved, ...moved }, before, { kind: "vanished" });
  assert.deepEqual(known.change, { kind: "deleted", path: "/a.html" });
  assert.equal(known.page, undefined);
  const fresh = compare("all", unmoved, undefined, { kind: "vanished" });
  assert.equal(fresh.change, undefined);
  assert.equal(fresh.page, undefined);
});

test("a file that may not be read any more is withheld, and deleted if it was published", () => {
  for (const code of ["EACCES", "EPERM"]) {
    const diff = compare("all", { ...unmoved, ...moved }, before, { kind: "unreadable", code, message: "no" });
    assert.deepEqual(diff.change, { kind: "deleted", path: "/a.html" });
    assert.deepEqual(diff.events, [{ event: "withheld", path: "/a.html", rule: "unreadable" }]);
  }
});

test("a file that cannot be read to its end stays as it was published, and is looked at again", () => {
  for (const [read, event] of [
    [{ kind: "unreadable", code: "EIO", message: "bad disk" }, "item-error"],
    [{ kind: "unstable" }, "warning"],
  ] as const) {
    const known = compare("all", { ...unmoved, ...moved }, before, read);
    assert.equal(known.change, undefined);
    assert.deepEqual(known.page, { ...before, racy: true });
    assert.equal(known.events[0]?.event, event);
    const fresh = compare("all", unmoved, undefined, read);
    assert.equal(fresh.change, undefined);
    assert.equal(fresh.page, undefined);
    // Next time, nothing having moved, the bytes are read.
    assert.ok(needsDigest(unmoved, known.page, optionsFor("all")));
  }
});

const policy = { fingerprint: 5, appliesTo: (mediaType: string) => mediaType === "text/html", significant: undefined };
const covered: PublishedPage = {
  ...before,
  digest: undefined,
  mark: { rules: 5, cover: { bytesDigest: oldDigest, contentDigest: "CCCCCCCCCCA", sketch: undefined } },
};

test("with rules, a page without a mark of theirs is read, and what they do not apply to is not", () => {
  const options = { ...optionsFor("all"), content: policy };
  assert.ok(needsDigest(unmoved, before, options));
  assert.ok(!needsDigest(unmoved, covered, options));
  assert.ok(needsDigest(unmoved, covered, { ...options, content: { ...policy, fingerprint: 6 } }));
  assert.ok(needsDigest(unmoved, covered, optionsFor("all")), "rules that are given up leave no cover behind");
  const image = { mediaType: "image/png" };
  assert.ok(!needsDigest({ ...unmoved, ...image }, { ...before, ...image }, options));
});

test("marks of other rules are not compared: equal bytes stay, other bytes are a change", () => {
  const options = { ...optionsFor("all"), content: policy };
  const read = (digest: string, contentDigest: string, remembered: PublishedPage) => {
    const mark = { rules: 5, cover: { bytesDigest: digest, contentDigest, sketch: undefined } };
    const { sizeBytes, mtimeUs, ctimeUs } = unmoved;
    const found: CandidateDigest = { kind: "digested", digest, sizeBytes, mtimeUs, ctimeUs, content: { mark } };
    return diffPage(unmoved, remembered, found, options, () => undefined);
  };
  const foreign = { ...covered, mark: { ...covered.mark, rules: 6, cover: covered.mark?.cover } };
  assert.equal(read(oldDigest, "DDDDDDDDDDA", foreign).change, undefined);
  assert.equal(read(oldDigest, "DDDDDDDDDDA", foreign).page?.mark?.cover?.contentDigest, "DDDDDDDDDDA");
  assert.equal(read(newDigest, "CCCCCCCCCCA", foreign).change?.kind, "updated");
  assert.equal(read(newDigest, "CCCCCCCCCCA", covered).change, undefined);
  assert.equal(read(newDigest, "DDDDDDDDDDA", covered).change?.kind, "updated");
  assert.equal(read(oldDigest, "CCCCCCCCCCA", before).isWithdrawn, true);
  assert.equal(read(newDigest, oldDigest, before).change?.kind, "updated", "its digest was a promise");
});
