import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ServedNameRules } from "../../../src/exporter/walk/served-names.ts";
import { encodePathSegment, isCanonicalPath } from "../../../src/formats/url/url-path.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { everyType, type WalkAllOptions, type Walked, type WalkedRoot, walkAll } from "./walked.ts";

const isOwnOutput: WalkAllOptions = { judgePath: (path) => (path === "/robots.txt" ? "own-output" : undefined) };

const codesOf = ({ warnings }: Walked): string[] => warnings.map(({ code, path }) => `${code} ${path}`);

function write(folder: string, ...names: string[]): void {
  for (const name of names) {
    const at = name.lastIndexOf("/");
    mkdirSync(join(folder, name.slice(0, Math.max(at, 0))), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
}

const both: ServedNameRules = { indexSegments: ["index.html", "index.htm"], cleanUrls: true };

test("an index file is its folder, and a page has no ending", async () => {
  using temp = makeTempFolder();
  write(temp.path, "index.html", "about.html", "old.htm", "a.txt", "docs/index.html", "docs/index.htm", "docs/a.html");
  const { paths, files } = await walkAll(temp.path, { servedNames: both });
  assert.deepEqual(paths, ["/", "/a.txt", "/about", "/docs/", "/docs/a", "/docs/index", "/old"]);
  for (const { path, mediaType } of files) assert.equal(mediaType, path === "/a.txt" ? "text/plain" : "text/html");
});

test("who has the short name keeps it, and the page that would take it keeps its own", async () => {
  using temp = makeTempFolder();
  write(temp.path, "a.html", "a/x.txt", "b.html", "b", "c.html", "c.htm", "d.html.html", "d.html", "robots.txt.html");
  mkdirSync(join(temp.path, "e/index.html"), { recursive: true });
  write(temp.path, "e/index.html/page.html", "e/index.htm");
  const walked = await walkAll(temp.path, { ...isOwnOutput, servedNames: both, include: everyType });
  assert.deepEqual(walked.paths, [
    "/a.html",
    "/a/x.txt",
    "/b",
    "/b.html",
    "/c",
    "/c.htm",
    "/d",
    "/d.html.html",
    "/e/",
    "/e/index.html/page",
    "/robots.txt.html",
  ]);
  assert.deepEqual(
    codesOf(walked).sort(),
    ["/a.html", "/b.html", "/c.htm", "/d.html.html", "/robots.txt.html"].map((path) => `url-collision ${path}`),
  );
});

test("a site that has the same collision everywhere is told so twenty times", async () => {
  using temp = makeTempFolder();
  for (let at = 0; at < 50; at++) write(temp.path, `p${at}.html`, `p${at}/x.txt`);
  const codes = codesOf(await walkAll(temp.path, { servedNames: both }));
  assert.deepEqual([codes.length, codes.at(-1)], [21, "url-collision undefined"]);
});

test("a mapped folder stands below its prefix, the longest prefix wins, and what it covers is not published", async () => {
  using temp = makeTempFolder();
  write(temp.path, "site/static/covered.txt", "site/a.txt", "site/staticity.txt", "site/static.txt", "site/z.txt");
  write(temp.path, "static/b.css", "static/deep/covered.css", "static/index.html", "deep/c.css", "other/d.txt");
  const roots = [
    { prefix: "/", folder: join(temp.path, "site") },
    { prefix: "/static/deep/", folder: join(temp.path, "deep") },
    { prefix: "/static/", folder: join(temp.path, "static") },
    { prefix: "/not/there/", folder: join(temp.path, "other") },
  ];
  const { paths, withheld } = await walkAll(roots, { servedNames: { ...both, cleanUrls: false } });
  assert.deepEqual(paths, [
    "/a.txt",
    "/not/there/d.txt",
    "/static.txt",
    "/static/",
    "/static/b.css",
    "/static/deep/c.css",
    "/staticity.txt",
    "/z.txt",
  ]);
  assert.deepEqual(withheld, { "/static/": "shadowed", "/static/deep/": "shadowed" });
});

test("rules hold below a mapped prefix: names, links out of its root, patterns, what we write ourselves", async () => {
  using temp = makeTempFolder();
  write(temp.path, "site/a.txt", "site/robots.txt", "site/x.html", "map/.git/HEAD", "map/dump.sql", "map/ok.txt");
  write(temp.path, "map/drafts/d.txt", "private/p.txt", "map/robots.txt");
  symlinkSync("../site/a.txt", join(temp.path, "map/out.txt"));
  symlinkSync("robots.txt", join(temp.path, "map/linked.txt"));
  const map = [
    { prefix: "/", folder: join(temp.path, "site") },
    { prefix: "/m/", folder: join(temp.path, "map") },
    { prefix: "/private/p/", folder: join(temp.path, "private") },
  ];
  const { paths, withheld } = await walkAll(map, {
    ...isOwnOutput,
    exclude: ["m/drafts", "private/**"],
    isOwnPlace: () => false,
  });
  assert.deepEqual(paths, ["/a.txt", "/m/linked.txt", "/m/ok.txt", "/m/robots.txt", "/x.html"]);
  assert.deepEqual(withheld, {
    "/m/.git/": "version-control",
    "/m/drafts/": "excluded",
    "/m/dump.sql": "private-data",
    "/m/out.txt": "outside-root",
    "/private/p/": "excluded",
    "/robots.txt": "own-output",
  });
  const whole = [map[0] as WalkedRoot, { prefix: "/all/", folder: temp.path }];
  const isOwnPlace = (place: string): boolean => place === join(temp.path, "site/robots.txt");
  const again = await walkAll(whole, { ...isOwnOutput, isOwnPlace });
  assert.equal(again.withheld["/all/site/robots.txt"], "own-output");
  assert.ok(again.paths.includes("/all/site/x.html") && again.paths.includes("/all/map/linked.txt"));
});

/** The rules of the served names once more, told as plainly as possible: everything is listed, then sorted. */
function listNaively(roots: readonly WalkedRoot[], rules: ServedNameRules): [path: string, location: string][] {
  const found: [string, string][] = [];
  const prefixes = roots.map(({ prefix }) => prefix).filter((prefix) => prefix !== "/");
  const visit = (path: string, place: Buffer): void => {
    const names = readdirSync(place, { encoding: "latin1" as "utf8" });
    const at = (name: string) => Buffer.concat([place, Buffer.from("/"), Buffer.from(name, "latin1")]);
    const files = names.filter((name) => lstatSync(at(name)).isFile());
    const index = rules.indexSegments.find((name) => files.includes(name));
    const given = new Set(names);
    const later = (name: string): number => (name.endsWith(".html") ? 0 : 1);
    for (const name of files.sort((a, b) => later(a) - later(b) || (a < b ? -1 : 1))) {
      const short = name.replace(/\.html?$/, "");
      const isFree = !given.has(short) && !prefixes.includes(`${path}${encodePathSegment(short)}/`);
      let served = name;
      if (name === index) served = "";
      else if (rules.cleanUrls && short !== name && isFree) {
        given.add(short);
        served = short;
      }
      found.push([path + encodePathSegment(served), at(name).toString("latin1")]);
    }
    for (const name of names) {
      const below = `${path}${encodePathSegment(name)}/`;
      if (lstatSync(at(name)).isDirectory() && !prefixes.includes(below)) visit(below, at(name));
    }
  };
  for (const { prefix, folder } of roots) visit(prefix, Buffer.from(folder));
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const stem = fc
  .array(fc.constantFrom(..."ab-0%,! é\x01"), { minLength: 1, maxLength: 2 })
  .map((letters) => Buffer.from(letters.join("")).toString("latin1"));
const name = fc.oneof(
  stem,
  fc.tuple(stem, fc.constantFrom(".html", ".htm", ".HTML", ".txt", ".html.html")).map((parts) => parts.join("")),
  fc.constantFrom("index.html", "index.htm", "index"),
);
const tree = fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 14 });

test("whatever is renamed and mapped: the walk gives what a sort of everything gives, each URL once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(tree, { minLength: 1, maxLength: 3 }),
      fc.array(fc.array(stem, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 2 }),
      fc.constantFrom([], ["index.html"], ["index.htm", "index.html"]),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      async (trees, mounts, indexSegments, cleanUrls, batchSize) => {
        using temp = makeTempFolder();
        const taken = new Set(["/"]);
        const roots: WalkedRoot[] = [];
        for (const [at, files] of trees.entries()) {
          const mount = mounts[at - 1]?.map(encodePathSegment).join("/");
          const prefix = mount === undefined ? "/" : `/${mount}/`;
          if (at > 0 && taken.has(prefix)) continue;
          taken.add(prefix);
          const folder = join(temp.path, `root${at}`);
          mkdirSync(folder);
          roots.push({ prefix, folder });
          for (const parts of files) makeFile(folder, parts);
        }
        const rules = { indexSegments, cleanUrls };
        const { files, paths } = await walkAll(roots, { servedNames: rules, batchSize, include: everyType });
        const pages = files.map(({ path, location }) => [path, Buffer.from(location as string).toString("latin1")]);
        assert.deepEqual(pages, listNaively(roots, rules));
        assert.equal(new Set(paths).size, paths.length);
        for (const path of paths) assert.ok(isCanonicalPath(path), path);
      },
    ),
    { numRuns: 200 },
  );
});

function makeFile(folder: string, parts: readonly string[]): void {
  let place = Buffer.from(folder);
  try {
    for (const [at, part] of parts.entries()) {
      place = Buffer.concat([place, Buffer.from("/"), Buffer.from(part, "latin1")]);
      if (at < parts.length - 1) mkdirSync(place, { recursive: true });
      else writeFileSync(place, "x");
    }
  } catch (error) {
    // A file stands where a folder is wanted, or the other way round.
    assert.match((error as NodeJS.ErrnoException).code ?? "", /EEXIST|ENOTDIR|EISDIR/);
  }
}
