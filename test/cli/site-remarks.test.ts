import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PublishedSite } from "../crawler/engine/published-site.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runProgram } from "./run-program.ts";

describe("tidemark crawl of many sites", () => {
  it("warns that the path of an address is ignored, in a list and on the command line", async () => {
    await using site = await PublishedSite.open("127.0.8.61");
    site.set({ "/": "<p>home" });
    site.publishBase();
    using folder = makeTempFolder();
    const file = join(folder.path, "sites");
    const url = `${site.origin}/some/path?x`;
    writeFileSync(file, `${url}\n`);
    const into = ["--into", join(folder.path, "mirrors")];
    const json = await runProgram("crawl", "--sites", file, ...into, "--json");
    const warnings = json.stdout
      .split("\n")
      .filter((line) => line.includes('"warning"'))
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      warnings.map(({ code, site: of }) => [code, of]),
      [["path-ignored", site.origin]],
    );
    assert.match(warnings[0].message, /"\/some\/path\?x" is ignored/);
    const text = await runProgram("crawl", url, ...into, "--connections", "2");
    assert.match(text.stderr, /^warning: .*some\/path\?x" is ignored\. A path that ends with \/ is a folder/m);
    assert.equal(text.stderr.match(/is ignored/g)?.length, 1);
  });
});
