import assert from "node:assert/strict";
import { test } from "node:test";
import { readLinks, readStyleLinks } from "../../../src/formats/html/page-links.ts";
import { fc } from "../../property.ts";

const page = "https://a.example/dir/page.html";
const utf8 = "text/html; charset=utf-8";
const read = (html: string, contentType: string = utf8) => readLinks(Buffer.from(html), contentType, page);

function listed(html: string, contentType?: string): string[] {
  return read(html, contentType).links.map(({ url, kind }) => `${kind} ${url.replace("https://a.example", "")}`);
}

// What a page says, and its links; each row names what it proves.
const rows: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  [
    "attributes without quotes, of any case, spread out",
    '<A\nHREF = b>x</a><a href="c"/><a/href=d>',
    ["anchor /dir/b", "anchor /dir/c", "anchor /dir/d"],
  ],
  ["of two attributes of a name the first", '<a href="b" HREF="c">', ["anchor /dir/b"]],
  ["an attribute value with a > in it", '<a title="a > b" href="c">', ["anchor /dir/c"]],
  ["a tag that the page's end cuts off is none (13.2.5.8)", '<a href="b">x</a><a href="c"', ["anchor /dir/b"]],
  [
    "comments, closed in each way (13.2.5.43)",
    '<!--><a href="b"><!---><a href="c"><!-- --!><a href="d"><!--!><a href="no">--><a href="e">',
    ["anchor /dir/b", "anchor /dir/c", "anchor /dir/d", "anchor /dir/e"],
  ],
  [
    "bogus comments",
    '<?php <a href="no"> ?><a href="b"></ <a href="no"><![CDATA[<a href="no">]]><a href="c">',
    ["anchor /dir/b", "anchor /dir/c"],
  ],
  [
    "text elements hold no tags",
    '<title><a href="no"></title><textarea><a href="no"></textarea ><script>"<a href=no>"</script><xmp><a href="no"></xmp><a href="b">',
    ["anchor /dir/b"],
  ],
  [
    "an end tag within a script that is escaped twice (13.2.5.26)",
    '<script><!-- <script> </script> <a href="no"> --></script><a href="b">',
    ["anchor /dir/b"],
  ],
  ["plaintext", '<a href="b"><plaintext></plaintext><a href="no">', ["anchor /dir/b"]],
  [
    "scripts and titles in SVG are markup (13.2.6.5)",
    '<svg><title><a href="b"></title></svg><svg><style><a href="c"></style></svg>',
    ["anchor /dir/b", "anchor /dir/c"],
  ],
  [
    "SVG ends at a tag that cannot be in it",
    '<svg><div><script><a href="no"></script></div><a href="b">',
    ["anchor /dir/b"],
  ],
  ["CDATA in SVG is text", '<svg><![CDATA[<a href="no">]]><a href="b"/></svg>', ["anchor /dir/b"]],
  ["a style sheet in SVG", "<svg><style><![CDATA[@import 'b.css';]]></style></svg>", ["style /dir/b.css"]],
  [
    "character references, by the rule for attributes",
    '<a href="?a=1&amp;b=2&copy=3&#x2f;&lt"><a href="/b&#10;c">',
    ["anchor /dir/page.html?a=1&b=2&copy=3/%3C", "anchor /bc"],
  ],
  ["white space around and line ends within", '<a href=" \n b\tc\r\n ">', ["anchor /dir/bc"]],
  [
    "an empty attribute, a bare fragment and other schemes are no links",
    '<a href=""><a href><img src=""><a href="#x"><a href="javascript:a()"><a href=" mailto:a@b"><img src="data:image/png;base64,AA"><a href="ftp://a.example/">',
    [],
  ],
  ["fragments do not count", '<a href="b#1"><a href="b#2"><a href="/dir/b">', ["anchor /dir/b"]],
  [
    "a base behind the links, and only the first with an href",
    '<a href="b"><base target="_top"><base href="/x/"><base href="/y/"><a href="#z">',
    ["anchor /x/b", "anchor /x/"],
  ],
  ["a base that is no URL to use", '<base href="data:,x"><a href="b">', ["anchor /dir/b"]],
  [
    "a base in a frame's own source does not hold for the page",
    '<iframe srcdoc="<base href=/x/><a href=b>"></iframe><a href=c>',
    ["anchor /dir/b", "anchor /dir/c"],
  ],
  [
    "srcset: commas in and behind URLs, descriptors, parentheses",
    '<img srcset="a,b.png 1x, c.png, d.png 2x (x, y) , , e.png,">',
    ["image /dir/a,b.png", "image /dir/c.png", "image /dir/d.png", "image /dir/e.png"],
  ],
  [
    "meta refresh in all spellings",
    ["0;url=b", "0; URL = 'c'x", "5,d", ".5;  url=e", "1 f", "0;url='g", "0url=no", "x;url=no", "3", "3;", "0; urls"]
      .map((content) => `<meta http-equiv=Refresh content="${content}">`)
      .join(""),
    [..."bcdefg", "urls"].map((name) => `meta-refresh /dir/${name}`),
  ],
  [
    "forms by GET, and buttons with a method of their own",
    '<form action="b"><input type="image" src="i" formaction="c"><button formaction="no" formmethod="POST"></form><form method="post" action="no"><button formaction="no"><button formaction="d" formmethod="get"></form>',
    ["form /dir/b", "image /dir/i", "form /dir/c", "form /dir/d"],
  ],
  [
    "rel decides what a link is; servers are no documents",
    '<link rel="alternate stylesheet" href="a"><link rel="shortcut icon" href="b"><link rel="dns-prefetch preconnect" href="//c/"><link href="no"><link rel="next" href="d"><link rel=preload imagesrcset="e 1x, f 2x">',
    ["style /dir/a", "icon /dir/b", "link /dir/d", "image /dir/e", "image /dir/f"],
  ],
  [
    "style attributes and sheets",
    `<p style="background:url(&quot;a&quot;)"><style>/* url(no) */ @import "b"; @import url(c) print; @namespace url(http://no/); @font-face { src: url('d') format("no") } p { background: image-set("e" type("image/no"), url(f) 2x); content: "url(no)"; x: url( g\\)\\68 ) }</style>`,
    ["image /dir/a", "style /dir/b", "style /dir/c", "font /dir/d", "image /dir/e", "image /dir/f", "image /dir/g)h"],
  ],
  ["a style sheet that is not closed", "<style>p{background:url(a)}", ["image /dir/a"]],
  [
    "pictures for those who share the page",
    '<meta property="og:image" content="a&amp;b"><meta name="twitter:image" content="c"><meta name="description" content="no">',
    ["meta /dir/a&b", "meta /dir/c"],
  ],
];

