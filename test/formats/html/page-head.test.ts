import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPageHead } from "../../../src/formats/html/index.ts";

const page = "https://a.example/docs/index.html";
const read = (html: string) => readPageHead(Buffer.from(html), page);

describe("what a page says of itself", () => {
  const rows: ReadonlyArray<readonly [html: string, canonical: string | undefined, title: string | undefined]> = [
    ["<title>A &amp; B\n  c</title><link rel=canonical href=/docs/>", "https://a.example/docs/", "A & B c"],
    ['<LINK HREF="../x#top" REL="nofollow Canonical">', "https://a.example/x", undefined],
    [
      '<base href="https://b.example/y/"><link rel="canonical" href="z?a=1&amp;b=2">',
      "https://b.example/y/z?a=1&b=2",
      undefined,
    ],
    ["<!-- <title>no</title> --><script>'<title>no</title>'</script><title>yes</title>", undefined, "yes"],
    ["<svg><title>no</title></svg><title> </title><title>yes</title>", undefined, "yes"],
    ["<link rel=canonical href=javascript:x><link rel=canonical href=/b>", undefined, undefined],
    ["<link rel=canonical href='http://['>", undefined, undefined],
    ["<title>cut", undefined, "cut"],
    [`<title>${"x".repeat(600)}</title>`, undefined, "x".repeat(512)],
  ];
  for (const [html, canonical, title] of rows)
    it(html.slice(0, 70), () => assert.deepEqual(read(html), { canonical, title }));
});
