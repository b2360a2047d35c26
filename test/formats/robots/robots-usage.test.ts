import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatUsage } from "../../../src/core/usage.ts";
import { parseRobots, robotsAllow, robotsUsage } from "../../../src/formats/robots/robots.ts";

function usageOf(lines: readonly string[], path: string, agent: string | readonly string[] = "tidemark"): string {
  return formatUsage(robotsUsage(parseRobots(Buffer.from(lines.join("\n"))), agent, path));
}

// draft-ietf-aipref-attach-05, section 3.4.
const example = [
  "User-Agent: *",
  "Allow: /",
  "Disallow: /never/",
  "Content-Usage: train-ai=n",
  "Content-Usage: /ai-ok/ train-ai=y",
  "",
  "User-Agent: ExampleBot",
  "Allow: /",
  "Content-Usage: train-ai=y",
];
// As revision 04 has it.
const older = example.map((line) => line.replace(/^Content-Usage: train/, "Content-Usage: / train"));

const rules: readonly (readonly [string, readonly string[], string, string])[] = [
  ["the longest path counts", ["Content-Usage: /a train-ai=n", "Content-Usage: /a/b search=n"], "/a/b/c", "search=n"],
  ["a path is longer than none", ["Content-Usage: train-ai=n", "Content-Usage: / search=y"], "/x", "search=y"],
  ["wildcards match", ["Content-Usage: /*.pdf$ train-ai=n"], "/x/y.pdf", "train-ai=n"],
  ["the end matches", ["Content-Usage: /*.pdf$ train-ai=n"], "/x/y.pdf?a", ""],
  ["escapes are compared", ["Content-Usage: /%7Ea train-ai=n"], "/~a", "train-ai=n"],
  ["equal paths are combined", ["Content-Usage: /a train-ai=y", "Content-Usage: /a train-ai=n"], "/a", "train-ai=n"],
  [
    "equal lengths are combined",
    ["Content-Usage: /a* train-ai=y", "Content-Usage: /ab train-ai=n"],
    "/ab",
    "train-ai=n",
  ],
  ["tabs and comments end a part", ["Content-Usage:\t/a\ttrain-ai=n # no"], "/a", "train-ai=n"],
  ["names are of any case", ["CONTENT-USAGE : train-ai=n"], "/a", "train-ai=n"],
  [
    "a signal has the names of AIPREF",
    ["Content-Signal: search=yes, ai-train=no, ai-input=no"],
    "/",
    "train-ai=n, ai-use=n, search=y",
  ],
  ["a signal may have a path", ["Content-Signal: /a ai-train=no", "Content-Signal: ai-train=yes"], "/b", "train-ai=y"],
  [
    "both kinds are combined",
    ["Content-Signal: ai-train=no", "Content-Usage: /a train-ai=y, search=y"],
    "/a",
    "train-ai=n, search=y",
  ],
  ["what is no dictionary is nothing", ["Content-Usage: /a Train-AI=n"], "/a", ""],
  ["what may not be fetched has none", ["Content-Usage: train-ai=n", "Disallow: /a"], "/a/b", ""],
];

describe("preferences in robots.txt", () => {
  for (const [text, name] of [
    [example, "05"],
    [older, "04"],
  ] as const)
    it(`follow the example of draft-ietf-aipref-attach-${name}`, () => {
      assert.equal(usageOf(text, "/test"), "train-ai=n");
      assert.equal(usageOf(text, "/never/test"), "");
      assert.equal(usageOf(text, "/ai-ok/test"), "train-ai=y");
      assert.equal(usageOf(text, "/never/test", "examplebot"), "train-ai=y");
    });

  for (const [name, lines, path, expected] of rules)
    it(name, () => assert.equal(usageOf(["User-agent: *", ...lines], path), expected));

  it("are those of the own group only, by the first name that has one", () => {
    const lines = [
      "Content-Usage: search=n",
      "User-agent: *",
      "Content-Usage: train-ai=n",
      "User-agent: MyBot",
      "Allow: /",
    ];
    assert.equal(usageOf(lines, "/", ["mybot", "tidemark"]), "");
    assert.equal(usageOf(lines, "/", ["other", "tidemark"]), "train-ai=n");
  });

  it("of several groups of a name are merged", () => {
    const lines = [
      "User-agent: tidemark",
      "Allow: /",
      "Content-Usage: train-ai=n",
      "User-agent: x",
      "Disallow: /",
      "User-agent: tidemark",
      "Content-Usage: /a search=n",
    ];
    assert.equal(usageOf(lines, "/b"), "train-ai=n");
    assert.equal(usageOf(lines, "/a"), "search=n");
  });

  it("do not change which rules hold for whom, and hold for the names right before them", () => {
    const lines = ["User-agent: a", "Content-Signal: ai-train=no", "User-agent: b", "Disallow: /x"];
    const robots = parseRobots(Buffer.from(lines.join("\n")));
    assert.deepEqual([robotsAllow(robots, "a", "/x"), robotsAllow(robots, "b", "/x")], [false, false]);
    assert.deepEqual([usageOf(lines, "/", "a"), usageOf(lines, "/", "b")], ["train-ai=n", ""]);
  });

  it("cost little however many there are", () => {
    const paths = Array.from({ length: 20_000 }, (_, at) => `Content-Usage: /*a*-${at}-$ train-ai=n`);
    const robots = parseRobots(Buffer.from(["User-agent: *", ...paths].join("\n")));
    const path = `/${"a".repeat(2000)}`;
    for (let at = 0; at < 20; at++) assert.equal(formatUsage(robotsUsage(robots, "x", path)), "");
    assert.equal(formatUsage(robotsUsage(robots, "x", "/a-4000-")), "train-ai=n");
    // Those beyond a bound are ignored.
    assert.equal(formatUsage(robotsUsage(robots, "x", "/a-5000-")), "");
  });
});