for (const [what, html, links] of rows) {
  test(`links: ${what}`, () => {
    assert.deepEqual(listed(html), links);
  });
}

test("a link is unfollowed where each of its kind says so, and a page says of all", () => {
  const html =
    '<meta name="robots" content="noarchive, NOFOLLOW"><link rel=canonical href="/c#x"><a rel="x NoFollow" href="b">' +
    '<a rel="ugc" href="c"><a href="c"><a rel="nofollowed" href="d"><meta http-equiv=refresh content="0;url=e&amp;f">';
  const { links, isNofollow } = read(html);
  assert.deepEqual(
    links.filter((link) => link.isNofollow).map(({ url }) => url),
    ["https://a.example/dir/b"],
  );
  assert.equal(isNofollow, true);
  assert.equal(read('<meta name="Tidemark" content="none">').isNofollow, true);
  assert.equal(read('<meta name="another" content="none">').isNofollow, false);
});

test("the field X-Robots-Tag says of a page what its meta element could, to everybody or to us", () => {
  const says = (robotsTag: string): boolean =>
    readLinks(Buffer.from("<a href=x>"), "text/html", page, {
      robotsNames: ["mybot"],
      fields: { usage: { robotsTag } },
    }).isNofollow;
  for (const tag of ["nofollow", "noindex, NoFollow", "none", "MyBot: nofollow", "other: noindex\nnofollow"])
    assert.equal(says(tag), true, tag);
  for (const tag of ["", "noindex", "other: nofollow", "other: noindex, nofollow", "max-snippet: 0"])
    assert.equal(says(tag), false, tag);
});

test("in XHTML that is served as XML an empty script has no content, and CDATA is text", () => {
  const html = '<script src="s"/><a href="b"/><![CDATA[<a href="no"/>]]>';
  assert.deepEqual(listed(html, "application/xhtml+xml"), ["script /dir/s", "anchor /dir/b"]);
  assert.deepEqual(listed(html), ["script /dir/s"]);
});

