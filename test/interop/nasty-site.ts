import { mkdirSync, writeFileSync } from "node:fs";

/** A file of the site: its place below the root, one character (0 to 255) a byte. */
export type NastyName = string;

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

// Bytes with a meaning in URLs, shells, formats or servers, each at the beginning, in the middle and at the end.
const marks = [..." %#?;'\"&+\\`|<>{}[]^~=:,@!$()*"];
const around = (mark: string): string[] => [`${mark}begin.txt`, `mid${mark}dle.txt`, `end.txt${mark}`];

// No name holds a NUL, and "/" separates them.
const controls = Array.from({ length: 31 }, (_, at) => String.fromCharCode(at + 1));

/**
 * Names of files that have bitten somebody, or will.
 *
 * @returns paths below the site's root; some lie in folders with such names
 */
export function nastyNames(): NastyName[] {
  const names = [
    ...marks.flatMap(around),
    ...controls.map((control) => `control${control}x.txt`),
    "delete\x7f.txt",
    ...["%2F.txt", "a%2Fb.txt", "%2e%2e.txt", "%.txt", "%%.txt", "%zz.txt", "%41.txt", "A.txt", "%00.txt", "%25.txt"],
    ...["%252F.txt", "a%5Cb.txt", "a%0Ab.txt", "%u0041.txt", "..%2f..%2fetc%2fpasswd", "%C0%AF.txt"],
    ...[
      "-dash.html",
      "--option.txt",
      "-",
      "--",
      "~",
      "~user",
      "~/user.txt",
      "trailing dot.",
      "trailing dots...",
      "a..b",
    ],
    ...["trailing space ", " ", "  ", "space /inner.txt", "dot./inner.txt", "...", "..x/y.txt"],
    ...["CON", "nul.txt", "aux", "LPT1.txt", "a:b", "C:", "file:stream:$DATA", "x.txt::$INDEX"],
    ...["case.txt", "Case.txt", "CASE.TXT", "cAsE/inner.txt", "CaSe/inner.txt"],
    ...["café.html", "cafe\u0301.html", "Å.txt", "\u212b.txt", "A\u030a.txt", "ﬁ.txt", "fi.txt", "ß.txt", "ss.txt"].map(
      utf8,
    ),
    ...["emoji 😀.html", "👩‍👩‍👧/family.html", "🏳️‍🌈.txt", "日本語/ページ.html", "русский.html", "עברית.txt"].map(utf8),
    ...[
      "\u202ertl.txt",
      "zero\u200bwidth.txt",
      "bom\ufeff.txt",
      "nbsp\u00a0.txt",
      "line\u2028.txt",
      "\ud800x".slice(1),
    ].map(utf8),
    ...[
      "\xff.txt",
      "\xc3.txt",
      "latin1-caf\xe9.html",
      "\x80\x81\x82",
      "\xed\xa0\x80.txt",
      "\xc0\xaf.txt",
      "d\xfe/inner.txt",
    ],
    ...["n".repeat(255), utf8("ü".repeat(127)), "%".repeat(255), `${"l".repeat(250)}.html`, `${" ".repeat(250)}.txt`],
    ...["both/index.html/inner.html", "both/page.html", "index.html", "dir/index.html", "dir.html/x.txt"],
    ...["index.htm", "index", "INDEX.HTML", "index.html.html", "index.html "],
    ...[
      "?query=1",
      "a?b=c&d=e",
      "#frag",
      "a#b/c#d.html",
      "a&amp;b.txt",
      "&lt;x&gt;.html",
      "<script>.html",
      "$(id)",
      "`id`",
    ],
    ...[
      "{{x}}",
      "$" + "{x}",
      "[a-z].txt",
      "*.txt",
      "a\\b.txt",
      "..\\..\\x.txt",
      "\\\\server\\share",
      "http:",
      "http:/x.txt",
    ],
    ...[
      "data:text,x",
      "//".replace("//", "double"),
      "a;jsessionid=1",
      ";",
      "a;/b;/c.txt",
      "@",
      "user@host",
      "=",
      "a=b&c",
      "+",
      "a+b",
    ],
    ...[
      "a.tar.gz page.html.gz page.html.br page.en.html page.html.en x.svgz t.tgz type.var x.asis robots.txt.txt",
      "sitemap.xml favicon.ico noextension UPPER.HTML a.b.c.d.e 0 00 null undefined",
    ].flatMap((line) => line.split(" ")),
    ...["well-known/x.txt", "server-status", "icons/x.txt", "cgi/x.txt", `${"deep/".repeat(40)}x.txt`],
  ];
  const folders = new Set(names.flatMap((name) => name.split("/").map((_, at, parts) => parts.slice(0, at).join("/"))));
  // No file can stand where a folder does.
  return [...new Set(names)].filter((name) => !folders.has(name));
}

/** Writes the site; each file has bytes of its own. */
export function writeNastySite(docroot: string, names: readonly NastyName[]): number {
  for (const [at, name] of names.entries()) {
    const place = Buffer.concat([Buffer.from(`${docroot}/`), Buffer.from(name, "latin1")]);
    const parent = place.subarray(0, place.lastIndexOf(0x2f));
    mkdirSync(parent, { recursive: true });
    writeFileSync(place, `${at} ${name.length}\n`.repeat(1 + (at % 7)));
  }
  return names.length;
}
