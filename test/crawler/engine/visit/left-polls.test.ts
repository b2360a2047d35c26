import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visitInStore } from "../../../../src/crawler/crawl-site.ts";
import { LeftPolls } from "../../../../src/crawler/engine/visit/left-polls.ts";
import { createPoliteness } from "../../../../src/crawler/politeness.ts";
import { openStore, type Store } from "../../../../src/storage/index.ts";
import { makeTempFolder, type TempFolder } from "../../../temp-folder.ts";
import { urlset } from "../mapped-site.ts";
import { PublishedSite } from "../published-site.ts";

const [a, b, c] = ["https://a.example", "https://b.example", "https://c.example"];
const dayMs = 86_400_000;
const names = Array.from({ length: 40 }, (_, at) => `/${String(at).padStart(2, "0")}.html`);

describe("choices that are left", () => {
  it("are those of their site and kind, for three hours, until lists are read", () => {
    const left = new LeftPolls();
    left.keep(a, "known", { paths: ["/a"], nextDueAt: 7, chosenAt: 1000 });
    assert.deepEqual(left.read(a, "known", 2000, 0), { paths: ["/a"], nextDueAt: 7, chosenAt: 1000 });
    assert.equal(left.read(a, "known", 1000 + dayMs / 8 - 1, 1000)?.chosenAt, 1000);
    assert.equal(left.read(a, "known", 1000 + dayMs / 8, 0), undefined);
    assert.equal(left.read(a, "known", 2000, 1001), undefined);
    assert.equal(left.read(a, "known", 999, 0), undefined, "the clock was set back");
    assert.equal(left.read(a, "overdue", 2000, 0), undefined);
    assert.equal(left.read(b, "known", 2000, 0), undefined);
    left.keep(a, "moved", { paths: ["/b"], nextDueAt: undefined, chosenAt: 1000 });
    left.forget(a, "known");
    assert.equal(left.read(a, "known", 2000, 0), undefined);
    assert.deepEqual(left.read(a, "moved", 2000, 0)?.paths, ["/b"]);
    left.forget(a);
    assert.equal(left.read(a, "moved", 2000, 0), undefined);
  });

  it("take no more memory than they may: those of the sites of the longest ago are forgotten", () => {
    const left = new LeftPolls(3 * 100 + 5 * (16 + "/00.html".length));
    const keep = (site: string, kind: "known" | "hinted", count: number): void =>
      left.keep(site, kind, { paths: names.slice(0, count), nextDueAt: undefined, chosenAt: 0 });
    const kept = (): string[] => [a, b, c].filter((site) => left.read(site, "known", 1, 0) !== undefined);
    keep(a, "known", 2);
    keep(b, "known", 2);
    keep(a, "known", 1);
    keep(c, "known", 2);
    assert.deepEqual(kept(), [a, b, c]);
    keep(a, "hinted", 1);
    assert.deepEqual(kept(), [a, c]);
    keep(b, "known", 2);
    assert.deepEqual(kept(), [a, b]);
    keep(c, "known", 20);
    assert.deepEqual(kept(), []);
    left.forget(b);
    keep(a, "known", 5);
    keep(a, "known", 13);
    assert.deepEqual(kept(), [a], "nothing is counted twice");
  });
});

/** Visits of one process to one site, whose clock the test sets. */
class Visits implements AsyncDisposable {
  readonly site: PublishedSite;
  readonly #temp: TempFolder = makeTempFolder();
  readonly #store: Store = openStore({ into: this.#temp.path });
  readonly #left = new LeftPolls();
  now = 1_800_000_000_000;

  constructor(site: PublishedSite) {
    this.site = site;
    site.set(Object.fromEntries(names.map((name) => [name, name])));
    site.set({ "/": names.map((name) => `<a href="${name}">x</a>`).join("") });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#store[Symbol.dispose]();
    this.#temp[Symbol.dispose]();
    await this.site[Symbol.asyncDispose]();
  }

