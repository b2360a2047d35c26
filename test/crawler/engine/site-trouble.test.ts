import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { publishedFolder } from "../../../src/formats/archive/archive-index.ts";
import { Crawler } from "./site-visit.ts";

const elsewhere = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(302, { location: "https://login.example/" }).end();
const miscoded = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(200, { "content-encoding": "br" }).end("no brotli at all");

const pages = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `/${letter}${String(at).padStart(2, "0")}.html`);

function linksTo(paths: readonly string[]): string {
  return paths.map((path) => `<a href="${path}">x</a>`).join("");
}

for (const [what, answer] of [
  ["lead to another origin", elsewhere],
  ["have a broken coding", miscoded],
] as const)
  describe(`fifteen pages that ${what}`, () => {
    it("end no visit by links: the server answers", async () => {
      await using crawler = await Crawler.open();
      const first = pages("a", 15);
      const last = pages("b", 5);
      crawler.site.set({ "/": linksTo([...first, ...last]) });
      for (const path of first) crawler.site.answers.set(path, answer);
      for (const path of last) crawler.site.set({ [path]: path });
      const visit = await crawler.visit({ sources: ["links"] });
      assert.deepEqual(visit.warnings, []);
      assert.deepEqual([visit.summary.created, visit.summary.failed], [6, 15]);
    });

    it("end no visit by archives, and are not asked for after the third", async () => {
      await using crawler = await Crawler.open();
      const first = pages("a", 15);
      for (const path of [...first, ...pages("b", 5)]) crawler.site.set({ [path]: path });
      for (const path of first) crawler.site.answers.set(path, answer);
      crawler.site.publishBase();
      const visit = await crawler.visit();
      assert.deepEqual([visit.warnings, visit.summary.created, visit.summary.failed], [[], 5, 15]);
      assert.equal((await crawler.visitNextDay()).summary.failed, 15);
      assert.equal((await crawler.visitNextDay()).summary.failed, 15);
      const fourth = await crawler.visitNextDay();
      assert.deepEqual([fourth.summary.failed, fourth.summary.pageRequests], [0, 0]);
    });
  });

it("what a redirect to another origin hides is no source of changes, and no trouble of the site", async () => {
  await using crawler = await Crawler.open();
  crawler.site.set({ "/": "home" });
  for (const path of [`${publishedFolder}index.gz`, "/.well-known/resourcesync", "/sitemap.xml"])
    crawler.site.answers.set(path, elsewhere);
  const { summary } = await crawler.visit({ sources: ["archives", "resourcesync", "sitemap", "links"] });
  assert.equal(summary.source, "links");
  assert.deepEqual(
    summary.passedOver.map(({ source, code }) => `${source} ${code}`),
    ["archives no-archives", "resourcesync no-resourcesync", "sitemap no-sitemap"],
  );
});
