import assert from "node:assert/strict";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { rewritePage, rewriteStyle } from "../../src/copies/page-rewriter.ts";
import { decodeReferences, readLinks } from "../../src/formats/html/index.ts";
import { fc } from "../property.ts";

const page = "http://a.example/d/e.html";
const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/g;

/** The copy has what is of the site, but for names with `gone`. */
function find(link: string): string | undefined {
  const { host, pathname, hash } = new URL(link);
  return host === "a.example" && !pathname.includes("gone") ? `F${pathname}${hash}` : undefined;
}

const pages: ReadonlyArray<readonly [string, string, string]> = [
  ["links in quotes and without", `<a href=/x>1</a><a href='/y?z#f'>2</a>`, `<a href="F/x">1</a><a href="F/y#f">2</a>`],
  ["a page that the copy has not is named in full", `<a href="../gone">`, `<a href="http://a.example/gone">`],
  [
    "what would be loaded is left out",
    `<img src="/gone.png"><script src=//cdn.example/x.js>`,
    `<img src="data:,"><script src="data:,">`,
  ],
  [
    "a list of images",
    `<img srcset="/a.png 2x, /gone.png 3x,/c.png">`,
    `<img srcset="F/a.png 2x, data:%2C 3x,F/c.png">`,
  ],
  [
    "checks of the site's own bytes go",
    `<link rel=stylesheet href=/s.css integrity="sha" crossorigin>`,
    `<link rel=stylesheet href="F/s.css"  >`,
  ],
  ["links are turned against the base", `<base href="/b/"><a href="c#d">`, `<base href=""><a href="F/b/c#d">`],
  [
    "styles",
    `<p style="background:url('/p.png')"><style>@import "/q.css"; a{b:url(/gone.gif)}</style>`,
    `<p style="background:url(&quot;F/p.png&quot;)"><style>@import "F/q.css"; a{b:url("data:,")}</style>`,
  ],
  [
    "a refresh",
    `<meta http-equiv=refresh content="0; url=/next">`,
    `<meta http-equiv=refresh content="0; url=F/next">`,
  ],
  [
    "what is no document stays",
    `<a href="mailto:x"><a href="#top"><a href="javascript:y()"><img src="data:image/gif,x">`,
    `<a href="mailto:x"><a href="#top"><a href="javascript:y()"><img src="data:image/gif,x">`,
  ],
  ["the first of two attributes counts", `<a href="/x" href="/y">`, `<a href="F/x" href="/y">`],
  [
    "a server that would be asked early",
    `<link rel=preconnect href="//cdn.example/"><link rel=canonical href="/gone">`,
    `<link rel=preconnect href="data:,"><link rel=canonical href="http://a.example/gone">`,
  ],
  ["references in values", `<a href="/x?a=1&amp;b=&quot;">`, `<a href="F/x">`],
  [
    "the site's own policy",
    `<meta http-equiv="Content-Security-Policy" content="default-src 'self'">`,
    `<meta http-equiv="Content-Security-Policy" content="">`,
  ],
];

