import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { countsOf, TestSite } from "./test-site.ts";

const small = { segmentSize: 5, minGroup: 2 };

/** Folders of a document root with their own entries, as text: what a watcher could know. */
function entriesOf(site: TestSite): Map<string, string> {
  const folders = new Map<string, string>();
  const visit = (name: string): void => {
    const path = join(site.docroot, name);
    const entries = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.name !== ".well-known");
    const lines = entries.map((entry) => {
      if (entry.isDirectory()) return `${entry.name}/`;
      return `${entry.name} ${readFileSync(join(path, entry.name), "latin1")} ${statSync(join(path, entry.name)).mtimeMs}`;
    });
    folders.set(name === "" ? "/" : `/${name}/`, lines.sort().join("\n"));
    for (const entry of entries) if (entry.isDirectory()) visit(name === "" ? entry.name : `${name}/${entry.name}`);
  };
  visit("");
  return folders;
}

function changedFolders(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

const namesOf = (site: TestSite): string[] =>
  readdirSync(site.docroot, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith(".well-known") && name !== "robots.txt")
    .filter((name) => statSync(join(site.docroot, name)).isFile())
    .sort();

type Operation = readonly ["write" | "remove" | "move", string, string];

function apply(site: TestSite, [kind, name, other]: Operation): void {
  const path = join(site.docroot, name);
  const target = join(site.docroot, other);
  try {
    if (kind === "write") site.write(name, `${name} ${other} ${Math.floor(site.nowMs / 1000)}`);
    else if (kind === "remove") rmSync(path, { recursive: true, force: true });
    else if (existsSync(path) && name !== other) {
      rmSync(target, { recursive: true, force: true });
      mkdirSync(dirname(target), { recursive: true });
      renameSync(path, target);
    }
  } catch {
    // A file where a folder would have to be: nothing happens.
  }
}

test("what parts of a site come to is what the whole would have come to", async () => {
  const name = fc.constantFrom(
    "a.html",
    "b.md",
    "b.md/c.html",
    "b.md/d.md/e.html",
    "b.md/d.md/f.png",
    "g.md/h.html",
    "g.md",
    "b.md/d.md",
    "g.md/i/j/k.css",
  );
  const operation: fc.Arbitrary<Operation> = fc.tuple(fc.constantFrom("write", "write", "remove", "move"), name, name);
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { maxLength: 12 }),
      fc.array(fc.tuple(fc.array(operation, { minLength: 1, maxLength: 6 }), fc.boolean()), {
        minLength: 1,
        maxLength: 4,
      }),
      async (first, rounds) => {
        using site = new TestSite();
        site.write("always.html", "always");
        for (const one of first) apply(site, one);
        await site.export(small);
        for (const [operations, asTrees] of rounds) {
          const before = entriesOf(site);
          site.nowMs += 5_000;
          for (const one of operations) apply(site, one);
          const changed = changedFolders(before, entriesOf(site));
          const parts = asTrees ? { folders: [], trees: changed } : { folders: changed, trees: [] };
          const { summary } = await site.export(small, parts);
          site.check(namesOf(site));
          assert.equal(summary.pages, namesOf(site).length);
        }
        const whole = await site.export(small);
        assert.equal(countsOf(whole), `${namesOf(site).length} pages: 0 created, 0 updated, 0 deleted, 0 touched`);
      },
    ),
    { numRuns: longer(10, 60) },
  );
});

test("only the parts that are named are looked at, and folders that came or went wholly", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "x/1.html", "x/y/2.html", "z/3.html"]) site.write(name, name);
  await site.export(small);
  site.write("a.html", "changed a");
  site.write("x/1.html", "changed 1");
  site.write("x/y/2.html", "changed 2");
  site.remove("z");
  site.write("new/deep/4.html", "4");
  const first = await site.export(small, { folders: ["/x/"], trees: [] });
  assert.equal(countsOf(first), "4 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  const second = await site.export(small, { folders: ["/"], trees: [] });
  assert.equal(countsOf(second), "4 pages: 1 created, 1 updated, 1 deleted, 0 touched");
  const third = await site.export(small, { folders: [], trees: ["/x/"] });
  assert.equal(countsOf(third), "4 pages: 0 created, 1 updated, 0 deleted, 0 touched");
  site.check(namesOf(site));
});

test("a folder that is held back, or lies in one, has no pages", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "x/1.html"]) site.write(name, name);
  await site.export(small);
  for (const name of [".git/config", "x/.hidden/2.html", "cgi-bin/3.html"]) site.write(name, name);
  const parts = {
    folders: ["/.git/", "/x/", "/x/.hidden/", "/cgi-bin/", "/none/at/all/", "/a.html/"],
    trees: ["/.git/"],
  };
  assert.equal(countsOf(await site.export(small, parts)), "2 pages: 0 created, 0 updated, 0 deleted, 0 touched");
  site.check(["a.html", "x/1.html"]);
});

test("without a state the whole site is looked at", async () => {
  using site = new TestSite();
  for (const name of ["a.html", "x/1.html"]) site.write(name, name);
  const run = await site.export(small, { folders: ["/x/"], trees: [] });
  assert.equal(countsOf(run), "2 pages: 2 created, 0 updated, 0 deleted, 0 touched");
});
