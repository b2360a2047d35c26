import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Settlement, TrackedUrl } from "../../../src/core/tracked-url.ts";
import { openStore, type Store } from "../../../src/storage/state/store.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { keptAs, postponedAs } from "./settled.ts";

const origin = "https://example.org";

class OpenedStore implements Disposable {
  readonly #temp: TempFolder = makeTempFolder();
  readonly #store: Store = openStore({ into: this.#temp.path });
  readonly site = this.#store.openSite(origin);

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
    this.#temp[Symbol.dispose]();
  }

  get urls() {
    return this.site.urls;
  }

  /** Notes URLs as a list of their own and answers for them. */
  answer(paths: readonly string[], at: number, lastmod?: string): number {
    const list = this.urls.beginList();
    this.urls.note(
      paths.map((path) => ({ path, depth: 0, lastmod })),
      list,
    );
    this.urls.settle(
      paths.map((path) => answered(this.find(path), at)),
      [],
      at,
    );
    return list;
  }

  find(path: string): TrackedUrl {
    const url = this.urls.find(path);
    assert.ok(url !== undefined, path);
    return url;
  }

  taken(choice: "new" | "moved" | "hinted" | "unsettled" | "known" | "unconfirmed", since = 1000): string[] {
    return this.urls.take(choice, since, undefined, 100).map(({ path }) => path);
  }
}

