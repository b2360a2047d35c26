import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileDigester } from "../../../src/exporter/digest/file-digest.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { digestOf } from "../publish/test-site.ts";
import { walkAll } from "./walked.ts";

function makeSite(path: string): string {
  const docroot = join(path, "site");
  mkdirSync(join(docroot, "d/sub"), { recursive: true });
  writeFileSync(join(docroot, "d/page.html"), "page");
  writeFileSync(join(docroot, "d/sub/deep.html"), "deep");
  return docroot;
}

test("links within the root are followed, and sort as what they lead to", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  symlinkSync("d", join(docroot, "l"));
  symlinkSync("d/page.html", join(docroot, "l-file.html"));
  symlinkSync(join(docroot, "d/page.html"), join(docroot, "l.html"));
  writeFileSync(join(docroot, "l0.html"), "");
  const { paths, files, withheld } = await walkAll(docroot);
  assert.deepEqual(paths, [
    "/d/page.html",
    "/d/sub/deep.html",
    "/l-file.html",
    "/l.html",
    "/l/page.html",
    "/l/sub/deep.html",
    "/l0.html",
  ]);
  const linked = files.find(({ path }) => path === "/l-file.html") ?? assert.fail();
  assert.equal(linked.sizeBytes, 4);
  const { sizeBytes, mtimeUs, ctimeUs } = linked;
  const digest = digestOf("page");
  assert.deepEqual(new FileDigester().digest(linked), { kind: "digested", digest, sizeBytes, mtimeUs, ctimeUs });
  assert.deepEqual(withheld, {});
});

test("a link to a folder of the site is told, or held back, unless the folder itself is not published", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  symlinkSync("d", join(docroot, "latest"));
  symlinkSync("../latest/sub", join(docroot, "d/deepest"));
  const look = async (options: Parameters<typeof walkAll>[1]) => {
    const { paths, withheld, warnings } = await walkAll(docroot, options);
    return {
      paths,
      withheld,
      told: warnings.map(({ path, message }) => `${path} to ${/link to (\S+),/.exec(message)?.[1]}`),
    };
  };
  const twice = ["/d/deepest/deep.html", "/d/page.html", "/d/sub/deep.html"];
  const both = [...twice, ...twice.map((path) => path.replace("/d/", "/latest/"))];
  const told = ["/d/deepest/ to /d/sub/", "/latest/ to /d/", "/latest/deepest/ to /d/sub/"];
  assert.deepEqual(await look({}), { paths: both, withheld: {}, told });
  assert.deepEqual(await look({ folderLinks: "follow" }), { paths: both, withheld: {}, told: [] });
  assert.deepEqual(await look({ folderLinks: "hold" }), {
    paths: ["/d/page.html", "/d/sub/deep.html"],
    withheld: { "/d/deepest/": "folder-link", "/latest/": "folder-link" },
    told: [],
  });
  // The folder is held back: the link is the only path of its pages.
  for (const folderLinks of ["hold", undefined] as const) {
    const { paths, told: none } = await look({ exclude: ["d"], folderLinks });
    assert.deepEqual([paths.every((path) => path.startsWith("/latest/")), none], [true, []]);
  }
});

test("links to folders are told one by one up to a bound", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  for (let at = 0; at < 30; at++) symlinkSync("d", join(docroot, `v${at}`));
  const { warnings } = await walkAll(docroot);
  assert.equal(warnings.length, 21);
  assert.match(warnings.at(-1)?.message ?? "", /more links/);
});

test("links out of the root, to nothing, to themselves and to no file are held back by name", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  mkdirSync(join(folder.path, "site-secret"));
  writeFileSync(join(folder.path, "site-secret/key.html"), "secret");
  symlinkSync("/etc", join(docroot, "etc"));
  symlinkSync("/etc/passwd", join(docroot, "passwd.html"));
  symlinkSync("../site-secret", join(docroot, "sibling"));
  symlinkSync("../site-secret/key.html", join(docroot, "sibling.html"));
  symlinkSync("nowhere", join(docroot, "broken.html"));
  symlinkSync("d/page.html/x", join(docroot, "through-a-file.html"));
  symlinkSync("itself", join(docroot, "itself"));
  symlinkSync("pong", join(docroot, "ping"));
  symlinkSync("ping", join(docroot, "pong"));
  symlinkSync("..", join(docroot, "d/up"));
  symlinkSync(".", join(docroot, "d/sub/here"));
  const { paths, withheld, gaps } = await walkAll(docroot);
  assert.deepEqual(paths, ["/d/page.html", "/d/sub/deep.html"]);
  assert.deepEqual(withheld, {
    "/broken.html": "broken-link",
    "/d/sub/here/": "link-loop",
    "/d/up/": "link-loop",
    "/etc": "outside-root",
    "/itself": "link-loop",
    "/passwd.html": "outside-root",
    "/ping": "link-loop",
    "/pong": "link-loop",
    "/sibling": "outside-root",
    "/sibling.html": "outside-root",
    "/through-a-file.html": "broken-link",
  });
  assert.deepEqual(gaps, []);
});

