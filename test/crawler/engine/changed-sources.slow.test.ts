import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type SourceName, sourceNames } from "../../../src/core/crawl-event.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { dayMs, SyncedSite } from "./synced-site.ts";

const names = ["a", "b", "docs/c", "docs/d"] as const;

/** One day of a site and of who follows it. */
interface Day {
  /** Which of the pages are written anew or removed; -1 removes one, other numbers are what it says. */
  readonly edits: readonly { readonly page: number; readonly text: number }[];
  readonly source: SourceName;
}

/** A site whose files have the times of its clock, so that equal texts of one page may have equal times. */
class EditedSite implements AsyncDisposable {
  readonly site: SyncedSite;
  readonly #texts = new Map<string, number>();

  constructor(site: SyncedSite) {
    this.site = site;
  }

  static async open(): Promise<EditedSite> {
    const edited = new EditedSite(await SyncedSite.open(0));
    edited.edit(names.map((_, page) => ({ page, text: 0 })));
    return edited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
  }

  edit(edits: Day["edits"]): void {
    for (const { page, text } of edits) {
      const name = names[page] ?? "a";
      if (text < 0 && this.#texts.has(name)) rmSync(join(this.site.docroot, `${name}.html`));
      if (text < 0) this.#texts.delete(name);
      else if (this.#texts.get(name) !== text) this.#write(name, text);
    }
    const links = [...this.#texts.keys()].map((name) => `<a href="/${name}.html">${name}</a>`).join(" ");
    this.#put("index.html", `<a href="/docs/">docs</a> ${links}`, this.site.now);
    this.#put("docs/index.html", `<a href="/">home</a> ${links}`, this.site.now);
  }

  // A text is restored with the time that it had: only what it says, and what is remembered of it, tells it from the one before.
  #write(name: string, text: number): void {
    this.#texts.set(name, text);
    this.#put(`${name}.html`, `<p>${name} says ${text}`, Date.UTC(2026, 0, 1 + text));
  }

  #put(name: string, text: string, timeMs: number): void {
    this.site.write(name, text);
    utimesSync(join(this.site.docroot, name), timeMs / 1000, timeMs / 1000);
  }

  async visit(source: SourceName): Promise<void> {
    this.site.now += dayMs;
    await this.site.publish({ sitemap: true });
    const urls = ["", "docs/", ...[...this.#texts.keys()].map((name) => `${name}.html`)];
    const { summary } = await this.site.crawl({
      sources: [source],
      urls: urls.map((path) => `${this.site.url}/${path}`),
      lookAgainMs: 0,
    });
    assert.equal(summary.source, source);
  }

  /** Whether nothing is held that is not served, and nothing otherwise than it is served. */
  assertTrue(): void {
    const held = Object.entries(this.site.held());
    const served = new Map(Object.entries(this.site.served()));
    for (const [path, text] of held)
      assert.equal(text, served.get(path.replace(/~tidemark-[^/]*$/, "index.html")), path);
    for (const name of this.#texts.keys())
      assert.ok(
        held.some(([path]) => path === `/${name}.html`),
        name,
      );
  }
}

const listsAll = new Set<SourceName>(["archives", "resourcesync"]);

async function followTo(edited: EditedSite, last: SourceName): Promise<void> {
  // What is gone and in no list is believed gone on the third visit that says so.
  for (let day = 0; day < (listsAll.has(last) ? 1 : 3); day++) await edited.visit(last);
  if (listsAll.has(last)) edited.site.assertMirrored();
  else edited.assertTrue();
}

/** A crawl in a process of its own that is killed at one of its requests, or ends before it. */
async function crawlAndKill({ site }: EditedSite, source: SourceName, atRequest: number): Promise<void> {
  const program = join(repositoryFolder(), "bin", "tidemark.js");
  const args = [program, "crawl", site.url, "--into", site.mirror, "--source", source, "--quiet"];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  let left = atRequest;
  site.onRequest = () => void (--left === 0 && child.kill("SIGKILL"));
  await once(child, "close");
  site.onRequest = () => undefined;
}

describe("a mirror that several sources brought", () => {
  for (const [other, last] of [
    ["links", "archives"],
    ["links", "resourcesync"],
    ["archives", "links"],
    ["archives", "sitemap"],
  ] as const)
    it(`is true where ${last} take the place of ${other} and the crawl is killed again and again`, async () => {
      await using edited = await EditedSite.open();
      edited.site.now = Date.now() - 10 * dayMs;
      await edited.visit(last);
      edited.edit(names.map((_, page) => ({ page, text: page % 2 })));
      await edited.visit(other);
      edited.edit(names.map((_, page) => ({ page, text: page === 2 ? -1 : 0 })));
      edited.site.now += dayMs;
      await edited.site.publish({ sitemap: true });
      for (const atRequest of [2, 3, 4, 5, 6, 7, 9]) await crawlAndKill(edited, last, atRequest);
      edited.site.now = Date.now() + dayMs;
      await followTo(edited, last);
    });

  for (const first of sourceNames)
    for (const other of sourceNames)
      if (first !== other)
        it(`is true after ${first}, ${other}, and ${first} again`, async () => {
          await using edited = await EditedSite.open();
          await edited.visit(first);
          edited.edit([
            { page: 0, text: 1 },
            { page: 1, text: -1 },
            { page: 2, text: 1 },
          ]);
          await edited.visit(other);
          edited.edit([
            { page: 0, text: 0 },
            { page: 1, text: 0 },
            { page: 3, text: -1 },
          ]);
          await followTo(edited, first);
        });

  it("is true after any of them in any order", async () => {
    const edit = fc.record({ page: fc.nat(names.length - 1), text: fc.integer({ min: -1, max: 2 }) });
    const day = fc.record({ edits: fc.array(edit, { maxLength: 3 }), source: fc.constantFrom(...sourceNames) });
    const days = fc.array(day, { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(days, fc.constantFrom(...sourceNames), async (history, last) => {
        await using edited = await EditedSite.open();
        for (const { edits, source } of history) {
          edited.edit(edits);
          await edited.visit(source);
        }
        await followTo(edited, last);
      }),
      { numRuns: 25 },
    );
  });
});
