import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatUsage } from "../../../src/core/usage.ts";
import { parseContentSignal, parseContentUsage } from "../../../src/formats/usage/content-usage.ts";
import { readUsageFields, readUsageMeta } from "../../../src/formats/usage/robots-tags.ts";
import { fc } from "../../property.ts";

const usage = (text: string): string => formatUsage(parseContentUsage(text));
const signal = (text: string): string => formatUsage(parseContentSignal(text));

// draft-ietf-aipref-vocab-08, section 6 and its parts.
const statements: readonly (readonly [string, string])[] = [
  ["train-ai=n", "train-ai=n"],
  ["train-ai=y, search=n", "train-ai=y, search=n"],
  ["search=n,\ttrain-ai=y", "train-ai=y, search=n"],
  ["ai-use=n, x=y, all=n", "ai-use=n"],
  ['train-ai=y, train-ai, search=n, search="n"', ""],
  ["train-ai;allow=n, train-ai=y", "train-ai=y"],
  ['train-ai;has;parameters="?";', ""],
  ['train-ai=n;has;parameters="?"', "train-ai=n"],
  ["train-ai=n, train-ai=y", "train-ai=y"],
  ["Train-AI=n", ""],
  ["train-ai=N", ""],
  ["train-ai=no", ""],
  ["train-ai=(n)", ""],
  ["train-ai=?0", ""],
  ["train-ai = n", ""],
  ["train-ai=n,", ""],
  ["train-ai=n search=n", ""],
  ["search=n, \xe9", ""],
  ["", ""],
];

const signals: readonly (readonly [string, string])[] = [
  ["search=yes, ai-train=no, ai-input=no", "train-ai=n, ai-use=n, search=y"],
  ["ai-train=no,search=yes,use=reference", "train-ai=n, search=y"],
  ["AI-Train = No", "train-ai=n"],
  ["ai-train=maybe", ""],
  ["train-ai=no", ""],
  ["ai-train", ""],
  ["", ""],
];

const reader = { agent: ["mybot", "tidemark"], mediaType: "text/html" };
const tags: readonly (readonly [string, string])[] = [
  ["noai", "train-ai=n, ai-use=n"],
  ["noindex, NoAI", "train-ai=n, ai-use=n"],
  ["noimageai", ""],
  ["googlebot: noai", ""],
  ["googlebot: noai, noai", ""],
  ["googlebot: nofollow\nnoai", "train-ai=n, ai-use=n"],
  ["mybot: noai", "train-ai=n, ai-use=n"],
  ["googlebot: nofollow, tidemark: noai", "train-ai=n, ai-use=n"],
  ["max-snippet: 5, noai", "train-ai=n, ai-use=n"],
  ["noaix", ""],
];

const pages: readonly (readonly [string, string])[] = [
  ['<meta name="robots" content="noai">', "train-ai=n, ai-use=n"],
  ['<META CONTENT="index, noai, noimageai" NAME=Robots>', "train-ai=n, ai-use=n"],
  ["<meta name=mybot content=noai>", "train-ai=n, ai-use=n"],
  ["<meta name=googlebot content=noai>", ""],
  ['<meta name="tdm-reservation" content="1">', "train-ai=n"],
  ['<meta name="tdm-reservation" content="0">', ""],
  ["<p>noai", ""],
  ["<script>write('</head>')</script><meta name=robots content=noai>", "train-ai=n, ai-use=n"],
  ["<!--[if IE]><body><![endif]--><meta name=robots content=noai>", "train-ai=n, ai-use=n"],
  ["<STYLE>/*<body>*/</STYLE><title><body></title><meta name=robots content=noai>", "train-ai=n, ai-use=n"],
  ["<script>1</script></head><meta name=robots content=noai>", ""],
  ["<!-- <meta name=robots content=noai> -->", ""],
  ["</head><meta name=robots content=noai>", ""],
  ["</HEAD ><meta name=robots content=noai>", ""],
  ["<Body><meta name=robots content=noai>", ""],
  ["<h><bodi></heap><meta name=robots content=noai>", "train-ai=n, ai-use=n"],
];

describe("statements about use", () => {
  for (const [text, expected] of statements)
    it(`Content-Usage ${JSON.stringify(text)} is ${expected || "none"}`, () => assert.equal(usage(text), expected));
  for (const [text, expected] of signals)
    it(`Content-Signal ${JSON.stringify(text)} is ${expected || "none"}`, () => assert.equal(signal(text), expected));
  for (const [robotsTag, expected] of tags)
    it(`X-Robots-Tag ${JSON.stringify(robotsTag)} is ${expected || "none"}`, () =>
      assert.equal(formatUsage(readUsageFields({ robotsTag }, reader)), expected));
  for (const [text, expected] of pages)
    it(`a page ${text} states ${expected || "nothing"}`, () =>
      assert.equal(formatUsage(readUsageMeta(Buffer.from(text), reader)), expected));

  it("a page of UTF-16 states what one of UTF-8 does", () => {
    const page = Buffer.from("\ufeff<head><meta name=robots content=noai></head>", "utf16le");
    assert.equal(formatUsage(readUsageMeta(page, reader)), "train-ai=n, ai-use=n");
    assert.equal(formatUsage(readUsageMeta(page.swap16(), reader)), "train-ai=n, ai-use=n");
  });

  it("a page of XHTML states what stands behind an empty script", () => {
    const page = Buffer.from('<script src="a.js"/><title/><meta name="robots" content="noai"/>');
    const asXml = { ...reader, mediaType: "application/xhtml+xml" };
    assert.deepEqual([readUsageMeta(page, asXml), readUsageMeta(page, reader)].map(formatUsage), [
      "train-ai=n, ai-use=n",
      "",
    ]);
  });

  it("noimageai holds for images", () => {
    const found = readUsageFields({ robotsTag: "noimageai" }, { ...reader, mediaType: "image/png" });
    assert.equal(formatUsage(found), "train-ai=n, ai-use=n");
  });

  it("TDM-Reservation 1 reserves training, 0 states nothing", () => {
    assert.equal(formatUsage(readUsageFields({ tdmReservation: "1" }, reader)), "train-ai=n");
    assert.equal(formatUsage(readUsageFields({ tdmReservation: "0" }, reader)), "");
  });

  it("fields are combined", () => {
    const fields = { contentUsage: "train-ai=y, search=y", robotsTag: "noai", tdmReservation: "0" };
    assert.equal(formatUsage(readUsageFields(fields, reader)), "train-ai=n, ai-use=n, search=y");
  });

  it("nothing throws, and what is long is not read", () => {
    const hostile = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.stringMatching(/^[a-z=,;"?:@%()\\ -]{0,80}$/),
      fc
        .array(fc.constantFrom("train-ai", "=n", "=y", ",", ";", "=(", ")", '="', "=:", "=@9", "=?1", "\n", "noai:"))
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        for (const read of [usage, signal]) assert.match(read(text), /^(?:[a-z-]+=[yn](?:, |$))*$/);
        readUsageFields({ contentUsage: text, robotsTag: text, tdmReservation: text }, reader);
        readUsageMeta(Buffer.from(`<meta name=robots content="noai ${text}">`), reader);
      }),
    );
    assert.equal(usage(`train-ai=n${", a=y".repeat(20_000)}`), "");
    assert.equal(signal(`ai-train=no${", a=y".repeat(20_000)}`), "");
    assert.equal(formatUsage(readUsageFields({ robotsTag: `noai${", a".repeat(20_000)}` }, reader)), "");
  });
});
