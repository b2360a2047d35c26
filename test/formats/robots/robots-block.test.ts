import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blockEnd,
  blockStart,
  formatRobotsBlock,
  maxBlockBytes,
  replaceRobotsBlock,
} from "../../../src/formats/robots/robots-block.ts";

const block = formatRobotsBlock({
  indexUrl: "https://a.example/.well-known/tidemark/index.gz",
  archiveUrls: ["https://a.example/.well-known/tidemark/1.gz"],
});
const older = formatRobotsBlock({ indexUrl: "https://a.example/old", archiveUrls: ["https://a.example/older"] });
const listed = formatRobotsBlock({
  indexUrl: "https://a.example/old",
  sitemapUrl: "https://a.example/.well-known/tidemark/sitemap.xml",
  archiveUrls: ["https://a.example/older"],
});
const theirs = "Sitemap: https://a.example/sitemap.xml\n";

const cases: ReadonlyArray<readonly [string, string, string]> = [
  ["an empty file", "", block],
  ["a file without a block", "User-agent: *\nDisallow: /x\n", `User-agent: *\nDisallow: /x\n\n${block}`],
  ["a file without a last line end", "User-agent: *", `User-agent: *\n\n${block}`],
  ["a file with CR line ends", "User-agent: *\r", `User-agent: *\r\n${block}`],
  ["the block alone", older, block],
  ["a block between rules", `A: 1\n\n${older}B: 2\n`, `A: 1\n\n${block}B: 2\n`],
  ["a block with CRLF line ends", `A: 1\r\n${older.replaceAll("\n", "\r\n")}B: 2\r\n`, `A: 1\r\n${block}B: 2\r\n`],
  ["a block with CR line ends", `A: 1\r${older.replaceAll("\n", "\r")}B: 2\rC: 3`, `A: 1\r${block}B: 2\rC: 3`],
  ["a block behind a byte order mark", `\xef\xbb\xbf${older}B: 2\n`, `\xef\xbb\xbf${block}B: 2\n`],
  ["a block whose last line has no end", older.trimEnd(), block],
  ["a block without its end", `${older.replace(`${blockEnd}\n`, "")}User-agent: *\n`, `${block}User-agent: *\n`],
  ["only the first marker", blockStart, block],
  ["a block without its end before a whole one", `${blockStart}\nB: 2\n${older}`, `${block}B: 2\n${older}`],
  ["a block with a sitemap", `A: 1\n${listed}${theirs}`, `A: 1\n${block}${theirs}`],
  ["such a block without its end", `${listed.replace(`${blockEnd}\n`, "")}${theirs}`, `${block}${theirs}`],
  ["an end before the start", `${blockEnd}\n${older}`, `${blockEnd}\n${block}`],
  ["a comment that only begins alike", "# BEGIN tidemark rules\nB: 2\n", `# BEGIN tidemark rules\nB: 2\n\n${block}`],
  ["a marker inside a line", `Disallow: /${blockStart}\n`, `Disallow: /${blockStart}\n\n${block}`],
  ["another end inside", `${blockStart}\n# END tidemarks\n${blockEnd}\nB: 2\n`, `${block}B: 2\n`],
  ["bytes that are not UTF-8", `\xff\x00\x85\n${older}\xfe`, `\xff\x00\x85\n${block}\xfe`],
];

for (const [name, before, after] of cases) {
  test(`the block is put into ${name}, and a second time changes nothing`, () => {
    assert.equal(replaceRobotsBlock(before, block), after);
    assert.equal(replaceRobotsBlock(after, block), after);
  });
}

test("a block holds as many archives as fit in 32 KiB, the first ones", () => {
  const archiveUrls = Array.from({ length: 1000 }, (_, at) => `https://a.example/.well-known/tidemark/${at}.gz`);
  const long = formatRobotsBlock({ indexUrl: "https://a.example/i", archiveUrls });
  const listed = long.split("\n").filter((line) => line.startsWith("Archive: "));
  assert.ok(long.length <= maxBlockBytes);
  assert.ok(long.length + `Archive: ${archiveUrls[listed.length]}\n`.length > maxBlockBytes);
  assert.deepEqual(
    listed,
    archiveUrls.slice(0, listed.length).map((url) => `Archive: ${url}`),
  );
  assert.ok(long.endsWith(`${blockEnd}\n`));
});

test("a block names the sitemap index in a line that search engines read", () => {
  assert.match(listed, /^Sitemap: https:\/\/a\.example\/\.well-known\/tidemark\/sitemap\.xml$/m);
});
