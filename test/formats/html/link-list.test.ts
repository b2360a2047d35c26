import assert from "node:assert/strict";
import { test } from "node:test";
import { readLinks } from "../../../src/formats/html/page-links.ts";
import { fc } from "../../property.ts";

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