  /**
   * @param most - requests after which the visit is ended in order
   * @returns the pages that were requested
   */
  async visit(
    budget?: number,
    most = Infinity,
    source: "links" | "sitemap" = "links",
    goesOn = true,
  ): Promise<string[]> {
    const clock = (): number => this.now;
    const delay = async (delayMs: number): Promise<void> => {
      this.now += delayMs;
    };
    this.site.takeRequests();
    let requests = 0;
    await visitInStore(
      {
        ...{ store: this.#store, clock, delay, politeness: createPoliteness({ clock, delay, random: () => 0 }) },
        onOutcome: () => {
          requests++;
        },
      },
      {
        ...{ origin: this.site.origin, url: `${this.site.origin}/`, isPlanned: true, sources: [source] },
        ...(budget === undefined ? {} : { budget }),
        mayGoOn: () => requests < most,
        ...(goesOn ? { leftPolls: this.#left } : {}),
      },
    );
    return this.site
      .takeRequests()
      .map((request) => request.slice("200 ".length))
      .filter((path) => path !== "/robots.txt" && path !== "/sitemap.xml");
  }

  /** Another crawler tells that it finds all pages unchanged. */
  checkAll(): void {
    const site = this.#store.openSite(this.site.origin);
    const at = Math.floor(this.now / 1000);
    const known = site.urls.take("known", at + 1, undefined, 100);
    this.#store.peers.move({ added: [], sooner: [], later: known.map(({ id }) => [id, at, 0] as const) });
    site.close();
  }

  /** When it was chosen last among all known pages. */
  get chosenAt(): number | undefined {
    const site = this.#store.openSite(this.site.origin);
    const { at } = (site.memory.readSource("pace") ?? {}) as { readonly at?: number };
    site.close();
    return at;
  }

  /** Visits that are ended after a few requests, some minutes from each other. */
  async *parts(count: number, budget: number, source?: "links" | "sitemap"): AsyncGenerator<string[]> {
    for (let left = budget; count > 0; count--) {
      const polled = await this.visit(left, 7, source);
      yield polled;
      left -= polled.length;
      this.now += 10 * 60_000;
    }
  }
}

describe("a visit that goes on with one that was ended in order", () => {
  it("requests what that one chose and did not come to, and looks at no page for it", async () => {
    await using visits = new Visits(await PublishedSite.open());
    await visits.visit();
    visits.now += 30 * dayMs;
    const polled: string[] = [];
    const chosenAt = new Set<number | undefined>();
    for await (const part of visits.parts(3, 20)) {
      assert.ok(part.length >= 5, part.join());
      polled.push(...part);
      chosenAt.add(visits.chosenAt);
    }
    assert.equal(chosenAt.size, 1);
    assert.equal(new Set(polled).size, polled.length);
    const rest = await visits.visit(20 - polled.length);
    assert.equal(new Set([...polled, ...rest]).size, 20);
    // That was all of it: the next one chooses among the others.
    const next = await visits.visit(5);
    assert.equal(new Set([...polled, ...rest, ...next]).size, 25);
    assert.ok(!chosenAt.has(visits.chosenAt));
  });

  it("chooses anew where its budget allows for more", async () => {
    await using visits = new Visits(await PublishedSite.open());
    await visits.visit();
    visits.now += 30 * dayMs;
    const first = await visits.visit(10, 7);
    const chosenAt = visits.chosenAt;
    visits.now += 60_000;
    const second = await visits.visit(20);
    assert.equal(new Set([...first, ...second]).size, first.length + 20);
    assert.notEqual(visits.chosenAt, chosenAt);
  });

  it("chooses anew where the one before spent its budget with its last request", async () => {
    await using visits = new Visits(await PublishedSite.open());
    await visits.visit();
    visits.now += 30 * dayMs;
    // With robots.txt.
    const first = await visits.visit(6, 7);
    assert.equal(first.length, 6);
    visits.now += 60 * 60_000;
    const second = await visits.visit(5);
    assert.equal(new Set([...first, ...second]).size, 11);
  });

  it("draws no sample of pages that were just polled, because a sitemap that is trusted called them changed", async () => {
    await using visits = new Visits(await PublishedSite.open());
    const { site } = visits;
    // All change each day, and the sitemap says so.
    for (let day = 0; day < 5; day++) {
      const lastmod = `2027-01-${15 + day}`;
      const listed = names.map((path) => ({ path, lastmod }));
      site.set(Object.fromEntries(names.map((path) => [path, `${path} on ${day}`])));
      site.files.set("/sitemap.xml", Buffer.from(urlset(site.origin, listed)));
      if (day < 4) await visits.visit(undefined, Infinity, "sitemap");
      if (day < 4) visits.now += dayMs;
    }
    const polled: string[] = [];
    // Until one ends before its last request.
    for (let part = 13; part >= 13 && polled.length < 100; visits.now += 60_000) {
      const some = await visits.visit(undefined, 15, "sitemap");
      polled.push(...some);
      part = some.length;
    }
    assert.deepEqual(polled.sort(), names);
  });

  it("chooses anew after three hours", async () => {
    await using visits = new Visits(await PublishedSite.open());
    await visits.visit();
    visits.now += 30 * dayMs;
    await visits.visit(20, 7);
    const chosenAt = visits.chosenAt;
    visits.now += dayMs / 8;
    await visits.visit(13, 7);
    assert.notEqual(visits.chosenAt, chosenAt);
  });

  it("does not request what another visit requested meanwhile", async () => {
    await using visits = new Visits(await PublishedSite.open());
    await visits.visit();
    visits.now += 30 * dayMs;
    const first = await visits.visit(20, 7);
    visits.now += 60_000;
    const other = await visits.visit(10, Infinity, "links", false);
    visits.now += 60_000;
    const second = await visits.visit(20 - first.length, 100);
    assert.equal(new Set([...first, ...other, ...second]).size, first.length + other.length + second.length);
  });

  it("does not request what another crawler found unchanged meanwhile", async () => {
    await using visits = new Visits(await PublishedSite.open());
    await visits.visit();
    visits.now += 30 * dayMs;
    const first = await visits.visit(20, 7);
    visits.now += 60_000;
    visits.checkAll();
    visits.now += 60_000;
    const second = await visits.visit(20 - first.length, 7);
    assert.deepEqual(second, []);
  });

  it("requests what a list called changed, until lists are read again", async () => {
    await using visits = new Visits(await PublishedSite.open());
    const { site } = visits;
    const publish = (changed: readonly string[]): void => {
      const dateOf = (path: string): string => (changed.includes(path) ? "2027-01-17" : "2026-01-01");
      const text = urlset(
        site.origin,
        names.map((path) => ({ path, lastmod: dateOf(path) })),
      );
      site.files.set("/sitemap.xml", Buffer.from(text));
    };
    publish([]);
    await visits.visit(undefined, Infinity, "sitemap");
    visits.now += 2 * dayMs;
    const changed = names.slice(0, 30);
    site.set(Object.fromEntries(changed.map((name) => [name, `${name} 2`])));
    publish(changed);
    const polled = await visits.visit(10, 7, "sitemap");
    visits.now += 50 * 60_000;
    polled.push(...(await visits.visit(30, 9, "sitemap")));
    assert.equal(new Set(polled).size, polled.length);
    assert.ok(polled.length > 10, "the rest of the first choice, and the begin of a second");
    assert.deepEqual(
      polled.filter((path) => !changed.includes(path)),
      [],
    );
    // The second choice is not an hour old, but the lists are, and they call others changed now.
    visits.now += 15 * 60_000;
    publish([...polled, ...names.slice(30)]);
    const last = await visits.visit(10, 7, "sitemap");
    assert.ok(last.length > 0);
    assert.deepEqual(
      last.filter((path) => !names.slice(30).includes(path)),
      [],
    );
  });
});
