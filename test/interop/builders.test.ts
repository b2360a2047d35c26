import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { proposeSite } from "../../src/exporter/setup/site-proposal.ts";
import { readPageHead } from "../../src/formats/html/index.ts";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { type Builder, BuiltSite, builders, compareBuilds, noPages } from "./built-site.ts";
import { crawl, runTidemark } from "./command.ts";
import { compareTrees } from "./file-tree.ts";
import { skipWithout, skipWithoutCached } from "./programs.ts";

/** What the second build of each site changes, beside the post itself. */
const alsoChanged: Readonly<Record<Builder, readonly RegExp[]>> = {
  hugo: [/^updated \/$/, /^updated \/posts\/$/, /^updated \/index\.xml$/, /^updated \/posts\/index\.xml$/],
  eleventy: [/^updated \/$/, /^updated \/feed\.xml$/],
  astro: [/^updated \/$/],
  jekyll: [/^updated \/$/, /^updated \/feed\.xml$/],
  mkdocs: [/^updated \/$/, /^updated \/search\/search_index\.json$/, /^updated \/sitemap\.xml(?:\.gz)?$/],
};

/** Names with a digest, whose content is changed as well. */
const digested: Partial<Record<Builder, RegExp>> = { hugo: /\/site\.\w+\.css$/, astro: /\/_astro\/.+\.css$/ };

const skipWithoutBuilder = (builder: Builder): string | false =>
  skipWithout("nginx", "git", "rsync", ...(builder === "jekyll" ? ["jekyll"] : [])) ||
  skipWithoutCached("node-24", ...(builder === "jekyll" ? [] : [`${builder}-1`]));

async function expectWell(site: BuiltSite): Promise<void> {
  const { exitCode, events } = await runTidemark(["verify", site.url, "--all", "--delay", "0", "--json"]);
  const differences = events.filter(({ severity }) => severity === "difference");
  assert.deepEqual([exitCode, differences], [0, []]);
  const into = join(site.folder, "mirror");
  await crawl(site.url, into);
  assert.deepEqual(compareTrees(site.served, join(into, mirrorFolderOf(site.url)), noPages), []);
}

describe("the lines of docs/builders.md", () => {
  for (const builder of builders)
    it(`${builder}: clean builds publish canonical URLs, and then what the generator changed`, {
      skip: skipWithoutBuilder(builder),
      timeout: 60_000,
    }, async () => {
      await using site = await BuiltSite.open(builder);
      const first = await site.publish("--previous-optional", /^warning: Nothing is published at /);
      const announced = await site.readAnnounced();
      assert.deepEqual(announced, compareBuilds(undefined, first.built));
      assert.ok(announced.includes("created /posts/one/") && announced.includes("created /about/"), announced.join());
      for (const line of announced) {
        const path = line.replace("created ", "");
        if (!path.endsWith("/")) continue;
        const page = readFileSync(join(first.built, path, "index.html"));
        assert.equal(readPageHead(page, site.url).canonical, new URL(path, site.url).href);
      }
      const { settings } = await proposeSite({ docroot: first.built });
      assert.deepEqual([settings.index, settings.exclude], [["index.html"], ["404.html"]]);
      assert.deepEqual([settings.cleanUrls, settings.map], [undefined, undefined]);
      await expectWell(site);

      // The same source once more, on another machine.
      const again = await site.publish();
      assert.deepEqual(compareBuilds(first.built, again.built), []);
      assert.match(again.output, /nothing changed/i);

      site.edit("High water came at six.", "High water came at seven.");
      const asset = digested[builder];
      if (asset !== undefined) site.edit("serif", "sans-serif", "site.css");
      const second = await site.publish();
      const changed = compareBuilds(again.built, second.built);
      assert.deepEqual(await site.readAnnounced(), changed);
      assert.ok(changed.includes("updated /posts/one/"), changed.join());
      assert.ok(changed.includes("updated /posts/two/") === (asset !== undefined), changed.join());
      for (const also of alsoChanged[builder])
        assert.ok(
          changed.some((line) => also.test(line)),
          `${also}: ${changed}`,
        );
      if (asset !== undefined) {
        const kinds = changed.filter((line) => asset.test(line)).map((line) => line.split(" ")[0]);
        assert.deepEqual(kinds, ["created", "deleted"]);
      }
      await expectWell(site);
    });
});