test("folders that link to each other end", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  mkdirSync(join(docroot, "e"));
  writeFileSync(join(docroot, "e/page.html"), "");
  symlinkSync("../e", join(docroot, "d/e"));
  symlinkSync("../d", join(docroot, "e/d"));
  const { paths, withheld } = await walkAll(docroot);
  assert.ok(paths.includes("/d/e/page.html") && paths.includes("/e/d/sub/deep.html"));
  assert.ok(Object.values(withheld).every((rule) => rule === "link-loop"));
  assert.ok(paths.length < 40, `${paths.length} paths`);
});

test("a link publishes under no other name what its target's name holds back", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  mkdirSync(join(docroot, ".git"));
  mkdirSync(join(docroot, ".well-known/tidemark"), { recursive: true });
  mkdirSync(join(docroot, "closed/open"), { recursive: true });
  for (const name of [
    ".env",
    "dump.sql",
    "config.php",
    "page.html~",
    ".git/HEAD",
    "closed/a.html",
    "closed/open/b.html",
  ])
    writeFileSync(join(docroot, name), "secret");
  writeFileSync(join(docroot, ".well-known/tidemark/index.gz"), "");
  chmodSync(join(docroot, "closed"), 0o700);
  const targets: Record<string, string> = {
    "a.html": ".env",
    "b.html": "dump.sql",
    "c.html": "config.php",
    "d.html": "page.html~",
    "e.html": ".git/HEAD",
    f: ".git",
    "g.html": "closed/a.html",
    "h.html": "closed/open/b.html",
    i: "closed/open",
    j: ".well-known/tidemark",
  };
  for (const [name, target] of Object.entries(targets)) symlinkSync(target, join(docroot, name));
  const judgePath = (path: string) => (path.startsWith("/.well-known/tidemark/") ? "own-output" : undefined);
  const { paths, withheld } = await walkAll(docroot, { judgePath, include: ["**", ".well-known/**"] });
  assert.deepEqual(paths, ["/d/page.html", "/d/sub/deep.html"]);
  assert.equal(withheld["/a.html"], "private-data");
  assert.equal(withheld["/e.html"], "version-control");
  assert.equal(withheld["/g.html"], "unreadable");
  assert.equal(withheld["/h.html"], "unreadable");
  assert.equal(withheld["/i/"], "unreadable");
  assert.equal(withheld["/j/"], "own-output");
});

test("a document root that is itself a link is walked where it leads", async () => {
  using folder = makeTempFolder();
  const docroot = makeSite(folder.path);
  symlinkSync("site", join(folder.path, "current"));
  symlinkSync(join(folder.path, "current/d/page.html"), join(docroot, "by-way-of-the-link.html"));
  const { paths } = await walkAll(join(folder.path, "current"));
  assert.deepEqual(paths, ["/by-way-of-the-link.html", "/d/page.html", "/d/sub/deep.html"]);
});

test("a maze of links is entered four links deep", async () => {
  using folder = makeTempFolder();
  for (let at = 0; at < 8; at++) {
    mkdirSync(join(folder.path, `d${at}`));
    writeFileSync(join(folder.path, `d${at}/page.html`), "");
    symlinkSync(`../d${at + 1}`, join(folder.path, `d${at}/on`));
  }
  const { paths, withheld } = await walkAll(folder.path);
  assert.ok(paths.includes("/d0/on/on/on/on/page.html"));
  assert.equal(withheld["/d0/on/on/on/on/on/"], "link-loop");
  assert.equal(withheld["/d7/on"], "broken-link");
});
