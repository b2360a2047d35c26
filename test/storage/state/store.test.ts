import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import Database from "libsql";
import { type ErrorCode, TidemarkError } from "../../../src/core/error.ts";
import type { Page } from "../../../src/core/page.ts";
import type { SitePosition } from "../../../src/core/site-record.ts";
import type { HeldBody, Postponement, TrackedUrl } from "../../../src/core/tracked-url.ts";
import type { SiteStore } from "../../../src/storage/state/keeping.ts";
import { migrations } from "../../../src/storage/state/schema.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { recordOf } from "../../crawler/engine/published-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { keptAs, postponedAs } from "./settled.ts";

const origin = "https://example.org";
const position: SitePosition = {
  cursor: { epoch: "epoch-000001", publication: 50 },
  typesKey: "text/html",
  since: 7,
  indexPath: "/index.gz",
  indexValidators: { etag: '"x"', lastModified: "yesterday" },
};

function page(path: string, body = path, mediaType = "text/html"): Page & HeldBody {
  const record = recordOf(path, { body, mediaType, lastModified: 5 });
  assert.ok(record.digest !== undefined && record.sizeBytes !== undefined);
  return { ...record, digest: record.digest, sizeBytes: record.sizeBytes };
}

function refuses(code: ErrorCode, pattern: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, pattern);
    assert.ok(error.hint !== undefined);
    return true;
  };
}

/** Settles announced pages by their paths. */
function settle({ urls }: SiteStore, found: Readonly<Record<string, (Page & HeldBody) | Postponement>>): void {
  const settlements = urls.take("announced", 0, undefined, 100).flatMap((url) => {
    const of = found[url.path];
    if (of === undefined) return [];
    return "trouble" in of
      ? [postponedAs(url, of.trouble, of.attempts, of.state)]
      : [keptAs(url, of as Page & HeldBody)];
  });
  urls.settle(settlements, [], 1_700_000_000);
}

/** Settles announced pages as they were announced. */
function keep(site: SiteStore, pages: readonly (Page & HeldBody)[]): void {
  settle(site, Object.fromEntries(pages.map((of) => [of.path, of])));
}

/** Takes in a reading. */
function takeIn({ memory }: SiteStore, act: (intake: ReturnType<SiteStore["memory"]["beginIntake"]>) => void): void {
  const intake = memory.beginIntake();
  act(intake);
  intake.commit(position);
}

function announced({ urls }: SiteStore, limit = 100): readonly TrackedUrl[] {
  return urls.take("announced", 0, undefined, limit);
}

function dueWork(site: SiteStore): string[] {
  const withdrawn = site.urls.take("withdrawn", 0, undefined, 100);
  return [...announced(site).map(({ path }) => path), ...withdrawn.map(({ path }) => `-${path}`)];
}

