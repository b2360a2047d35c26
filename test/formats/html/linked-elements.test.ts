import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLinks } from "../../../src/formats/html/page-links.ts";

const page = "https://example.org/d/page.html";

interface Row {
  readonly html: string;
  readonly urls: readonly string[];
  /** The section that says so. */
  readonly why: string;
  readonly link?: string;
  readonly refresh?: string;
}

const rows: readonly Row[] = [
  { html: '<blockquote cite="q">', urls: ["cite q"], why: "HTML Living Standard 4.4.4" },
  { html: '<q cite="q">', urls: ["cite q"], why: "HTML Living Standard 4.5.7" },
  { html: '<ins cite="i"><del cite="d">', urls: ["cite i", "cite d"], why: "HTML Living Standard 4.7" },
  { html: '<img longdesc="l">', urls: ["cite l"], why: "HTML 4.01 section 13.2" },
  {
    html: '<iframe longdesc="l"></iframe><frame longdesc="m">',
    urls: ["cite l", "cite m"],
    why: "HTML 4.01 section 16",
  },
  { html: '<head profile="p">', urls: ["link p"], why: "HTML 4.01 section 7.4.4.3" },
  { html: '<applet classid="x" archive="a,,b">', urls: ["object a", "object b"], why: "HTML 4.01 section 13.4" },
  { html: '<object data="o">', urls: ["object o"], why: "HTML Living Standard 4.8.7" },
  { html: '<object codebase="c/" data="o">', urls: ["object c/o"], why: "HTML 4.01 section 13.3" },
  { html: '<object codebase="c/" data="/o">', urls: ["object /o"], why: "HTML 4.01 section 13.3" },
  {
    html: '<object codebase="https://example.org/c/x" classid="o">',
    urls: ["object /c/o"],
    why: "HTML 4.01 section 13.3",
  },
  {
    html: '<object codebase="c/x" data="o">',
    urls: ["object c/o"],
    why: "HTML 4.01 section 13.3: a base as that of a page",
  },
  { html: '<object codebase="https://example.org" data="o">', urls: ["object /o"], why: "HTML 4.01 section 13.3" },
  { html: '<object codebase="c/" data=" ">', urls: [], why: "it names nothing" },
  { html: '<object codebase="https://example.org/" data="http://[">', urls: [], why: "it is no URL" },
  {
    html: '<object archive="a b" data="o" codebase="c/">',
    urls: ["object c/o", "object c/a", "object c/b"],
    why: "HTML 4.01 section 13.3",
  },
  {
    html: '<applet code="A.class" archive="a.jar, b.jar" codebase="c">',
    urls: ["object c/A.class", "object c/a.jar", "object c/b.jar"],
    why: "HTML 4.01 section 13.4",
  },
  {
    html: '<form action="f?x=1"><button>go</button></form>',
    urls: ["form f?x=1", "anchor f"],
    why: "HTML Living Standard 4.10.21.3, mutate action URL",
  },
  {
    html: '<form action="f"><input type="submit"></form>',
    urls: ["form f", "anchor f"],
    why: "HTML Living Standard 4.10.21.4",
  },
  {
    html: '<form action="f"><form action="g"><input type="text"><input type="submit" name="s"></form>',
    urls: ["form f", "anchor f", "form g", "anchor g"],
    why: "HTML Living Standard 4.10.21.4: what has no name is not sent; the first button is not pressed",
  },
  { html: '<form action="?x"></form>', urls: ["form ?x"], why: "without its query it is the page" },
  { html: '<form action="f"><textarea name="q"></textarea></form>', urls: ["form f"], why: "a field wants input" },
  { html: '<form action="f"><input name="q"></form>', urls: ["form f"], why: "a field wants input" },
  { html: '<form action="f"><select name="q"></select></form>', urls: ["form f"], why: "a field wants input" },
  {
    html: '<form action="f" method="post"></form>',
    urls: [],
    why: "HTML Living Standard 4.10.21.3: nothing is submitted",
  },
  { html: '<base href="/b/"><a href="x">', urls: ["anchor /b/x"], why: "HTML Living Standard 4.2.3" },
  { html: "", link: '<n>; rel="next"', urls: ["link n"], why: "RFC 8288 section 3" },
  {
    html: "",
    link: '</c>;rel=canonical, <s>; rel="x stylesheet"; title="a, b"',
    urls: ["canonical /c", "style s"],
    why: "RFC 8288 section 3.3",
  },
  {
    html: '<base href="/b/">',
    link: '<x>; rel="alternate"',
    urls: ["alternate x"],
    why: "RFC 8288 section 3.2: the base of the message",
  },
  { html: "", link: '<x>; rel="next"; anchor="#a"', urls: [], why: "RFC 8288 section 3.2: another context" },
  { html: "", link: "< /\xc3\xa0 >; rel=next", urls: ["link /%C3%A0"], why: "A0 is a byte of a character, no space" },
  { html: "", link: "</\xc3\xa0>; rel=next", urls: ["link /%C3%A0"], why: "RFC 9110 section 5.5" },
  { html: "", link: "<x>; rel=next; rel=icon", urls: ["link x"], why: "RFC 8288 section 3.3: the first counts" },
  { html: "", link: "<x>; rel=preconnect, <y", urls: [], why: "it names a server; what is no link is not read" },
  { html: "", refresh: "5; url=r", urls: ["meta-refresh r"], why: "HTML Living Standard 4.2.5.3" },
  { html: "", refresh: "5; url=", urls: [], why: "the page itself" },
  { html: "", refresh: "5", urls: [], why: "the page itself" },
];

describe("links of elements, and of fields of the answer", () => {
  for (const { html, link, refresh, urls, why } of rows)
    it(`${html}${link ?? ""}${refresh ?? ""}: ${why}`, () => {
      const { links } = readLinks(Buffer.from(html), "text/html", page, { fields: { link, refresh } });
      const wanted = urls.map((text) => {
        const [kind = "", url = ""] = text.split(" ");
        return `${kind} ${new URL(url, page).href}`;
      });
      assert.deepEqual(links.map(({ kind, url }) => `${kind} ${url}`).toSorted(), wanted.toSorted());
    });

  it("say what a page does not vouch for", () => {
    const fields = { link: '</c>; rel="canonical", <n>; rel="next nofollow"', refresh: "0; url=r" };
    const { links } = readLinks(Buffer.of(), "text/html", page, { fields });
    assert.deepEqual(
      links.map(({ isNofollow }) => isNofollow),
      [false, true, false],
    );
  });
});
