import assert from "node:assert/strict";
import { test } from "node:test";
import { composeChanges } from "../../../src/core/change.ts";
import {
  archiveHeader,
  formatArchive,
  formatChangeLine,
  parseArchive,
  parseChangeLine,
} from "../../../src/formats/archive/archive.ts";
import {
  baseListHeader,
  formatArchiveIndex,
  formatBaseList,
  indexHeader,
  parseArchiveIndex,
  parseBaseList,
} from "../../../src/formats/archive/archive-index.ts";
import { formatArchiveName, parseArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { parseRobots, robotsAllow, robotsCrawlDelaySeconds } from "../../../src/formats/robots/robots.ts";
import {
  blockEnd,
  blockStart,
  formatRobotsBlock,
  replaceRobotsBlock,
} from "../../../src/formats/robots/robots-block.ts";
import {
  decodePathSegment,
  encodePathSegment,
  isCanonicalPath,
  maxPathLength,
} from "../../../src/formats/url/url-path.ts";
import { fc } from "../../property.ts";
import { archiveIndex, archiveName, baseList, bytesLike, change, fileName, path } from "../arbitraries.ts";

const encode = (text: string): Uint8Array => Buffer.from(text, "latin1");

test("a change's line is read as the change that was written", () => {
  fc.assert(
    fc.property(change, (one) => {
      assert.deepEqual(parseChangeLine(formatChangeLine(one)), { ok: true, value: one });
    }),
  );
});

test("an archive is read as the changes that were written, in their order", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const content = encode(formatArchive(changes.map(formatChangeLine)));
      assert.deepEqual(parseArchive(content), { ok: true, value: changes });
    }),
  );
});

test("an archive cut off anywhere is refused or a shorter archive, never another change", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), fc.nat(), (changes, cut) => {
      const whole = encode(formatArchive(changes.map(formatChangeLine)));
      const result = parseArchive(whole.subarray(0, cut % whole.length));
      if (result.ok) assert.deepEqual(result.value, changes.slice(0, result.value.length));
    }),
  );
});

test("an archive's name is read as it was written", () => {
  fc.assert(
    fc.property(archiveName, (name) => {
      assert.deepEqual(parseArchiveName(formatArchiveName(name)), { ok: true, value: name });
    }),
  );
});

test("an index is read as it was written", () => {
  fc.assert(
    fc.property(archiveIndex, (index) => {
      assert.deepEqual(parseArchiveIndex(encode(formatArchiveIndex(index))), { ok: true, value: index });
    }),
  );
});

test("a base's list is read as it was written", () => {
  fc.assert(
    fc.property(baseList, (list) => {
      assert.deepEqual(parseBaseList(encode(formatBaseList(list))), { ok: true, value: list });
    }),
  );
});

test("a file's name survives encoding, whatever its bytes, and makes a canonical path", () => {
  fc.assert(
    fc.property(fileName, (name) => {
      const encoded = encodePathSegment(name);
      assert.equal(decodePathSegment(encoded), name);
      assert.ok(isCanonicalPath(`/${encoded}`));
      assert.ok(!encoded.includes("/"));
    }),
  );
});

interface Tree {
  readonly [name: string]: Tree | null;
}

const tree = fc.letrec<{ tree: Tree; node: Tree | null }>((tie) => ({
  tree: fc.dictionary(fileName, tie("node"), { maxKeys: 5, noNullPrototype: true }),
  node: fc.oneof({ maxDepth: 3 }, fc.constant(null), tie("tree")),
})).tree;