describe("the store", () => {
  it("remembers what sources know, also by way of a reading", () => {
    using folder = makeTempFolder();
    {
      using store = openStore({ into: folder.path });
      const { memory } = store.openSite(origin);
      assert.equal(memory.readSource("resourcesync"), undefined);
      memory.rememberSource("resourcesync", { seen: 1 });
      memory.rememberSource("resourcesync", { seen: 1 });
      assert.deepEqual(memory.readSource("resourcesync"), { seen: 1 });
      memory.beginIntake().commit(undefined, { source: "resourcesync", state: { seen: 2 } });
      assert.deepEqual(memory.readSource("resourcesync"), { seen: 2 });
      memory.rememberSource("resourcesync", { seen: 1 });
    }
    using store = openStore({ into: folder.path });
    const { memory } = store.openSite(origin);
    assert.deepEqual(memory.readSource("resourcesync"), { seen: 1 });
    // Nobody writes into what is remembered by way of what was read.
    (memory.readSource("resourcesync") as { seen: number }).seen = 3;
    assert.deepEqual(memory.readSource("resourcesync"), { seen: 1 });
  });

  it("remembers position and robots.txt, byte for byte", () => {
    using folder = makeTempFolder();
    const robots = {
      agent: "mybot tidemark",
      body: Uint8Array.from([0, 255, 10, 128]),
      validators: { etag: 'W/"1"' },
      confirmedAt: 1_800_000_000_123,
      freshMs: 3_600_000,
    };
    {
      using store = openStore({ into: folder.path });
      const site = store.openSite(origin);
      assert.deepEqual(site.memory.read(), {
        position: undefined,
        robots: undefined,
        clock: undefined,
        writer: undefined,
      });
      site.memory.rememberRobots(robots);
      takeIn(site, () => undefined);
      // Also to whoever has asked before.
      assert.deepEqual(site.memory.read().position, position);
      assert.equal(site.memory.read().writer, "archives");
      assert.deepEqual(site.memory.read().robots?.validators, robots.validators);
    }
    using store = openStore({ into: folder.path });
    const record = store.openSite(origin).memory.read();
    assert.deepEqual(record.position, position);
    assert.deepEqual({ ...record.robots, body: new Uint8Array(record.robots?.body ?? []) }, robots);
    assert.equal(store.openSite("https://other.org").memory.read().position, undefined);
  });

  it("forgets an intake that was rolled back", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    const intake = site.memory.beginIntake();
    intake.list([page("/a")], false);
    intake.rollback();
    assert.deepEqual(dueWork(site), []);
    assert.equal(site.memory.read().position, undefined);
    takeIn(site, (again) => again.list([page("/b")], false));
    assert.deepEqual(dueWork(site), ["/b"]);
  });

  it("makes work of what is not held as recorded, and of nothing else", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    takeIn(site, (intake) =>
      intake.list(
        ["/a", "/b", "/c", "/d"].map((path) => page(path)),
        false,
      ),
    );
    keep(
      site,
      ["/a", "/b", "/c", "/d"].map((path) => page(path)),
    );
    takeIn(site, (intake) => {
      const undigested = { ...page("/d"), digest: undefined };
      intake.list(
        [page("/a"), page("/b", "changed"), { ...page("/c"), lastModified: 6 }, undigested, page("/e")],
        false,
      );
      intake.withdraw(["/a", "/never"]);
    });
    assert.deepEqual(dueWork(site), ["/b", "/c", "/e", "-/a"]);
    takeIn(site, (intake) => {
      intake.list([page("/a"), page("/b")], false);
      intake.withdraw(["/e"]);
    });
    // A crawl that died may have put /b and /e in their places, and removed /a, before it could settle them.
    assert.deepEqual(dueWork(site), ["/a", "/b", "/c", "-/e"]);
    const { held, heldBytes, pending, disallowed } = site.urls.counts();
    assert.deepEqual([held, heldBytes, pending, disallowed], [4, 8, 4, 0]);
  });

  it("holds a page whose record says no size, and keeps the history of its work", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    const unsized = (path: string): Page => ({ ...page(path), sizeBytes: undefined, digest: undefined });
    takeIn(site, (intake) => intake.list([unsized("/a"), unsized("/b")], false));
    assert.deepEqual(announced(site, 1)[0]?.announced, unsized("/a"));
    const postponed = { trouble: "refused", attempts: 2, state: "due" } as const;
    settle(site, { "/a": page("/a", "whatever was served"), "/b": postponed });
    takeIn(site, (intake) => intake.list([unsized("/a"), unsized("/b")], false));
    assert.deepEqual(dueWork(site), ["/b"]);
    assert.equal(announced(site)[0]?.postponed?.attempts, 2);
    takeIn(site, (intake) => intake.list([{ ...unsized("/a"), lastModified: 6 }, page("/b")], false));
    assert.deepEqual(dueWork(site), ["/a", "/b"]);
  });

  it("gives work in the order of paths, a part at a time", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    takeIn(site, (intake) =>
      intake.list(
        ["/b", "/a", "/a/b", "/a%20"].map((path) => page(path)),
        false,
      ),
    );
    const first = announced(site, 2);
    assert.deepEqual(
      first.map((url) => url.announced),
      [page("/a"), page("/a%20")],
    );
    assert.deepEqual(
      site.urls.take("announced", 0, first.at(-1), 2).map(({ path }) => path),
      ["/a/b", "/b"],
    );
  });

  it("keeps the history of work whose record is the same, and begins anew for another", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    const pages = ["/same", "/other", "/parked"].map((path) => page(path));
    takeIn(site, (intake) => intake.list(pages, false));
    const due = { trouble: "refused", attempts: 2, state: "due" } as const;
    settle(site, { "/same": due, "/other": due, "/parked": { ...due, state: "parked" } });
    takeIn(site, (intake) => intake.list([page("/same"), page("/other", "new"), page("/parked")], false));
    const history = announced(site).map(({ path, postponed }) => [path, postponed]);
    assert.deepEqual(history, [
      ["/other", undefined],
      ["/same", { trouble: "refused", attempts: 2 }],
    ]);
    takeIn(site, (intake) => intake.list([page("/parked", "new")], false));
    assert.deepEqual(dueWork(site), ["/other", "/parked", "/same"]);
  });

  it("opens disallowed work again when it is told to", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    takeIn(site, (intake) => intake.list([page("/a")], false));
    settle(site, { "/a": { trouble: "disallowed", attempts: 1, state: "disallowed" } });
    const { held, pending, disallowed } = site.urls.counts();
    assert.deepEqual([held, pending, disallowed], [0, 0, 1]);
    site.urls.reopen("disallowed");
    assert.deepEqual(dueWork(site), ["/a"]);
  });

  it("deletes what a whole listing leaves out, of the types that it speaks of", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    const style = page("/s.css", "s", "text/css");
    const pages = [page("/a"), page("/b"), page("/changed"), style];
    takeIn(site, (intake) => intake.list([...pages, page("/pending")], false));
    keep(site, pages);
    takeIn(site, (intake) => {
      intake.list([page("/a"), page("/changed", "new"), page("/new")], false);
      intake.withdrawUnlisted((mediaType) => mediaType === "text/html");
    });
    assert.deepEqual(dueWork(site), ["/changed", "/new", "-/b", "-/pending"]);
    assert.equal(site.urls.counts().held, 3);
  });

  it("deletes a body that the site says is gone, also of a type that is not wanted any more", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    const style = page("/s.css", "s", "text/css");
    takeIn(site, (intake) => intake.list([style], false));
    keep(site, [style]);
    takeIn(site, (intake) => {
      intake.withdraw(["/s.css"]);
      intake.withdrawUnlisted((mediaType) => mediaType === "text/html");
    });
    assert.deepEqual(dueWork(site), ["-/s.css"]);
    assert.ok(site.urls.take("withdrawn", 0, undefined, 9)[0]?.held !== undefined);
  });

  it("passes over what is neither held nor wanted, if only that is asked for", () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const site = store.openSite(origin);
    takeIn(site, (intake) => intake.list([page("/held"), page("/wanted")], false));
    keep(site, [page("/held")]);
    takeIn(site, (intake) => {
      intake.list([page("/held"), page("/wanted"), page("/unknown")], true);
      intake.withdrawUnlisted(() => true);
    });
    assert.deepEqual(dueWork(site), ["/wanted"]);
  });

  it("begins a site anew when its mirror is gone or is another, and moves with its state", () => {
    using folder = makeTempFolder();
    const [here, there, stateFile] = ["here", "there", "s.db"].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    const position = (options: { into: string; stateFile?: string }) => {
      using store = openStore(options);
      const site = store.openSite(origin);
      const record = site.memory.read();
      takeIn(site, () => undefined);
      return record.position?.cursor.publication;
    };
    assert.deepEqual([position({ into: here }), position({ into: here })], [undefined, 50]);
    renameSync(here, there);
    assert.equal(position({ into: there }), 50);
    assert.equal(position({ into: there, stateFile }), undefined);
    assert.equal(position({ into: there, stateFile }), 50);
    assert.equal(position({ into: here, stateFile }), undefined);
    renameSync(join(there, "example.org"), join(there, "away"));
    assert.equal(position({ into: there }), undefined);
  });
});