const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const encodings: ReadonlyArray<readonly [string, Uint8Array, string | undefined, string]> = [
  [
    "a byte order mark before all else",
    latin('\xef\xbb\xbf<a href="\xc3\xa9">'),
    "text/html; charset=koi8-r",
    "%C3%A9",
  ],
  ["UTF-16 by its mark", latin("\xff\xfe<\0a\0 \0h\0r\0e\0f\0=\0\xe9\0>\0"), undefined, "%C3%A9"],
  [
    "the field before the page",
    latin('<meta charset=utf-8><a href="\xe9">'),
    'text/html; Charset="ISO-8859-1"',
    "%C3%A9",
  ],
  [
    "meta charset",
    latin('<!-- <meta charset=utf-8> --><meta charset=windows-1251><a href="\xe9">'),
    "text/html",
    "%D0%B9",
  ],
  [
    "meta http-equiv",
    latin('<meta http-equiv=content-type content="text/html; charset=koi8-r"><a href="\xc9">'),
    undefined,
    "%D0%B8",
  ],
  [
    "an XML declaration",
    latin('<?xml version="1.0" encoding=\'windows-1251\'?><!doctype html><a href="\xe9">'),
    "text/html",
    "%D0%B9",
  ],
  [
    "meta before an XML declaration",
    latin('<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251><a href="\xe9">'),
    undefined,
    "%D0%B9",
  ],
  [
    "an XML declaration that says UTF-16 and is not",
    latin('<?xml version="1.0" encoding="UTF-16"?><a href="\xc3\xa9">'),
    undefined,
    "%C3%A9",
  ],
  ["a page that says UTF-16 and is not", latin('<meta charset=utf-16><a href="\xc3\xa9">'), undefined, "%C3%A9"],
  ["nothing said, not UTF-8", latin('<a href="\xe9">'), undefined, "%C3%A9"],
  ["nothing said, UTF-8", latin('<a href="\xc3\xa9">'), undefined, "%C3%A9"],
  [
    "an encoding that nobody knows",
    latin('<meta charset=klingon><a href="\xc3\xa9">'),
    "text/html; charset=x",
    "%C3%A9",
  ],
  [
    "a query in the page's encoding",
    latin('<meta charset=windows-1251><a href="\xe9?\xe9&#8364;&#22269;">'),
    undefined,
    "%D0%B9?%E9%88%26%2322269%3B",
  ],
  [
    "a query in an encoding of two bytes",
    latin('<meta charset=gbk><a href="a?\xb9\xfa&euro;">'),
    undefined,
    "a?%B9%FA%80",
  ],
];

for (const [what, body, contentType, path] of encodings) {
  test(`the encoding of a page: ${what}`, () => {
    assert.deepEqual(
      readLinks(body, contentType, page).links.map(({ url }) => url),
      [`https://a.example/dir/${path}`],
    );
  });
}

test("bytes of the fields are escaped as they are", () => {
  const fields = { link: "</\xc3\xa9\xff>; rel=canonical", refresh: "0; url=/\xc3\xa9?\xe9" };
  assert.deepEqual(
    readLinks(Buffer.from(""), utf8, page, { fields }).links.map(({ url }) => url),
    ["https://a.example/%C3%A9%FF", "https://a.example/%C3%A9?%E9"],
  );
});

test("what is beyond the bounds is not kept; inline data is no link", () => {
  const many = Array.from({ length: 100_002 }, (_, at) => `<a href="${at}"><a href="${at}">`).join("");
  assert.equal(read(many).links.length, 100_000);
  const long = `<img src="data:image/png;base64,${"x".repeat(3_000_000)}"><a href="${"y".repeat(3000)}"><a href="b">`;
  assert.deepEqual(listed(long), ["anchor /dir/b"]);
});

test("the links of a style sheet, in its own encoding", () => {
  const sheet = latin('@charset "windows-1252"; @import "a\xe9.css"; p { background: url(b.png) }');
  const urls = (type?: string): string[] =>
    readStyleLinks(sheet, "https://a.example/css/x.css", type).map(({ url, kind }) => `${kind} ${url}`);
  const own = ["style https://a.example/css/a%C3%A9.css", "image https://a.example/css/b.png"];
  assert.deepEqual(urls(), own);
  assert.notDeepEqual(urls("text/css; charset=utf-8"), own);
});

// Each would take for ever, or all memory, where something is looked at again for each tag.
const hostile: ReadonlyArray<readonly [string, string, string?]> = [
  ["links that are never closed", "<a href=x>"],
  ["elements that are never closed", "<div>"],
  ["SVG in SVG", "<svg><desc>"],
  ["comments that are never closed", "<!--"],
  ["a tag that never ends", "<a b=c "],
  ["an attribute that never ends", '<a href="'],
  ["quotes in a style sheet", '<style>"', '\\"'],
  ["brackets in a style sheet", "<style>url(type("],
  ["end tags without a start", "</a></svg>"],
  ["scripts in scripts", "<script><!--<script>"],
  ["a refresh of digits", '<meta http-equiv=refresh content="1111'],
  ["commas", '<img srcset=",,,,'],
  ["references", '<a href="&amp'],
];
for (const [what, text, more] of hostile) {
  test(`hostile: ${what}, in time that grows as the page does`, { timeout: 30_000 }, () => {
    const again = more ?? text.replace(/^<style>|^<meta.*"(?=1)|^<img srcset="/, "");
    read(text + again.repeat((4 * 1024 * 1024) / again.length));
  });
}

