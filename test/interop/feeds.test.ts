import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { exportSite } from "../../src/exporter/export-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { requireCached, skipWithoutCached } from "./programs.ts";

// What feedparser finds wrong in the form of a document it says as `bozo`; what RFC 4287 requires is looked for.
const reader = `
import json, sys, feedparser
from jsonfeedvalidator.validator import json_schema_validator
from datetime import datetime
atom = feedparser.parse(open(sys.argv[1], "rb").read())
assert not atom.bozo, atom.bozo_exception
assert atom.version == "atom10", atom.version
for key in ("id", "title", "updated", "author", "link"):
    assert atom.feed.get(key), key
for entry in atom.entries:
    for key in ("id", "title", "updated_parsed", "link"):
        assert entry.get(key), key
assert len({entry.id for entry in atom.entries}) == len(atom.entries)
text = open(sys.argv[2], encoding="utf-8").read()
errors = [error.message for error in json_schema_validator.iter_errors(json.loads(text))]
assert not errors, errors
assert json.loads(text)["version"] == "https://jsonfeed.org/version/1.1"
items = json.loads(text)["items"]
for item in items:
    datetime.fromisoformat(item["date_modified"].replace("Z", "+00:00"))
print(json.dumps({"atom": [[e.id, e.link, e.title, e.updated] for e in atom.entries],
  "json": [[i["id"], i["url"], i["title"], i["date_modified"]] for i in items]}))
`;

it("feeds are well-formed and valid to others, and both say the same, whatever titles and paths hold", {
  skip: skipWithoutCached("feeds-1"),
}, async () => {
  using folder = makeTempFolder();
  const docroot = join(folder.path, "site");
  mkdirSync(join(docroot, "docs"), { recursive: true });
  const titles: Readonly<Record<string, string>> = {
    "a&b's.html": "Fish &amp; Chips &lt;b&gt;",
    "docs/index.html": "\u00e4 \u{1f600} ]]>",
    "caf\u00e9.html": "control \u0001\u0008 \ufffe end",
    "none.html": "",
  };
  for (const [at, [name, title]] of Object.entries(titles).entries()) {
    writeFileSync(join(docroot, name), `<meta charset=utf-8><title>${title}</title>`);
    utimesSync(join(docroot, name), 1_700_000_000 - at, 1_700_000_000 - at);
  }
  await exportSite({ docroot, baseUrl: "https://a.example/", stateDir: join(folder.path, "state"), feed: true });
  const files = ["feed.atom", "feed.json"].map((name) => join(docroot, ".well-known/tidemark", name));
  const python = join(requireCached("feeds-1"), "bin", "python");
  const read = JSON.parse(execFileSync(python, ["-c", reader, ...files], { encoding: "utf8" }));
  const expected = [
    ["/a&b's.html", "Fish & Chips <b>"],
    ["/docs/index.html", "\u00e4 \u{1f600} ]]>"],
    ["/caf%C3%A9.html", "control end"],
    ["/none.html", "none.html"],
  ];
  assert.deepEqual(
    read.json.map(([id, , title]: string[]) => [new URL(id ?? "").pathname, title?.replace(/ +/g, " ")]),
    expected,
  );
  for (const rows of [read.atom, read.json]) assert.ok(rows.every(([id, url]: string[]) => id === url));
  // feedparser takes the text of a title for HTML.
  const withoutTitles = (rows: string[][]): unknown[] => rows.map(([id, url, , time]) => [id, url, time]);
  assert.deepEqual(withoutTitles(read.atom), withoutTitles(read.json));
  assert.ok(readFileSync(files[0] ?? "", "utf8").includes("<title>Fish &amp; Chips &lt;b&gt;</title>"));
});