const opener = `const { openStore } = await import(${JSON.stringify(new URL("../../../src/storage/state/store.js", import.meta.url).href)});
  try { globalThis.store = openStore({ into: process.argv[1] }); console.log("open"); setInterval(() => {}, 1e6); }
  catch (error) { console.log(error.code); }`;

/** Another process that opens the store and says what came of it. */
async function openElsewhere(into: string) {
  const argv = ["--input-type=module", "-e", opener, into];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return {
    pid: child.pid,
    said: said.toString().trim(),
    kill: async () => {
      if (child.exitCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

describe("the lock", () => {
  it("says which process holds it, and vanishes when that is killed", async () => {
    using folder = makeTempFolder();
    const holder = await openElsewhere(folder.path);
    try {
      assert.equal(holder.said, "open");
      const named = new RegExp(`process ${holder.pid} on .*, since 2`);
      assert.throws(() => openStore({ into: folder.path }), refuses("locked", named));
      // To ask did not take the lock away.
      assert.throws(() => openStore({ into: folder.path }), refuses("locked", named));
    } finally {
      await holder.kill();
    }
    openStore({ into: folder.path })[Symbol.dispose]();
  });

  it("is not lost when its own process asks for it a second time", async () => {
    using folder = makeTempFolder();
    using _store = openStore({ into: folder.path });
    assert.throws(() => openStore({ into: folder.path }), refuses("locked", new RegExp(`process ${process.pid} `)));
    const other = await openElsewhere(folder.path);
    await other.kill();
    assert.equal(other.said, "locked");
  });

  it("is of the folder and of the state", () => {
    using folder = makeTempFolder();
    const [one, two, stateFile] = ["one", "two", "state.db"].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    {
      using _store = openStore({ into: one, stateFile });
      assert.throws(() => openStore({ into: one }), refuses("locked", /Another crawl is using/));
      assert.throws(() => openStore({ into: two, stateFile }), refuses("locked", /Another crawl is using .*state\.db/));
      openStore({ into: two })[Symbol.dispose]();
    }
    openStore({ into: one })[Symbol.dispose]();
  });
});

describe("a state of an older version", () => {
  it("is brought up to date, and keeps what it knows", () => {
    using folder = makeTempFolder();
    const stateFile = join(folder.path, "state.db");
    const database = new Database(stateFile);
    const [first = ""] = migrations;
    database.exec(`${first}; PRAGMA user_version = 1`);
    database.exec(
      `INSERT INTO site (origin, mirror, robots_body, robots_confirmed) VALUES ('${origin}', 'mirror', 'YQ==', 5)`,
    );
    database.close();
    using store = openStore({ into: folder.path, stateFile });
    assert.deepEqual(store.openSite("https://other.example").memory.read().robots, undefined);
    const [version] = new Database(stateFile).prepare("PRAGMA user_version").raw().get() as [number];
    assert.equal(version, migrations.length);
    const [fresh] = new Database(stateFile).prepare("SELECT robots_fresh FROM site").raw().get() as [number];
    assert.equal(fresh, 86_400_000);
  });

  it("forgets payloads of WARC files that a page had before it became empty", () => {
    using folder = makeTempFolder();
    const stateFile = join(folder.path, "state.db");
    const database = new Database(stateFile);
    // That of 0.1.0, the last that did not note empty payloads.
    const before = migrations.slice(0, 10);
    database.exec(`${before.join(";")}; PRAGMA user_version = ${before.length}`);
    database.exec(`INSERT INTO site (origin, mirror, robots_body) VALUES ('${origin}', 'warc:example.org', '');
      INSERT INTO page VALUES (1, '/empty', 0, '', 0, 'text/html', 0), (1, '/full', 3, 'x', 0, 'text/html', 0);`);
    for (const path of ["/empty", "/full", "/robots.txt"])
      database.exec(`INSERT INTO warc_record VALUES (1, '${origin}${path}', 'sha1:A', 'x', 3, 'r', 't', 1, 'f', 0)`);
    database.close();
    openStore({ into: folder.path, stateFile })[Symbol.dispose]();
    const left = new Database(stateFile).prepare("SELECT url FROM warc_record").raw().all();
    assert.deepEqual(left, [[`${origin}/full`]]);
  });

  it("has no intervals of pages, and keeps them from then on", () => {
    using folder = makeTempFolder();
    const stateFile = join(folder.path, "state.db");
    const database = new Database(stateFile);
    const before = migrations.slice(0, 7);
    database.exec(`${before.join(";")}; PRAGMA user_version = ${before.length}`);
    database.exec(`INSERT INTO site (origin, mirror) VALUES ('${origin}', 'metadata:example.org');
      INSERT INTO target (site, path, depth, history, asked, state) VALUES (1, '/a', 0, '[3,1]', 5, 'known')`);
    database.close();
    using store = openStore({ into: folder.path, stateFile });
    const { urls } = store.openSite(origin, { kind: "metadata" });
    const url = urls.find("/a");
    assert.ok(url !== undefined);
    assert.deepEqual([url.history, url.interval], [[3, 1], undefined]);
    const interval = { rule: "nutch", intervalSeconds: 100, waitSeconds: 90 };
    const answer = { isLinkOnly: true, history: [4, 1] };
    urls.settle([{ ...keptAs(url, page("/a"), { ...answer, interval }), page: undefined }], [], 9);
    assert.deepEqual(urls.find("/a")?.interval, interval);
    // Who keeps none lets it be.
    urls.settle([{ ...keptAs(url, page("/a"), answer), page: undefined }], [], 10);
    assert.deepEqual(urls.find("/a")?.interval, interval);
  });
});

describe("a state that cannot be used", () => {
  it("is damaged", () => {
    using folder = makeTempFolder();
    mkdirSync(join(folder.path, ".tidemark"));
    writeFileSync(join(folder.path, ".tidemark/state.db"), "not a database ".repeat(1000));
    assert.throws(() => openStore({ into: folder.path }), refuses("state-corrupt", /state\.db/));
    // The lock was given back.
    assert.throws(() => openStore({ into: folder.path }), refuses("state-corrupt", /state\.db/));
  });

  it("is of a newer version", () => {
    using folder = makeTempFolder();
    openStore({ into: folder.path })[Symbol.dispose]();
    const database = new Database(join(folder.path, ".tidemark/state.db"));
    database.exec("PRAGMA user_version = 99");
    database.close();
    assert.throws(() => openStore({ into: folder.path }), refuses("state-version", /newer version/));
  });

  it("is in a place that is no folder", () => {
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "file"), "");
    assert.throws(
      () => openStore({ into: join(folder.path, "file") }),
      (error) => error instanceof TidemarkError,
    );
    assert.ok(!existsSync(join(folder.path, "file/.tidemark")));
  });
});
