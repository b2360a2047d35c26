import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type ErrorCode, TidemarkError } from "../../src/core/error.ts";
import { readKeyPaths } from "../../src/exporter/site-key.ts";
import { longer } from "../long-run.ts";
import type { Misdeed } from "./index-now-server.ts";
import { stepsOf, ToldSite } from "./told-site.ts";

const fails = (code: ErrorCode) => (error: unknown) =>
  error instanceof TidemarkError && error.code === code && error.hint !== undefined;
const key = "0123456789abcdef-KEY";

/** A site with pages that has been told of once. */
async function openFollowed(): Promise<ToldSite> {
  const told = await ToldSite.open();
  await told.publish({ "a.html": "1", "b.html": "1", "c/d e.html": "1" });
  await told.tell();
  return told;
}

describe("tellIndexNow", () => {
  it("tells nothing at first, then what was created, updated and deleted, and nothing twice", async () => {
    await using told = await ToldSite.open();
    await told.publish({ "a.html": "1", "b.html": "1" });
    const first = await told.tell();
    assert.deepEqual([stepsOf(first), first.summary.calls], [["begun"], 0]);
    await told.publish({ "a.html": "2", "b.html": undefined, "c/d e[1].html": "1" });
    const second = await told.tell();
    assert.deepEqual(told.engine.takeAccepted(), ["/a.html", "/b.html", "/c/d%20e%5B1%5D.html"]);
    const { told: count, refused, pending, calls, keyLocation } = second.summary;
    assert.deepEqual([count, refused, pending, calls], [3, 0, 0, 1]);
    assert.match(keyLocation, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\.txt$/);
    assert.deepEqual((await told.tell()).summary, { ...second.summary, told: 0, calls: 0 });
    assert.deepEqual(told.engine.takeStatuses(), [202]);
    assert.deepEqual(told.remembered("urls-"), []);
  });

  it("tells the whole site at first if it is asked to, and then no more", async () => {
    await using told = await ToldSite.open();
    await told.publish({ "a.html": "1", "b.html": "1" });
    await told.tell({ all: true });
    assert.deepEqual(told.engine.takeAccepted(), ["/a.html", "/b.html"]);
    assert.equal((await told.tell({ all: true })).summary.calls, 0);
  });

  it("catches up over many publications, each page once", async () => {
    await using told = await openFollowed();
    for (const content of ["2", "3", "4", "5"]) await told.publish({ "a.html": content, [`new${content}.html`]: "1" });
    await told.publish({ "new2.html": undefined });
    await told.tell();
    const urls = ["/a.html", "/new2.html", "/new3.html", "/new4.html", "/new5.html"];
    assert.deepEqual(told.engine.takeAccepted(), urls);
  });

  it("splits what is much into calls, of as many URLs as were asked for and at most 10,000", async () => {
    await using told = await openFollowed();
    const most = longer(100, 10_000);
    const pages = Object.fromEntries(Array.from({ length: most + 1 }, (_, at) => [`p/${at}.html`, ""]));
    await told.publish(pages);
    await told.tell({ urlsPerCall: longer(most, 1_000_000) });
    assert.deepEqual(
      told.engine.calls.map(({ urls }) => urls.length),
      [most, 1],
    );
    assert.equal(new Set(told.engine.accepted).size, most + 1);
  });

  it("leaves out URLs that are too long, and the files of its keys", async () => {
    await using told = await openFollowed();
    const long = `${`${"x".repeat(240)}/`.repeat(8)}${"x".repeat(110)}.html`;
    await told.publish({ [long]: "1", "a.html": "2" });
    const { summary } = await told.tell({ key });
    await told.publish({ "z.html": "1" });
    await told.tell();
    assert.deepEqual(told.engine.takeAccepted(), ["/a.html", "/z.html"]);
    assert.equal(summary.leftOut, 1);
    const paths = readKeyPaths(told.folder, "another-key");
    assert.deepEqual([paths.length, paths[0], paths[2]], [3, `/${key}.txt`, "/another-key.txt"]);
  });

  it("keeps to the key that it was given, and writes its file whole and once", async () => {
    await using told = await openFollowed();
    await told.tell({ key });
    const file = join(told.site.docroot, `${key}.txt`);
    assert.equal(readFileSync(file, "utf8"), key);
    writeFileSync(file, `${key}\n`);
    utimesSync(told.site.docroot, 1_000_000_000, 1_000_000_000);
    const { summary } = await told.tell();
    // As the exporter's unit may not.
    assert.equal(statSync(told.site.docroot).mtimeMs, 1_000_000_000_000, "nothing was written in the document root");
    assert.equal(summary.keyLocation, `${told.origin}/${key}.txt`);
    assert.equal(readFileSync(file, "utf8"), `${key}\n`, "it is as somebody put it there");
  });

  it("overwrites no other file with the key's, nor follows a link that leads nowhere", async () => {
    await using told = await openFollowed();
    const file = join(told.site.docroot, `${key}.txt`);
    writeFileSync(file, "something else");
    await assert.rejects(told.tell({ key }), fails("bad-option"));
    assert.equal(readFileSync(file, "utf8"), "something else");
    symlinkSync("/nonexistent/file", join(told.site.docroot, "abcdefgh.txt"));
    await assert.rejects(told.tell({ key: "abcdefgh" }), fails("bad-option"));
  });

  it("says what is wrong with options", async () => {
    await using told = await openFollowed();
    for (const bad of ["short", "x".repeat(129), "under_score", "../../etc/passwd", ""])
      await assert.rejects(told.tell({ key: bad }), fails("bad-option"), bad);
    for (const endpoint of ["nowhere", "ftp://example.org/", "http://user@example.org/"])
      await assert.rejects(told.tell({ endpoint }), fails("bad-option"), endpoint);
    await assert.rejects(told.tell({ baseUrl: "http://example.org/a/" }), fails("bad-option"));
    await assert.rejects(told.tell({ maxElapsedMs: 10 }), fails("bad-option"));
  });

  it("says when the site was never exported", async () => {
    await using told = await ToldSite.open();
    await assert.rejects(told.tell(), fails("no-archives"));
  });

  for (const status of [400, 401, 403, 404, 413, 422, 301, 307]) {
    it(`does not repeat what was refused with ${status}, and tells what comes after`, async () => {
      await using told = await openFollowed();
      await told.publish({ "a.html": "2" });
      told.engine.misdeeds.push({ status, fields: { location: `${told.engine.url}/elsewhere` } });
      const telling = await told.tell();
      assert.deepEqual([stepsOf(telling), telling.summary.refused], [["refused"], 1]);
      const [event] = telling.events;
      assert.ok(event?.event === "index-now" && event.step === "refused" && event.hint.length > 10);
      await told.publish({ "b.html": "2" });
      await told.tell();
      assert.deepEqual(told.engine.takeStatuses(), [status, 202]);
      assert.deepEqual(told.engine.takeAccepted(), ["/b.html"]);
    });
  }

  it("refuses itself nothing: the engine looks at the key's file and finds another", async () => {
    await using told = await openFollowed();
    await told.tell({ key });
    await told.publish({ "a.html": "2" });
    writeFileSync(join(told.site.docroot, `${key}.txt`), ` ${key} `);
    const { summary } = await told.tell();
    assert.deepEqual([told.engine.takeStatuses(), summary.refused], [[403], 1]);
  });

  it("makes at most one call a run that is refused, and keeps the rest", async () => {
    await using told = await openFollowed();
    await told.publish({ "1.html": "", "2.html": "", "3.html": "" });
    told.engine.misdeeds.push({ status: 403 });
    const { summary } = await told.tell({ urlsPerCall: 1 });
    assert.deepEqual([summary.refused, summary.calls, summary.pending], [1, 1, 2]);
    await told.tell();
    assert.deepEqual(told.engine.takeAccepted(), ["/2.html", "/3.html"]);
  });

  const passing: ReadonlyArray<readonly [string, Misdeed]> = [
    ["429", { status: 429 }],
    ["503", { status: 503 }],
    ["500", { status: 500 }],
    ["408", { status: 408 }],
    ["a reset", "reset"],
    ["a lost answer", "lost-answer"],
  ];
  for (const [what, misdeed] of passing) {
    it(`sends the same again after ${what}, waiting longer each time`, async () => {
      await using told = await openFollowed();
      await told.publish({ "a.html": "2" });
      told.engine.misdeeds.push(misdeed, misdeed, misdeed);
      const { summary } = await told.tell();
      assert.deepEqual([summary.told, summary.calls, summary.pending], [1, 4, 0]);
      assert.deepEqual(told.delaysMs, [750, 1500, 3000]);
      assert.deepEqual([...new Set(told.engine.takeAccepted())], ["/a.html"]);
    });
  }

  for (const form of ["seconds", "date"] as const) {
    it(`waits as long as Retry-After says in ${form}`, async () => {
      await using told = await openFollowed();
      await told.publish({ "a.html": "2" });
      const second = Math.ceil(told.site.nowMs / 1000) * 1000;
      told.site.nowMs = second;
      const text = form === "seconds" ? "17" : new Date(second + 17_000).toUTCString();
      told.engine.misdeeds.push({ status: 429, fields: { "retry-after": text } });
      const { summary } = await told.tell();
      assert.deepEqual([told.delaysMs, summary.told], [[17_000], 1]);
    });
  }

  it("does not ask before the time that the endpoint names, over runs, unless another is named", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    const untilMs = told.site.nowMs + 7_200_000;
    told.engine.misdeeds.push({ status: 429, fields: { "retry-after": "7200" } });
    const first = await told.tell();
    assert.deepEqual([first.summary.notBefore, first.summary.pending, told.delaysMs], [untilMs, 1, []]);
    told.site.nowMs = untilMs - 1;
    assert.deepEqual(stepsOf(await told.tell()), ["postponed"]);
    assert.equal(told.engine.takeStatuses().length, 1);
    told.site.nowMs = untilMs;
    assert.equal((await told.tell()).summary.told, 1);
    await told.publish({ "a.html": "3" });
    told.engine.misdeeds.push({ status: 503, fields: { "retry-after": "7200" } });
    await told.tell();
    assert.equal((await told.tell({ endpoint: `${told.engine.url}?other` })).summary.calls, 1);
  });

  it("forgets a pause that a wrong clock made years long", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    const nowMs = told.site.nowMs;
    told.site.nowMs += 2 * 365 * 86_400_000;
    told.engine.misdeeds.push({ status: 429, fields: { "retry-after": "7200" } });
    await told.tell();
    told.site.nowMs = nowMs;
    assert.equal((await told.tell()).summary.told, 1);
  });

  it("ends when its time is over, leaves the endpoint alone for a while, and loses nothing", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    told.engine.misdeeds.push(...Array<Misdeed>(100).fill({ status: 503 }));
    const startMs = told.site.nowMs;
    const { summary } = await told.tell({ maxElapsedMs: 60_000 });
    assert.ok(told.site.nowMs - startMs <= 60_000);
    assert.deepEqual([summary.told, summary.pending, summary.calls < 10], [0, 1, true]);
    assert.equal(summary.notBefore, told.site.nowMs + 45_000);
    told.engine.misdeeds.splice(0);
    told.site.nowMs += 45_000;
    assert.equal((await told.tell()).summary.told, 1);
  });

  it("waits for a server that never answers no longer than a call may take", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    told.engine.misdeeds.push("silence");
    const { summary } = await told.tell({ timeoutMs: 1000, maxElapsedMs: 1500 });
    assert.deepEqual([summary.told, summary.pending, told.engine.takeStatuses()], [0, 1, ["silence"]]);
    told.site.nowMs += 3_600_000;
    assert.equal((await told.tell()).summary.told, 1);
  });

  it("can be stopped, and goes on where it stopped", async () => {
    await using told = await openFollowed();
    await told.publish({ "1.html": "", "2.html": "", "3.html": "" });
    const controller = new AbortController();
    told.engine.onCall = (count) => count === 2 && controller.abort();
    await assert.rejects(told.tell({ urlsPerCall: 1, signal: controller.signal }), fails("aborted"));
    told.engine.onCall = () => undefined;
    await told.tell();
    assert.deepEqual([...new Set(told.engine.takeAccepted())], ["/1.html", "/2.html", "/3.html"]);
  });

  it("can be stopped before anything was sent, and leaves no half of a backlog", async () => {
    await using told = await openFollowed();
    await told.publish({ "1.html": "", "2.html": "" });
    await assert.rejects(told.tell({ signal: AbortSignal.abort() }), fails("aborted"));
    assert.deepEqual([told.remembered("urls-"), told.engine.calls.length], [[], 0]);
    await told.tell();
    assert.deepEqual(told.engine.takeAccepted(), ["/1.html", "/2.html"]);
  });

  it("says how to prove that the site is ours where the document root cannot be written", async () => {
    await using told = await openFollowed();
    const file = join(told.site.docroot, `${key}.txt`);
    mkdirSync(file);
    await assert.rejects(
      told.tell({ key }),
      (error) => error instanceof TidemarkError && error.hint?.includes(key) === true,
    );
  });

  it("lets one process tell at a time", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    const second: Promise<readonly string[]>[] = [];
    told.engine.onCall = () => void second.push(told.tell().then(stepsOf));
    told.engine.misdeeds.push({ status: 503 });
    const delay = async (): Promise<void> => void (await Promise.all(second));
    await told.tell({ delay });
    assert.deepEqual(await second[0], ["index-now-busy"]);
  });

  it("repeats rather than forgets when its position is damaged", async () => {
    await using told = await openFollowed();
    for (const damage of ["", "{", "null", '{"version":1}', "x".repeat(100_000), "\0".repeat(50)]) {
      await told.publish({ "a.html": `before ${damage}` });
      await told.tell();
      await told.publish({ "b.html": `after ${damage}` });
      told.spoil("position.json", () => damage);
      const telling = await told.tell();
      assert.ok(stepsOf(telling).includes("index-now-state"));
      assert.ok(told.engine.takeAccepted().includes("/b.html"), damage);
    }
  });

  it("submits all URLs and known deletions, once, when its position is damaged or of another version", async () => {
    for (const spoil of [
      (text: string) => text.slice(1),
      (text: string) => text.replace('"version":1', '"version":2'),
    ]) {
      await using told = await openFollowed();
      await told.publish({ "a.html": "2", "gone.html": "1" });
      await told.tell();
      told.engine.takeAccepted();
      await told.publish({ "gone.html": undefined });
      // Bases follow that do not know the page any more.
      for (const content of ["3", "4", "5"]) await told.publish({ "a.html": content, "b.html": content });
      told.spoil("position.json", spoil);
      assert.deepEqual(stepsOf(await told.tell()), ["index-now-state", "told"]);
      assert.deepEqual(told.engine.takeAccepted(), ["/a.html", "/b.html", "/c/d%20e.html", "/gone.html"]);
      assert.deepEqual(stepsOf(await told.tell()), []);
    }
  });

  it("goes on behind what was submitted, whatever the site publishes meanwhile", async () => {
    await using told = await openFollowed();
    await told.publish({ "1.html": "1", "2.html": "1", "3.html": "1", "4.html": "1" });
    for (const status of [403, 403, 403, 403]) {
      told.engine.misdeeds.push({ status });
      await told.tell({ urlsPerCall: 1 });
      await told.publish({ "9.html": `${told.site.nowMs}` });
    }
    const urls = told.engine.calls.map((call) => call.urls.map((url) => new URL(url).pathname));
    assert.deepEqual(urls, [["/1.html"], ["/2.html"], ["/3.html"], ["/4.html"]]);
    await told.publish({ "1.html": "2" });
    await told.tell();
    const accepted = new Set(told.engine.takeAccepted());
    assert.ok(accepted.has("/1.html") && accepted.has("/9.html"));
    assert.equal((await told.tell()).summary.calls, 0);
  });

  it("goes on with the state of earlier versions, and removes what they left", async () => {
    await using told = await openFollowed();
    const { summary } = await told.tell();
    await told.publish({ "1.html": "1", "2.html": "1" });
    const { publication = 0, epoch = "" } = (await told.tell()).summary.cursor ?? {};
    told.engine.takeAccepted();
    // What it left after the first of two URLs: written by the commit before, but for the cursors.
    const backlog = { to: { epoch, publication }, file: "urls-0123456789abcdef.txt", sizeBytes: 16, urls: 2 };
    const position = { version: 1, cursor: summary.cursor, failedRuns: 0 };
    for (const [name, text] of [
      ["position.json", `${JSON.stringify({ ...position, backlog: { ...backlog, doneBytes: 8, doneUrls: 1 } })}\n`],
      ["urls-0123456789abcdef.txt", "/1.html\n/2.html\n"],
      ["position-before.json", "{}"],
      ["urls-notes.txt", "x"],
    ] as const)
      writeFileSync(join(told.folder, name), text);
    assert.deepEqual(stepsOf(await told.tell()), ["told"]);
    assert.deepEqual(told.engine.takeAccepted(), ["/1.html", "/2.html"]);
    assert.deepEqual(told.remembered(""), ["keys", "position.json", "urls-notes.txt"]);
  });

  it("takes another key where the remembered ones are damaged", async () => {
    await using told = await openFollowed();
    told.spoil("keys", () => "../../etc/passwd\n\0\n");
    await told.publish({ "z.html": "1" });
    const { summary } = await told.tell();
    assert.deepEqual([summary.refused, told.engine.takeAccepted().includes("/z.html")], [0, true]);
    const [path, ...others] = readKeyPaths(told.folder, undefined);
    assert.deepEqual([told.origin + path, others], [summary.keyLocation, []]);
  });

  it("tells what was modified since, when the exporter has begun a new epoch", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    told.spoil("../ledger.json.gz", () => "not a ledger");
    await told.publish({ "new.html": "1" });
    const telling = await told.tell();
    assert.ok(stepsOf(telling).includes("index-now-gap"));
    assert.deepEqual(told.engine.takeAccepted(), ["/a.html", "/new.html"]);
    assert.equal((await told.tell()).summary.calls, 0);
  });

  it("reads nothing but the site's archives: a robots.txt that forbids them does not matter", async () => {
    await using told = await openFollowed();
    writeFileSync(join(told.site.docroot, "robots.txt"), "User-agent: *\nDisallow: /.well-known/\n");
    await told.publish({ "a.html": "2" });
    await told.tell();
    assert.deepEqual(told.engine.takeAccepted(), ["/a.html"]);
  });

  it("leaves the site's published files as they are", async () => {
    await using told = await openFollowed();
    await told.publish({ "a.html": "2" });
    const before = told.site.snapshot();
    await told.tell();
    assert.deepEqual(told.site.snapshot(), before);
    assert.ok(existsSync(join(told.folder, "position.json")));
  });
});