test("a walk that orders siblings by encoded name, folders with their slash, gives paths in byte order", () => {
  const walk = (folder: Tree, at: string): string[] =>
    Object.entries(folder)
      .map(([name, node]) => ({ key: encodePathSegment(name) + (node === null ? "" : "/"), node }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .flatMap(({ key, node }) => (node === null ? [at + key] : walk(node, at + key)));
  fc.assert(
    fc.property(tree, (root) => {
      const paths = walk(root, "/");
      const inOrder = [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(paths, inOrder);
    }),
  );
});

const anyPath = fc
  .array(
    fc.oneof(
      fc.constantFrom("/", ".", "..", "%2e", "%2E", "?", "#", "\\", "'", "a", "%", "{", "^", "|", " ", "\t", "é"),
      fc.string({ unit: "binary-ascii", maxLength: 3 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => `/${parts.join("")}`);

test("a path is canonical exactly if the URL parser leaves it, save what clients disagree about", () => {
  fc.assert(
    fc.property(fc.oneof(anyPath, path), (text) => {
      const url = URL.canParse(text, "http://h") ? new URL(text, "http://h") : undefined;
      const left = url !== undefined && url.host === "h" && url.pathname + url.search === text;
      if (isCanonicalPath(text)) assert.ok(left, "canonical, yet the parser changes it");
      // Older parsers leave "^" in a path, and all leave these in a query, where RFC 3986 forbids them.
      else if (left && text.length <= maxPathLength) assert.match(text, /\^|\?.*[`{}\\]/);
    }),
    { numRuns: 2000 },
  );
});

test("any bytes are an archive, an index and a base list, or a problem; never an exception", () => {
  const pieces = [
    "C",
    "D\t-\t-\t-\t-\t/a\n",
    "base\t",
    "20260101T000000Z",
    "_",
    ".other.",
    "0123456789abcdef.gz",
    "epoch\t",
  ];
  for (const [header, parse] of [
    [archiveHeader, parseArchive],
    [indexHeader, parseArchiveIndex],
    [baseListHeader, parseBaseList],
  ] as const) {
    fc.assert(
      fc.property(bytesLike(header, pieces), (bytes) => {
        assert.equal(typeof parse(bytes).ok, "boolean");
      }),
      { numRuns: 1000 },
    );
  }
});

test("any bytes are a robots.txt, and any path is allowed or not", () => {
  const pieces = ["User-agent: *\n", "Disallow: /", "Allow: ", "Crawl-delay: 1", "Archive: x", "\xef\xbb\xbf"];
  fc.assert(
    fc.property(bytesLike("User-agent: *", pieces), fc.oneof(path, fc.string()), fc.string(), (bytes, one, agent) => {
      const robots = parseRobots(bytes);
      assert.equal(typeof robotsAllow(robots, agent, one), "boolean");
      assert.notEqual(robotsCrawlDelaySeconds(robots, agent), Number.NaN);
      assert.equal(robotsAllow(robots, agent, "/robots.txt"), true);
    }),
    { numRuns: 1000 },
  );
});

// The rule as RFC 9309 says it, a regular expression a rule: slow, and plain to see that it is right.
function allowNaively(rules: readonly (readonly [boolean, string])[], at: string): boolean {
  const matching = rules.filter(([, pattern]) => {
    const anchored = pattern.endsWith("$");
    const literal = (anchored ? pattern.slice(0, -1) : pattern).split("*").map((piece) => piece.replaceAll(".", "\\."));
    return new RegExp(`^${literal.join(".*")}${anchored ? "$" : ""}`, "s").test(at);
  });
  const longest = Math.max(0, ...matching.map(([, pattern]) => pattern.length));
  return matching.length === 0 || matching.some(([allow, pattern]) => allow && pattern.length === longest);
}

test("prefixes and wildcards decide as one regular expression a rule would", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "/", "."), maxLength: 5 });
  const pattern = fc
    .tuple(fc.constantFrom("/", "*"), fc.array(fc.oneof(word, fc.constant("*")), { maxLength: 5 }), fc.boolean())
    .map(([start, parts, anchored]) => `${start}${parts.join("")}${anchored ? "$" : ""}`);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), pattern), { maxLength: 12 }),
      fc.array(word, { minLength: 1, maxLength: 8 }),
      (rules, words) => {
        const lines = rules.map(([allow, value]) => `${allow ? "Allow" : "Disallow"}: ${value}\n`);
        const robots = parseRobots(encode(`User-agent: *\n${lines.join("")}`));
        for (const one of words) assert.equal(robotsAllow(robots, "a", `/${one}`), allowNaively(rules, `/${one}`));
      },
    ),
    { numRuns: 2000 },
  );
});

const robotsText = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\r", "\r\n", blockStart, blockEnd, `${blockStart}\n`, `${blockEnd}\n`),
      fc.constantFrom("Archive: https://a.example/1\n", "User-agent: *\n", "\xef\xbb\xbf", "#", "\xff"),
      fc.string({ unit: "binary-ascii", maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const block = formatRobotsBlock({ indexUrl: "https://b.example/i", archiveUrls: ["https://b.example/2"] });
const another = formatRobotsBlock({ indexUrl: "https://c.example/i", archiveUrls: [] });

test("putting the block into any robots.txt twice is putting it there once", () => {
  fc.assert(
    fc.property(robotsText, (text) => {
      const once = replaceRobotsBlock(text, block);
      assert.equal(replaceRobotsBlock(once, block), once);
      assert.equal(replaceRobotsBlock(replaceRobotsBlock(text, another), block), once);
    }),
    { numRuns: 2000 },
  );
});

test("what stands before and behind the block stays, byte for byte", () => {
  const outside = robotsText.filter((text) => !text.includes("BEGIN"));
  fc.assert(
    fc.property(outside, outside, (before, behind) => {
      const start = before === "" || /[\r\n]$/.test(before) ? before : `${before}\n`;
      assert.equal(replaceRobotsBlock(start + another + behind, block), start + block + behind);
      assert.ok(replaceRobotsBlock(before, block).startsWith(before));
    }),
    { numRuns: 2000 },
  );
});

test("changes compose associatively, and the last page wins", () => {
  const of = (size: number): fc.Arbitrary<Parameters<typeof composeChanges>[0]> =>
    change.map((one) =>
      one.kind === "deleted"
        ? { kind: "deleted", path: "/a" }
        : { ...one, page: { ...one.page, path: "/a", sizeBytes: size } },
    );
  fc.assert(
    fc.property(of(1), of(2), of(3), (a, b, c) => {
      const left = composeChanges(composeChanges(a, b), c);
      assert.deepEqual(left, composeChanges(a, composeChanges(b, c)));
      if (left.kind === "deleted" || c.kind === "deleted") assert.equal(left.kind, c.kind);
      else assert.deepEqual(left.page, c.page);
    }),
  );
});