const bases = [
  "https://example.org/",
  "http://example.org:8080/a/b/page.html?x=1",
  "https://example.org/a//b/",
  "https://xn--bcher-kva.example/%C3%A4/x",
];
const pieces = [
  ..."/ // . .. ./ ../ a b-c x.html .well-known %2e %2E%2e %41 % : ? ?x=1 & = ; , @ ! $ ( ) * + ~ | ^ [ ] \\ ' ä".split(
    " ",
  ),
  ..."http: https: javascript: mailto: http://example.org https://example.org https://example.org/ HTTPS://EXAMPLE.ORG/".split(
    " ",
  ),
  ..."http://example.org:8080 https://example.org.evil.example/ //other.example/ https://user@example.org/ C: C|".split(
    " ",
  ),
];

// What a browser would ask for.
function resolve(link: string, base: string): string | undefined {
  try {
    const url = new URL(link, base);
    url.hash = "";
    return /^https?:$/.test(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

test("a link is what the URL parser makes of it, however plain it is", () => {
  const links = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(links, fc.constantFrom(...bases), (link, base) => {
      const html = `<a href="${link.replaceAll("&", "&amp;")}">x</a>`;
      const found = readLinks(Buffer.from(html), "text/html; charset=utf-8", base).links.map(({ url }) => url);
      const expected = resolve(link, base);
      assert.deepEqual(found, expected === undefined ? [] : [expected]);
    }),
    { numRuns: 3000 },
  );
});

const anchors = (count: number): string => Array.from({ length: count }, (_, at) => `<a href=${at}>`).join("");

test("a link that is longer as a URL than 2048 characters is left out", () => {
  const folder = `/${"x".repeat(2048 - "https://a.example/123/".length)}/`;
  const links = listed(`<base href="${folder}">${anchors(1001)}<a href="/y"><a href="/${"\u20ac".repeat(300)}">`);
  assert.deepEqual([links.length, links.at(-1)], [1001, "anchor /y"]);
});

test("links that are relative to a URL of more than 8192 characters are left out", () => {
  const html = `<base href="/${"x".repeat(1_000_000)}/">${anchors(99_000)}<a href="/b"><a href="https://b.example/c">`;
  assert.deepEqual(listed(html), ["anchor https://b.example/c"]);
});

test("what an object names behind a codebase of more than 8192 characters is left out", () => {
  const codebase = `https://b.example/${"x".repeat(1_000_000)}/`;
  const archives = Array.from({ length: 100_000 }, (_, at) => at).join(" ");
  assert.deepEqual(listed(`<object codebase="${codebase}" data="/c" archive="${archives}"><a href="/b">`), [
    "anchor /b",
  ]);
});

test("of the archives of a page's objects 100,000 are looked at: each may cost the length of a codebase", () => {
  const objects = `<object archive="${"a ".repeat(1000)}">`.repeat(100);
  assert.deepEqual(listed(`${objects}<object archive="b"><a href="/c">`), ["object /dir/a", "anchor /c"]);
});

test("the URLs of a page have at most 16 Mi characters together", () => {
  const { links } = read(`<base href="/${"x".repeat(1900)}/">${anchors(20_000)}`);
  assert.equal(
    links.length,
    Math.floor((16 * 1024 * 1024) / (links.reduce((sum, { url }) => sum + url.length, 0) / links.length)),
  );
});

const languages: ReadonlyArray<readonly [html: string, field: string | undefined, language: string | undefined]> = [
  ['<!doctype html><html lang="de-AT">', "fr", "de-at"],
  ["<html xml:lang=pt>", undefined, "pt"],
  ['<html lang="">', "fr", undefined],
  ['<html><div lang="it">', "fr", "fr"],
  ['<meta http-equiv="Content-Language" content=" en ">', "fr", "en"],
  ['<html lang="sv"><meta http-equiv="content-language" content="en">', undefined, "sv"],
  ["<p>none", "fr, de", undefined],
  ["<p>none", "no language!", undefined],
  ["<p>none", undefined, undefined],
  ['<iframe srcdoc="<html lang=fi>"></iframe>', undefined, undefined],
];
for (const [html, contentLanguage, language] of languages)
  test(`the language of ${html} with the field ${contentLanguage} is ${language}`, () => {
    const { language: found } = readLinks(Buffer.from(html), "text/html", "http://a.example/", {
      fields: { contentLanguage },
    });
    assert.equal(found, language);
  });
