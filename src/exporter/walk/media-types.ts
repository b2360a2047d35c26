import { lookup } from "mime-types";
import { memoize } from "./memoize.ts";
import { cutName } from "./name-forms.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Endings of what sites publish, beside images, audio, video and fonts. */
const endings = words(
  // Pages, styles, scripts that browsers load and their sources, data.
  `html htm xhtml xht shtml css scss sass less styl js mjs jsx ts tsx map wasm json jsonld jsonl ndjson json5
  geojson topojson webmanifest manifest appcache xml xsl xslt xsd dtd ent rng rnc rss atom rdf owl ttl n3 nt nq trig opml
  kml kmz gpx gml osm svg svgz csv tsv ics ifb vcf vtt srt ass ssa lrc proto graphql wsdl
  md mdx markdown mdown mkd rst adoc asciidoc textile txt text bib ris tex latex sty cls texi texinfo diff patch ipynb
  c h cc cpp cxx hpp hh java f f90 r jl
  ` +
    // Documents.
    `pdf ps eps ai dvi rtf doc docx dot dotx odt ott xls xlsx xlsm xlsb ods ots ppt pptx pps ppsx pot potx odp odg odf
  epub mobi azw3 fb2 djvu djv chm pages numbers vsd vsdx drawio pub xps indd sketch fig
  ` +
    // Downloads, what signs and lists them, and what readers of documentation load.
    `zip gz tgz bz2 tbz tbz2 xz txz zst tzst lz lz4 lzma 7z rar tar br z cab arj lha lzh jar gem whl egg crate nupkg vsix
  xpi crx apk aab ipa deb udeb rpm pkg dmg iso exe msi msix msixbundle appx appimage flatpak flatpakref flatpakrepo
  torrent metalink meta4 dsc changes repo pom asc sig minisig gpg sha1 sha224 sha256 sha384 sha512 md5 sha1sum sha256sum
  sha512sum md5sum crl spdx cdx inv tag qch devhelp devhelp2 hhc hhk hhp
  ` +
    // Fonts, images and figures that the registry of media types does not call so; maps, models.
    `eot pfb pfm afm bdf psd xcf swf mvt pbf pmtiles glb gltf obj mtl stl 3mf ply usdz dae fbx step stp wrl x3d vrml
  m3u8 mpd mxf ogx pgn sgf mscz musicxml mxl lottie dzi cur heic`,
);

/** Names without an ending, or with one that says nothing, that projects and archives publish as text. */
const texts = words(
  `readme license licence copying copyright changes changelog news authors contributors credits thanks install todo notice
  history maintainers version faq bugs disclaimer acknowledgements acknowledgments release inrelease packages sources
  manifest keys cname sha1sums sha224sums sha256sums sha512sums md5sums checksums index package-list element-list
  apple-app-site-association apple-developer-merchantid-domain-association`,
);

const mediaKinds = /^(?:image|audio|video|font|chemical)\//;
const apiDescription = /(?:^|[^a-z])(?:open-?api|swagger|async-?api|api|rest|oas|schema)(?:[^a-z]|$)/;
const installer = /^(?:get|install|uninstall|quick-?start)(?:[-_.]|$)/;

/** Endings of what servers run. */
const serverEnding =
  /^(?:shtm|stm|php[0-9s]?|phtml|pht|phps|phar|inc|module|aspx?|as[chmt]x|asa|asax|cshtml|vbhtml|master|jspx?|jspf|jsf|cfml?|cfc|cgi|fcgi|pl|pm|py|pyc|rb|erb|rhtml|lua|lp|tcl|do|action|cs|vb|ejs|twig|blade|jinja2?|j2|tpl|mako|haml|slim|latte|ctp)$/;

const unknownType = "application/octet-stream";
const typeOfEnding = memoize((ending) => lookup(ending.toLowerCase()) || unknownType);

/**
 * The media type that web servers give to a file of this name.
 *
 * @returns the essence, lower case; `application/octet-stream` where the ending says nothing
 */
export function mediaTypeOfName(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 || dot === name.length - 1 ? unknownType : typeOfEnding(name.slice(dot + 1));
}

/**
 * The media type that a server most likely gives to what is no file: by the ending, unless it is a script's or says
 * nothing.
 *
 * @param path - encoded path with query
 * @returns the essence, lower case; `text/html` where the ending says nothing
 */
export function mediaTypeOfUrlPath(path: string): string {
  const [beforeQuery = ""] = path.split("?", 1);
  const name = beforeQuery.slice(beforeQuery.lastIndexOf("/") + 1);
  if (isServerEnding(name.slice(name.lastIndexOf(".") + 1).toLowerCase())) return "text/html";
  const type = mediaTypeOfName(name);
  return type === unknownType ? "text/html" : type;
}

/** Whether a file with this ending, in small letters, is one that the server runs, so that what it serves is no file. */
export function isServerEnding(ending: string): boolean {
  return serverEnding.test(ending);
}

/**
 * Whether a file's name says that its type is one that sites publish.
 *
 * @param name - in small letters, one character a byte
 */
export function isPublishedType(name: string): boolean {
  const { stem, ending } = cutName(name);
  if (ending === "") return texts.has(stem) || isTextName(stem);
  if (isPublishedEnding(ending)) return true;
  // Descriptions of interfaces, lists of releases: other files of this form are configuration.
  if (ending === "yaml" || ending === "yml")
    return apiDescription.test(stem) || stem === "index" || /^latest(?:-|$)/.test(stem);
  // What a page tells people to run; other scripts are the site's own.
  if (ending === "sh" || ending === "ps1") return installer.test(stem) || /[-_](?:install|quick-?start)$/.test(stem);
  // Apache's MultiViews: index.html.de.
  if (/^[a-z]{2}(?:-[a-z]{2})?$/.test(ending)) return /\.x?html?$/.test(stem);
  return ending === "toml" ? stem === "stellar" : isTextName(stem);
}

/** Whether an ending alone stands for a type that sites publish. */
export const isPublishedEnding: (ending: string) => boolean = memoize(
  (ending) => endings.has(ending) || mediaKinds.test(lookup(ending) || ""),
);

// README.Debian, LICENSE-APACHE.
function isTextName(stem: string): boolean {
  return texts.has(/^[a-z]+/.exec(stem)?.[0] ?? "") && /^[a-z]+(?:[-_.][a-z0-9]{1,16}){0,2}$/.test(stem);
}
