import assert from "node:assert/strict";
import { test } from "node:test";
import { longer } from "../../long-run.ts";
import { countsOf, digestOf, type Run, TestSite, warningsOf } from "./test-site.ts";

/** Pages with a build stamp of changing length in each. */
function deploy(site: TestSite, count: number, stamp: string, text = (_: number) => ""): void {
  for (let at = 0; at < count; at++)
    site.write(`${at % 20}/${at}.html`, `<title>page ${at}</title><p>${text(at)}</p><footer>built ${stamp}</footer>`);
}

const ignore = ["/built [^<]*/"];

/** What was published: files, with inodes and times. */
function published(site: TestSite) {
  return site.snapshot(site.docroot);
}

function publishedOnly(site: TestSite): Record<string, string> {
  return Object.fromEntries(Object.entries(published(site)).filter(([name]) => /^\.well-known|^robots/.test(name)));
}

function quiet(run: Run): void {
  assert.deepEqual([run.summary.published, run.summary.newBase, run.summary.archivesWritten], [false, false, 0]);
}

test("pages with a new build stamp in each are as many changes, and none with --ignore", async () => {
  using site = new TestSite();
  using plain = new TestSite();
  const pages = longer(100, 2000);
  for (const one of [site, plain]) deploy(one, pages, "2026-11-20");
  await site.export({ ignore });
  await plain.export();
  for (const stamp of ["2026-11-21 with more", "2026-11-22"]) {
    const before = publishedOnly(site);
    for (const one of [site, plain]) deploy(one, pages, stamp);
    const run = await site.export({ ignore });
    assert.equal(countsOf(run), `${pages} pages: 0 created, 0 updated, 0 deleted, ${pages} touched`);
    quiet(run);
    assert.deepEqual(publishedOnly(site), before, "no published file is rewritten");
    assert.equal(countsOf(await plain.export()), `${pages} pages: 0 created, ${pages} updated, 0 deleted, 0 touched`);
  }
  const records = site.hold();
  assert.equal(records.size, pages);
  for (const page of records.values()) assert.equal(page.digest, undefined, "no bytes are promised");
});

test("equal bytes written anew publish nothing and rewrite no published file, with rules and without", async () => {
  const count = longer(60, 600);
  for (const options of [{}, { ignore }, { significant: 0.9 }]) {
    using site = new TestSite();
    deploy(site, count, "once");
    await site.export(options);
    const before = publishedOnly(site);
    deploy(site, count, "once");
    const run = await site.export(options);
    assert.equal(countsOf(run), `${count} pages: 0 created, 0 updated, 0 deleted, ${count} touched`);
    quiet(run);
    assert.deepEqual(publishedOnly(site), before);
  }
});

test("beside what is ignored a change is a change, with the last-modified and size of what is served", async () => {
  using site = new TestSite();
  site.write("a.html", "<p>text</p>built 1", 1_700_000_000);
  site.write("plain.html", "<p>no stamp", 1_700_000_000);
  await site.export({ ignore });
  site.write("a.html", "<p>text</p>built 22", 1_700_000_100);
  assert.equal(countsOf(await site.export({ ignore })), "2 pages: 0 created, 0 updated, 0 deleted, 1 touched");
  assert.equal(site.hold().get("/a.html")?.lastModified, 1_700_000_000);
  assert.equal(site.hold().get("/plain.html")?.digest, digestOf("<p>no stamp"));
  site.write("a.html", "<p>other</p>built 333", 1_700_000_200);
  assert.equal(countsOf(await site.export({ ignore })), "2 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  assert.deepEqual(site.hold().get("/a.html"), {
    path: "/a.html",
    sizeBytes: 21,
    lastModified: 1_700_000_200,
    mediaType: "text/html",
    digest: undefined,
  });
});

test("a page to which a stamp comes is published once more, and then no more", async () => {
  using site = new TestSite();
  site.write("a.html", "<p>text</p>");
  await site.export({ ignore });
  site.write("a.html", "<p>text</p>built 1");
  assert.equal((await site.export({ ignore })).summary.updated, 1, "its digest was a promise");
  site.write("a.html", "<p>text</p>built 2");
  quiet(await site.export({ ignore }));
  site.write("a.html", "<p>text</p>");
  quiet(await site.export({ ignore }));
  assert.equal(site.hold().get("/a.html")?.digest, undefined);
});

test("new patterns publish no change: a new base takes the digests back, and old ones are looked at once", async () => {
  using site = new TestSite();
  deploy(site, 60, "1");
  await site.export();
  const first = await site.export({ ignore });
  assert.equal(countsOf(first), "60 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  assert.deepEqual([first.summary.published, first.summary.newBase], [false, true]);
  for (const page of site.hold().values()) assert.equal(page.digest, undefined);
  deploy(site, 60, "22");
  quiet(await site.export({ ignore }));
  const more = [...ignore, "title"];
  quiet(await site.export({ ignore: more }));
  deploy(site, 60, "333");
  quiet(await site.export({ ignore: more }));
  quiet(await site.export());
  assert.equal(countsOf(await site.export()), "60 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  deploy(site, 60, "4444");
  assert.equal((await site.export()).summary.updated, 60);
});

test("only what moves the text counts with --significant, and small changes add up", async () => {
  using site = new TestSite();
  const words = Array.from({ length: 400 }, (_, at) => `word${at}`);
  const write = () => site.write("a.html", `<p class=${site.nowMs}>${words.join(" ")}`);
  write();
  site.write("a.txt", "text");
  const options = { significant: 0.9 };
  await site.export(options);
  words[0] = "another";
  write();
  quiet(await site.export(options));
  let updates = 0;
  for (let at = 10; at < 300; at += longer(60, 20)) {
    words[at] = "changed";
    write();
    updates += (await site.export(options)).summary.updated;
  }
  assert.ok(updates >= 1 && updates <= 5, `${updates} updates`);
  words.fill("new", 100, 300);
  write();
  site.write("a.txt", "texT");
  const run = await site.export(options);
  assert.equal(run.summary.updated, 2, "a text that is no HTML counts whole");
  assert.deepEqual(warningsOf(run), []);
});

test("a limit of reading does not change what is published", async () => {
  using site = new TestSite();
  deploy(site, 30, "1");
  assert.equal((await site.export({ ioLimit: 10_000_000 })).summary.created, 30);
  deploy(site, 30, "2");
  assert.equal((await site.export({ ioLimit: 10_000_000 })).summary.updated, 30);
});
