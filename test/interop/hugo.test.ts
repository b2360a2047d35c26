import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import type { ExportEvent } from "../../src/core/index.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { readPublication } from "../../src/exporter/publish/publication-changes.ts";
import { proposeSite } from "../../src/exporter/setup/site-proposal.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

const layout = `<!doctype html><html><head><title>{{ .Title }}</title><link rel="canonical" href="{{ .Permalink }}"></head>
<body>{{ .Content }}{{ range .Site.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</body></html>
`;

/** A small site, built by Hugo. @returns its folder of pages */
function buildSite(folder: string): string {
  const files: Record<string, string> = {
    "hugo.toml": "baseURL = 'https://hugo-test.example/'\ntitle = 'A site'\n",
    "layouts/home.html": layout,
    "layouts/page.html": layout,
    "layouts/section.html": layout,
    "content/about.md": "+++\ntitle = 'About'\n+++\nabout\n",
  };
  for (const name of ["one", "two", "three"])
    files[`content/posts/${name}.md`] = `+++\ntitle = '${name}'\ndate = 2020-01-01\n+++\n${name}\n`;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const hugo = join(requireCached("hugo-1"), "bin", "hugo");
  execFileSync(hugo, ["--source", folder, "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
  return join(folder, "public");
}

it("a site that Hugo built is published under the URLs of its own sitemap, as proposed and as warned", {
  skip: skipWithoutCached("hugo-1"),
  timeout: 60_000,
}, async () => {
  using folder = makeTempFolder();
  const docroot = buildSite(join(folder.path, "hugo"));
  const { settings, baseUrlFrom } = await proposeSite({ docroot });
  assert.deepEqual([settings.index, settings.cleanUrls, baseUrlFrom], [["index.html"], undefined, "home page"]);
  const warnings: string[] = [];
  const onEvent = (event: ExportEvent): void => {
    if (event.event === "warning") warnings.push(event.message);
  };
  const { baseUrl } = settings;
  await exportSite({ docroot, baseUrl, stateDir: join(folder.path, "plain"), dryRun: true, onEvent });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /: --index index\.html\.$/);
  const { warnings: count } = await exportSite({ ...settings, stateDir: join(folder.path, "state") });
  assert.equal(count, 0);
  const published = new Set<string>();
  for await (const change of readPublication({ documentRoot: docroot }))
    if (change.kind === "created") published.add(new URL(change.page.path, baseUrl).href);
  const sitemap = readFileSync(join(docroot, "sitemap.xml"), "utf8");
  const listed = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url ?? "");
  assert.ok(listed.includes("https://hugo-test.example/posts/one/"));
  // Taxonomies without a layout are listed, and have no page.
  const missing = listed.filter((url) => !published.has(url) && !/\/(?:tags|categories)\/$/.test(url));
  assert.deepEqual(missing, []);
});
