import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { ExportEvent } from "../../../src/core/index.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { compareNames } from "../../../src/exporter/naming/canonical-names.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const site = "https://a.example/";

describe("a page's own URL beside the one under which it is published", () => {
  const rows: ReadonlyArray<readonly [path: string, canonical: string, difference: object[] | "same" | undefined]> = [
    ["/a.html", "https://a.example/a.html", "same"],
    ["/docs/index.html", "https://a.example/docs/", [{ kind: "index", name: "index.html" }]],
    ["/index.htm", "https://a.example/", [{ kind: "index", name: "index.htm" }]],
    ["/a.html", "https://a.example/a", [{ kind: "clean" }]],
    ["/docs/", "https://a.example/docs/index.html", [{ kind: "full", option: "index" }]],
    ["/a", "https://a.example/a.html", [{ kind: "full", option: "clean-urls" }]],
    ["/docs/index.html", "https://a.example/p/docs/", [{ kind: "prefix", prefix: "/p/" }]],
    ["/a.html", "https://www.a.example/a.html", [{ kind: "origin", origin: "https://www.a.example/" }]],
    ["/a.html", "http://a.example/a", [{ kind: "origin", origin: "http://a.example/" }, { kind: "clean" }]],
    ["/a.html", "https://a.example/b.html", undefined],
    ["/index.html", "https://a.example/en/", undefined],
    ["/a.html", "https://a.example/a.html?page=2", undefined],
    ["/a.html", "https://b.example/p/a.html", undefined],
  ];
  for (const [path, canonical, difference] of rows)
    it(`${path} ${canonical}`, () => assert.deepEqual(compareNames(path, canonical, site), difference));
});

const canonical = (url: string): string => `<title>x</title><link rel="canonical" href="${url}">`;

describe("an export of pages that call themselves by other URLs", () => {
  async function exportPages(files: Readonly<Record<string, string>>, options: object = {}): Promise<ExportEvent[]> {
    using folder = makeTempFolder();
    const docroot = join(folder.path, "site");
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(docroot, path)), { recursive: true });
      writeFileSync(join(docroot, path), text);
    }
    const events: ExportEvent[] = [];
    const settings = { docroot, baseUrl: site, stateDir: join(folder.path, "state"), ...options };
    const onEvent = (event: ExportEvent): number => events.push(event);
    const summary = await exportSite({ ...settings, onEvent });
    const warnings = events.filter(({ event }) => event === "warning");
    assert.equal(summary.warnings, warnings.length);
    assert.equal((await exportSite({ ...settings, onEvent: () => undefined })).warnings, 0, "nothing changed");
    return warnings;
  }
  const hugo = {
    "index.html": canonical("/"),
    "posts/index.html": canonical("/posts/"),
    "posts/one/index.html": canonical("https://a.example/posts/one/"),
    "404.html": "<title>none</title>",
  };

  it("warns once, with the option", async () => {
    const [warning, ...others] = await exportPages(hugo);
    assert.deepEqual(others, []);
    assert.ok(warning?.event === "warning" && warning.code === "other-urls");
    assert.match(
      warning.message,
      /^3 of 3 sampled pages .* https:\/\/a\.example\/ and not \/index\.html\..* --index index\.html\.$/,
    );
  });

  it("is silent with that option, and where pages agree or name others", async () => {
    assert.deepEqual(await exportPages(hugo, { index: ["index.html"] }), []);
    const agreeing = { "a.html": canonical("/a.html"), "b.html": canonical("/a.html"), "c.html": "<p>none" };
    assert.deepEqual(await exportPages(agreeing), []);
  });

  it("says so too where an option shortens what pages call by its full name, in mapped folders as well", async () => {
    const [warning] = await exportPages({ "a.html": canonical("/a.html") }, { cleanUrls: true });
    assert.match(warning?.event === "warning" ? warning.message : "", /: no --clean-urls\.$/);
    using folder = makeTempFolder();
    writeFileSync(join(folder.path, "index.html"), canonical("/m/"));
    const map = [{ urlPrefix: "/m/", folder: folder.path }];
    const [mapped] = await exportPages({ "a.txt": "x" }, { map });
    assert.match(mapped?.event === "warning" ? mapped.message : "", /--index index\.html/);
  });

  it("finds a folder that is shown below a prefix, and another origin", async () => {
    const prefixed = { "a.html": canonical("/p/a.html"), "b.html": canonical("/p/b.html") };
    const [prefix] = await exportPages(prefixed);
    assert.match(prefix?.event === "warning" ? prefix.message : "", /--map \/p\/=FOLDER/);
    const www = "https://www.a.example";
    const [origin] = await exportPages({ "a.html": canonical(`${www}/a.html`), "b.html": canonical(`${www}/b.html`) });
    assert.match(origin?.event === "warning" ? origin.message : "", /--base-url https:\/\/www\.a\.example\/\.$/);
  });
});
