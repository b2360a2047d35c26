import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { type Change, pathOf } from "../../src/core/change.ts";
import { type ErrorCode, TidemarkError } from "../../src/core/error.ts";
import { type ReadChangesOptions, readChanges } from "../../src/crawler/read-changes.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { PublishedSite } from "./engine/published-site.ts";

async function openSite(...pages: Parameters<PublishedSite["set"]>): Promise<PublishedSite> {
  const site = await PublishedSite.open();
  site.set(...pages);
  site.publishBase();
  return site;
}

async function read(site: PublishedSite, options: Partial<ReadChangesOptions> = {}) {
  site.takeRequests();
  await using opened = await readChanges({ url: site.origin, ...options });
  const changes: Change[] = [];
  for await (const change of opened.changes) changes.push(change);
  return {
    reset: opened.reset,
    cursor: opened.cursor,
    changes: changes.map((change) => `${change.kind} ${pathOf(change)}`).sort(),
    pages: site.takeRequests().filter((request) => !/robots\.txt|\.gz$/.test(request)),
  };
}

const fails = (code: ErrorCode) => (error: unknown) => error instanceof TidemarkError && error.code === code;

describe("readChanges", () => {
  it("follows no redirect to what robots.txt disallows", async () => {
    await using site = await openSite({ "/a.html": "1" });
    site.robots = "User-agent: *\nDisallow: /private/\n\n";
    site.publish();
    const index = "/.well-known/tidemark/index.gz";
    site.files.set("/private/index.gz", site.files.get(index) as Buffer);
    site.answers.set(index, (_, response) => response.writeHead(302, { location: "/private/index.gz" }).end());
    await assert.rejects(read(site), fails("site-unavailable"));
    assert.deepEqual(site.takeRequests(), ["200 /robots.txt", `302 ${index}`]);
  });

  it("lists the site, then what came after the cursor, and asks for no page", async () => {
    await using site = await openSite({ "/a.html": "1", "/b.html": "1", "/s.css": "1" });
    const first = await read(site);
    assert.deepEqual(first.changes, ["created /a.html", "created /b.html", "created /s.css"]);
    assert.deepEqual([first.reset, first.pages], [false, []]);
    site.set({ "/a.html": "2", "/b.html": undefined });
    site.publish();
    const second = await read(site, { cursor: first.cursor });
    assert.deepEqual(second.changes, ["deleted /b.html", "updated /a.html"]);
    const third = await read(site, { cursor: second.cursor });
    assert.deepEqual([third.changes, third.cursor], [[], second.cursor]);
  });

  it("gives each page once, as several publications together left it, and leaves no file behind", async () => {
    await using site = await openSite({ "/a.html": "1", "/back.html": "1", "/gone.html": "1" });
    const { cursor } = await read(site);
    site.set({ "/a.html": "2", "/back.html": undefined, "/new.html": "1", "/brief.html": "1" });
    site.publish();
    site.set({
      "/a.html": "3",
      "/back.html": "2",
      "/new.html": "2",
      "/brief.html": undefined,
      "/gone.html": undefined,
    });
    site.publish();
    // A folder of temporary files of its own: other tests use the common one.
    using temporary = makeTempFolder();
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporary.path;
    const changed = [
      "created /new.html",
      "deleted /brief.html",
      "deleted /gone.html",
      "updated /a.html",
      "updated /back.html",
    ];
    assert.deepEqual((await read(site, { cursor })).changes, changed);
    // A whole listing names what is there, and nothing that is not.
    assert.deepEqual((await read(site)).changes, ["created /a.html", "created /back.html", "created /new.html"]);
    assert.deepEqual(readdirSync(temporary.path), []);
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });

  it("says what became of each page since the cursor, by single publications and by one interval of them", async () => {
    const histories: Readonly<Record<string, readonly (string | undefined)[]>> = {
      "/created.html": [undefined, "1", "2"],
      "/updated.html": ["0", "1", undefined, "3"],
      "/again.html": ["0", undefined, "2"],
      "/deleted.html": ["0", "1", undefined],
      "/brief.html": [undefined, "1", undefined],
      "/twice.html": [undefined, "1", undefined, "3"],
      "/gone-twice.html": ["0", undefined, "2", undefined],
    };
    const seen = [
      "created /created.html",
      "created /twice.html",
      "deleted /brief.html",
      "deleted /deleted.html",
      "deleted /gone-twice.html",
      "updated /again.html",
      "updated /updated.html",
    ];
    for (const isMerged of [false, true]) {
      await using site = await PublishedSite.open();
      const step = (at: number): void =>
        site.set(
          Object.fromEntries(
            Object.entries(histories).map(([path, states]) => [path, states[Math.min(at, states.length - 1)]]),
          ),
        );
      step(0);
      site.publishBase();
      const { cursor } = await read(site);
      for (let at = 1; at < 4; at++) {
        step(at);
        site.publish();
      }
      if (isMerged) {
        site.merged.push([cursor.publication, site.publication]);
        site.write();
      }
      assert.deepEqual((await read(site, { cursor })).changes, seen, isMerged ? "merged" : "one by one");
    }
  });

  it("lists the whole site again when the cursor is void, and says so", async () => {
    await using site = await openSite({ "/a.html": "1" });
    const cursor = { epoch: "another-epoch", publication: site.publication };
    const { reset, changes } = await read(site, { cursor });
    assert.deepEqual([reset, changes], [true, ["created /a.html"]]);
  });

  it("gives the types that are asked for, and every deletion after a cursor", async () => {
    await using site = await openSite({ "/a.html": "1", "/s.css": "1", "/i.png": "1" });
    const { cursor, changes } = await read(site, { types: ["text/html", "image/*"] });
    assert.deepEqual(changes, ["created /a.html", "created /i.png"]);
    site.set({ "/s.css": "2", "/i.png": undefined });
    site.publish();
    assert.deepEqual((await read(site, { cursor, types: ["text/html"] })).changes, ["deleted /i.png"]);
  });

  it("leaves out pages older than a date, or what was published before it", async () => {
    await using site = await PublishedSite.open();
    site.set({ "/old.html": "1" }, 1_000_000_000);
    site.set({ "/recent.html": "1" }, 1_600_000_000);
    site.publishBase();
    assert.deepEqual((await read(site, { since: 1_500_000_000_000 })).changes, ["created /recent.html"]);
    site.set({ "/restored.html": "1" }, 5);
    site.publish();
    assert.deepEqual((await read(site, { since: 1_500_000_000_000 })).changes, [
      "created /recent.html",
      "created /restored.html",
    ]);
    const since = (site.publication - 3600) * 1000;
    assert.deepEqual((await read(site, { since })).changes, ["created /restored.html"]);
  });

  it("does nothing with an index that is older than the cursor", async () => {
    await using site = await openSite({ "/a.html": "1" });
    const cursor = { epoch: site.epoch, publication: site.publication + 5 };
    const { changes, reset, ...rest } = await read(site, { cursor });
    assert.deepEqual([changes, reset, rest.cursor], [[], false, cursor]);
  });

  it("goes around an archive that is broken", async () => {
    await using site = await openSite({ "/a.html": "1", "/b.html": "1" });
    const { cursor } = await read(site);
    site.set({ "/a.html": "2" });
    site.publish();
    const [broken = ""] = site.archivesFrom(cursor.publication);
    site.answers.set(broken, (_, response) => void response.end("broken"));
    site.rebase();
    const { reset, changes } = await read(site, { cursor });
    assert.deepEqual([reset, changes], [true, ["created /a.html", "created /b.html"]]);
  });

  it("says when a site publishes nothing, and when it cannot be asked", async () => {
    await using site = await PublishedSite.open();
    await assert.rejects(read(site), fails("no-archives"));
    site.answers.set("/robots.txt", (_, response) => void response.writeHead(503, { "retry-after": "900" }).end());
    await assert.rejects(read(site), fails("site-unavailable"));
    await assert.rejects(
      read(site, { signal: AbortSignal.abort() }),
      (error: TidemarkError) => error.code === "aborted" && /^No cursor moved/.test(error.hint ?? ""),
    );
    await assert.rejects(read(site, { url: "nowhere" }), fails("bad-option"));
  });
});