for (const [name, before, after] of pages) {
  test(`${name}: ${before.slice(0, 50)}`, () => {
    const rewritten = rewritePage(before, page, find);
    assert.equal(rewritten.replace(/<meta http-equiv="Content-Security-Policy" content="default[^>]*>/, ""), after);
  });
}

test("the policy stands in the head, before anything that loads", () => {
  for (const [html, before] of [
    ["<!doctype html><html><head><title>t</title>", "<!doctype html><html><head>"],
    ["<html lang=en><p>x", "<html lang=en>"],
    ["<!doctype html><p>x", "<!doctype html>"],
    ["<p>x", ""],
    [
      `\n<?xml version="1.0"?><!-- a - b --><!DOCTYPE html>\n<HTML xmlns="http://www.w3.org/1999/xhtml" lang='en' a=b hidden><!----><head\n><title>`,
      `\n<?xml version="1.0"?><!-- a - b --><!DOCTYPE html>\n<HTML xmlns="http://www.w3.org/1999/xhtml" lang='en' a=b hidden><!----><head\n>`,
    ],
    ["<!doctype html>\u00a0<script>x</script><head>", "<!doctype html>"],
    ["<!doctype html><html\u00a0a><script>x</script><head>", "<!doctype html>"],
    ["<!doctype html><html><body><script>x</script><head>", "<!doctype html><html>"],
    ["<!doctype html>x<script>x</script><head>", "<!doctype html>"],
    ["</br><script>x</script><html><head>", ""],
    ["<script>x</script><!doctype html><head>", ""],
    [`<!doctype html><html "><script>x</script><p "><head>`, "<!doctype html>"],
    ["<!doctype html><!-- --!><script>x</script><!-- --><head>", "<!doctype html>"],
    ["<!doctype html><!--><script>x</script>--><head>", "<!doctype html>"],
    ["<!doctype html><template><head>", "<!doctype html>"],
  ] as const)
    assert.ok(rewritePage(html, page, find).startsWith(`${before}<meta http-equiv="Content-Security-Policy"`), html);
});

test("a page of XHTML stays well-formed", () => {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  const start = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>`;
  parser.write(rewritePage(`${start}<title>t</title></head><body/></html>`, page, find)).close();
});

test("the place of the policy is found at once, whatever stands before it", () => {
  const start = performance.now();
  for (const html of ["<!--", " ", "<!-- -->", "<?xml >", "<html a", "<html ", "<!-- --", "<html a a=b"])
    rewritePage(html.repeat(100_000), page, find);
  for (const html of [" ", "<html a", "<!--"]) rewritePage(html.padEnd(20_000_000), page, find);
  assert.ok(performance.now() - start < 10_000, `${performance.now() - start} ms`);
});

test("frames within frames are rewritten five deep, and left empty below", () => {
  let html = `<img src="/gone.png">`;
  for (let depth = 50; depth > 0; depth--)
    html = `<p>depth ${depth}</p><iframe srcdoc='${html.replaceAll("&", "&amp;").replaceAll("'", "&#39;")}'></iframe>`;
  let rewritten = rewritePage(html, page, find);
  assert.ok(rewritten.length < 30 * html.length, `${html.length} became ${rewritten.length}`);
  for (let depth = 1; depth <= 6; depth++) {
    assert.match(rewritten, new RegExp(`<p>depth ${depth}</p>`));
    assert.equal(rewritten.match(policy)?.length, 1, "each has a policy of its own");
    rewritten = decodeReferences(/srcdoc="([^"]*)"/.exec(rewritten)?.[1] ?? "none");
  }
  assert.equal(rewritten, "");
});

test("what the base of a page gives no meaning has none in the copy", () => {
  const rewritten = rewritePage(`<base href="mailto:x"><img src="/a.png"><a href="/b.html">b</a>`, page, find);
  assert.match(rewritten, /<img src="data:,"><a href="\/b\.html">/);
});

test("a style sheet", () => {
  assert.equal(
    rewriteStyle(`@import url(x.css) screen; .a{b:url("/gone.png")} /* url(/no) */ .c{d:"url(/no)"}`, page, find),
    `@import url("F/d/x.css") screen; .a{b:url("data:,")} /* url(/no) */ .c{d:"url(/no)"}`,
  );
});

test("whatever a page is, a rewritten one names nothing that would be loaded from elsewhere", () => {
  const names = fc.constantFrom(
    "a",
    "img",
    "link",
    "script",
    "iframe",
    "object",
    "video",
    "use",
    "base",
    "body",
    "source",
  );
  const fields = fc.constantFrom("href", "src", "srcset", "data", "poster", "background", "rel", "style", "xlink:href");
  const values = fc.constantFrom(
    "/x",
    "//cdn.example/y",
    "gone",
    "http://b.example/",
    "stylesheet",
    "preload",
    "url(/z)",
    "../q 2x",
    "'",
    "&amp;",
    "",
  );
  const tag = fc
    .tuple(names, fc.array(fc.tuple(fields, values, fc.constantFrom('"', "'", "")), { maxLength: 4 }))
    .map(
      ([name, list]) =>
        `<${name}${list.map(([field, value, quote]) => ` ${field}=${quote}${value}${quote}`).join("")}>`,
    );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(tag, fc.constantFrom("<!--", "-->", "<", "</a>", "text")), { maxLength: 12 }),
      (parts) => {
        const rewritten = rewritePage(parts.join(""), page, () => undefined);
        assert.equal(rewritten.match(policy)?.length, 1);
        const loads = readLinks(Buffer.from(rewritten), "text/html; charset=utf-8", page).links.filter(
          ({ kind, url }) =>
            ["image", "script", "style", "media", "object", "frame"].includes(kind) && !url.startsWith("data:"),
        );
        assert.deepEqual(loads, []);
      },
    ),
    { examples: [[['<base style="url(/z)">']], [['<meta style="url(/z)">']]] },
  );
});