function answered(url: TrackedUrl, askedAt: number, etag = '"x"'): Settlement {
  const { path } = url;
  const page = { path, sizeBytes: 1, digest: `${path}-1`, lastModified: 5, mediaType: "text/html" };
  return keptAs(url, page, { askedAt, validators: { etag, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" } });
}

describe("the polled URLs of a site", () => {
  it("are new until they are answered for, and known from then on, once a visit", () => {
    using store = new OpenedStore();
    store.urls.note([{ path: "/b", depth: 1, lastmod: undefined }], 0);
    store.urls.note([{ path: "/a", depth: 1, lastmod: undefined }], 0);
    assert.deepEqual([store.taken("new"), store.taken("known")], [["/b", "/a"], []]);
    store.urls.settle([answered(store.find("/b"), 1000)], [], 1000);
    assert.deepEqual([store.taken("new"), store.taken("known"), store.taken("known", 2000)], [["/a"], [], ["/b"]]);
    const { known, fresh, held, pending, disallowedPolled } = store.urls.counts();
    assert.deepEqual([known, fresh, held, pending, disallowedPolled], [2, 1, 1, 0, 0]);
  });

  it("are as deep as the shortest way, and their links are read again where it becomes shorter", () => {
    using store = new OpenedStore();
    store.urls.note([{ path: "/a", depth: 3, lastmod: undefined }], 0);
    store.urls.settle([answered(store.find("/a"), 1)], [], 1);
    store.urls.note([{ path: "/a", depth: 4, lastmod: undefined }], 0);
    assert.deepEqual([store.find("/a").depth, store.find("/a").validators.etag], [3, '"x"']);
    store.urls.note([{ path: "/a", depth: 2, lastmod: undefined }], 0);
    const { depth, validators, hasUnreadLinks } = store.find("/a");
    assert.deepEqual([depth, validators.etag, hasUnreadLinks], [2, '"x"', true]);
  });

  it("keep their validators when a list names them", () => {
    using store = new OpenedStore();
    store.urls.note([{ path: "/a", depth: 3, lastmod: undefined }], 0);
    store.urls.settle([answered(store.find("/a"), 1)], [], 1);
    store.urls.note([{ path: "/a", depth: 0, lastmod: "x" }], store.urls.beginList());
    assert.equal(store.find("/a").validators.etag, '"x"');
  });

  it("have moved where lastmod is another string, or there is none, or the last visit was in trouble", () => {
    using store = new OpenedStore();
    store.answer(["/a", "/b", "/c"], 1, "2026-11-20");
    store.answer(["/d"], 1);
    assert.deepEqual(store.taken("moved"), ["/d"]);
    store.urls.note([{ path: "/b", depth: 0, lastmod: "2026-11-19" }], store.urls.beginList());
    store.urls.settle([postponedAs(store.find("/c"), "gone", 1, "due", 3)], [], 2);
    assert.deepEqual(store.taken("moved"), ["/b", "/c", "/d"]);
    assert.deepEqual(store.taken("hinted"), ["/b", "/c"]);
    assert.deepEqual(store.taken("unsettled"), ["/c"]);
    assert.deepEqual(store.taken("moved", 2), ["/b", "/d"]);
    assert.deepEqual(store.urls.countListed(), { moved: 1, unmoved: 2 });
    assert.equal(store.urls.countMoved(["/a", "/b", "/c"]), 1);
  });

  it("are looked at, to choose among them, as they are taken", () => {
    using store = new OpenedStore();
    store.answer(["/held", "/moved", "/history"], 1, "2026-01-01");
    store.answer(["/gone"], 1);
    store.urls.settle([postponedAs(store.find("/gone"), "gone", 2)], [], 2);
    const known = answered(store.find("/history"), 3);
    const interval = { rule: "step", intervalSeconds: 1.5, waitSeconds: 2 };
    store.urls.settle([{ ...known, history: [1, 2.5], interval } as Settlement], [], 3);
    store.urls.note([{ path: "/moved", depth: 0, lastmod: "2026-01-02" }], store.urls.beginList());
    store.urls.note([{ path: "/new", depth: 0, lastmod: undefined }], 0);
    for (const choice of ["known", "moved", "hinted"] as const) {
      const taken = store.urls.take(choice, 9, undefined, 100);
      assert.deepEqual(
        store.urls.takeCandidates(choice, 9, undefined, 100),
        taken.map(({ id, path, lastmod, askedAt, checkedAt, history, interval, postponed, held }) => ({
          ...{ id, path, lastmod, askedAt, checkedAt, history, interval, postponed, isHeld: held !== undefined },
        })),
      );
      const [, second] = taken;
      const rest = store.urls.takeCandidates(choice, 9, second, 1);
      assert.deepEqual(
        rest.map(({ path }) => path),
        taken.slice(2, 3).map(({ path }) => path),
      );
      assert.deepEqual(
        store.urls.takeCandidates(choice, 1, undefined, 100).map(({ path }) => path),
        store.taken(choice, 1),
      );
    }
    assert.deepEqual(store.taken("known", 9), ["/held", "/moved", "/history", "/gone"]);
  });

  it("remember when trouble began, where that counts, with at least how many attempts", () => {
    using store = new OpenedStore();
    store.answer(["/a", "/b", "/c"], 1);
    const since = 1_800_000_000;
    const fail = (path: string, attempts: number): void => {
      const postponed = { trouble: "gone", attempts, since, state: "due" } as const;
      store.urls.settle([{ kind: "postponed", url: store.find(path), postponed, dueAt: 0 }], [], 2);
    };
    fail("/a", 2);
    fail("/b", 300);
    store.urls.settle([postponedAs(store.find("/c"), "unavailable", 300)], [], 2);
    assert.deepEqual(store.find("/a").postponed, { trouble: "gone", attempts: 2, since });
    assert.deepEqual(store.find("/b").postponed, { trouble: "gone", attempts: 255, since });
    assert.deepEqual(store.find("/c").postponed, { trouble: "unavailable", attempts: 300 });
    assert.deepEqual(
      store.urls.takeCandidates("hinted", 9, undefined, 9).map(({ postponed }) => postponed?.attempts),
      [2, 255, 300],
    );
    const gone = { kind: "removed", url: store.find("/a"), reason: "not-found", askedAt: 3, dueAt: 4 } as const;
    store.urls.settle([{ ...gone, postponed: { trouble: "gone", attempts: 3, since, state: "due" } }], [], 3);
    assert.deepEqual(store.find("/a").postponed, { trouble: "gone", attempts: 3, since });
  });

  it("that are sampled did not move, and were not asked for in this visit", () => {
    using store = new OpenedStore();
    const paths = Array.from({ length: 50 }, (_, at) => `/${at}`);
    store.answer(paths, 1, "x");
    store.answer(["/0"], 1000, "x");
    const sample = store.urls.sample(10, 1000).map(({ path }) => path);
    assert.equal(new Set(sample).size, 10);
    const drawn = new Set(
      Array.from({ length: 40 }, (_, day) => store.urls.sample(10, 1000 + day * 86_400)).flatMap((some) =>
        some.map(({ path }) => path),
      ),
    );
    assert.ok(drawn.size >= 45, String(drawn.size));
    assert.ok(!store.urls.sample(50, 1000).some(({ path }) => path === "/0"));
  });

  it("that no list names any more have no lastmod and are due; lists that hold are left alone", () => {
    using store = new OpenedStore();
    const first = store.answer(["/a", "/b"], 1, "x");
    const second = store.answer(["/b", "/c"], 1, "x");
    store.urls.endLists([first, second]);
    assert.deepEqual(store.taken("moved"), []);
    store.urls.endLists([second]);
    assert.deepEqual([store.taken("moved"), store.taken("unsettled")], [["/a"], ["/a"]]);
    assert.equal(store.find("/a").held?.path, "/a");
  });

  it("that are gone are due at once where a list gives them another lastmod, or names them anew", () => {
    using store = new OpenedStore();
    const list = store.answer(["/same", "/moved", "/anew", "/undated"], 1, "x");
    const remove = (paths: readonly string[]): void => {
      const gone = paths.map((path) => store.find(path));
      const fate = { kind: "removed", reason: "gone", askedAt: 2, dueAt: 5000 } as const;
      store.urls.settle(
        gone.map((url) => ({ ...fate, url })),
        [],
        2,
      );
    };
    remove(["/same", "/moved", "/anew"]);
    store.urls.note([{ path: "/moved", depth: 0, lastmod: undefined }], 0);
    const second = store.urls.beginList();
    const name = (path: string, lastmod: string | undefined, list: number): void =>
      store.urls.note([{ path, depth: 0, lastmod }], list);
    name("/same", "x", second);
    name("/moved", "x", second);
    store.urls.endLists([second]);
    assert.deepEqual([store.taken("known"), store.taken("moved")], [["/undated"], ["/undated"]]);
    remove(["/undated"]);
    assert.deepEqual(store.taken("known"), []);
    name("/moved", "y", second);
    name("/anew", "x", second);
    name("/undated", undefined, second);
    const due = ["/anew", "/moved", "/undated"];
    assert.deepEqual([store.taken("known").toSorted(), store.taken("moved").toSorted()], [due, due]);
    remove(due);
    name("/undated", undefined, store.urls.beginList());
    store.urls.endLists([list, second]);
    assert.deepEqual([store.taken("known"), store.taken("known", 5000).length], [[], 4]);
  });

  it("keep validators where links are to be read again, and forget some tags", () => {
    using store = new OpenedStore();
    store.answer(["/a"], 1);
    store.urls.rereadLinks(["text/css"]);
    assert.equal(store.find("/a").hasUnreadLinks, false);
    store.urls.rereadLinks(["text/html"]);
    assert.deepEqual([store.find("/a").hasUnreadLinks, store.find("/a").validators.etag], [true, '"x"']);
    store.urls.forgetTags(['"x"', '"y"']);
    assert.deepEqual(Object.keys(store.find("/a").validators), ["lastModified"]);
    store.answer(["/a"], 2);
    assert.equal(store.find("/a").hasUnreadLinks, false);
  });

  it("are to be confirmed, each once, after another source brought what is held", () => {
    using store = new OpenedStore();
    store.answer(["/a", "/b"], 1);
    store.urls.unconfirmHeld();
    assert.deepEqual(store.taken("unconfirmed", 2), ["/a", "/b"]);
    assert.equal(store.find("/a").validators.etag, '"x"');
    store.answer(["/a"], 3);
    assert.deepEqual(store.taken("unconfirmed", 4), ["/b"]);
  });

  it("are what archives brought, too, as soon as there is a list, whether or not somebody has counted", () => {
    for (const hasCounted of [true, false]) {
      using store = new OpenedStore();
      const { memory } = store.site;
      const intake = memory.beginIntake();
      intake.list([{ path: "/a", sizeBytes: 1, digest: "d", lastModified: 1, mediaType: "text/html" }], false);
      const cursor = { epoch: "epoch-000001", publication: 1 };
      intake.commit({ cursor, typesKey: "text/html", since: 1, indexPath: "/index.gz", indexValidators: {} });
      const [work] = store.urls.take("announced", 0, undefined, 1);
      assert.ok(work !== undefined);
      store.urls.settle([answered(work, 1)], [], 1);
      assert.deepEqual(store.taken("known"), []);
      if (hasCounted) store.urls.counts();
      store.urls.beginList();
      assert.deepEqual(store.taken("known"), ["/a"], `counted: ${hasCounted}`);
    }
  });

  it("that are answered twice in a batch are kept once", () => {
    using store = new OpenedStore();
    store.urls.note([{ path: "/a", depth: 0, lastmod: undefined }], 0);
    const url = store.find("/a");
    store.urls.settle([answered(url, 1), answered(url, 2, '"y"')], [], 2);
    assert.equal(store.urls.counts().held, 1);
  });

  it("are gone as pages where the server says so, and known still", () => {
    using store = new OpenedStore();
    store.answer(["/a"], 1);
    store.urls.settle([{ kind: "removed", url: store.find("/a"), reason: "gone", askedAt: 2, dueAt: 5000 }], [], 2);
    assert.deepEqual([store.find("/a").held, store.find("/a").validators], [undefined, {}]);
    assert.deepEqual([store.taken("known"), store.taken("known", 5000)], [[], ["/a"]]);
  });

  it("that are one path with queries are found in their order, but not those that were held and are gone", () => {
    using store = new OpenedStore();
    store.answer(["/a", "/a?x=2", "/a?x=1", "/a?gone", "/a@b?x", "/ab?x", "/a/b?x"], 1);
    const note = ["/a?new", "/a?never"].map((path) => ({ path, depth: 1, lastmod: undefined }));
    store.urls.note(note, 0);
    const removals = ["/a?gone", "/a?never"].map((path): Settlement => {
      return { kind: "removed", url: store.find(path), reason: "gone", askedAt: 2, dueAt: 9 };
    });
    store.urls.settle(removals, [], 2);
    const paths = ["/a?never", "/a?new", "/a?x=1", "/a?x=2"];
    assert.deepEqual(store.urls.findQueries("/a", 10), paths);
    assert.deepEqual(store.urls.findQueries("/a", 2), paths.slice(0, 2));
    assert.deepEqual(store.urls.findQueries("/b", 10), []);
  });
});
