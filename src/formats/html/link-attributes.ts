import { Parser } from "htmlparser2";
import { parseUrl } from "../../core/index.ts";
import type { LinkKind } from "./found-link.ts";

/** An attribute that holds a URL, or as `srcset` several. */
export type LinkAttribute = readonly [name: string, kind: LinkKind];

const tableParts = "table thead tbody tfoot tr td th";

/**
 * Elements of HTML and the attributes that hold their links, the obsolete ones included. `base`, `link`, `meta`,
 * `form`, `input`, `button`, `param`, `object` and `applet` have rules of their own.
 *
 * @see HTML Living Standard, "Attributes" in the index, and section 16.2; HTML 4.01, index of attributes (`%URI`)
 */
export const htmlLinks: ReadonlyMap<string, readonly LinkAttribute[]> = new Map<string, readonly LinkAttribute[]>([
  ["a", [["href", "anchor"]]],
  ["area", [["href", "area"]]],
  [
    "img",
    [
      ["src", "image"],
      ["srcset", "image"],
      ["lowsrc", "image"],
      ["dynsrc", "media"],
      ["longdesc", "cite"],
    ],
  ],
  // The parser of HTML takes this name for the one above.
  [
    "image",
    [
      ["src", "image"],
      ["srcset", "image"],
    ],
  ],
  [
    "source",
    [
      ["src", "media"],
      ["srcset", "image"],
    ],
  ],
  [
    "video",
    [
      ["src", "media"],
      ["poster", "image"],
    ],
  ],
  ["audio", [["src", "media"]]],
  ["track", [["src", "media"]]],
  ["bgsound", [["src", "media"]]],
  ["embed", [["src", "object"]]],
  [
    "iframe",
    [
      ["src", "frame"],
      ["longdesc", "cite"],
    ],
  ],
  [
    "frame",
    [
      ["src", "frame"],
      ["longdesc", "cite"],
    ],
  ],
  ["portal", [["src", "frame"]]],
  ["layer", [["src", "frame"]]],
  ["script", [["src", "script"]]],
  ["body", [["background", "image"]]],
  ...tableParts.split(" ").map((name) => [name, [["background", "image"]]] as [string, LinkAttribute[]]),
  ["blockquote", [["cite", "cite"]]],
  ["q", [["cite", "cite"]]],
  ["ins", [["cite", "cite"]]],
  ["del", [["cite", "cite"]]],
  ["head", [["profile", "link"]]],
  ["html", [["manifest", "manifest"]]],
]);

const reference = (kind: LinkKind): LinkAttribute[] => [
  ["href", kind],
  ["xlink:href", kind],
];
/** The links of an element of SVG or MathML that {@link foreignLinks} does not know. */
export const otherForeignLinks: readonly LinkAttribute[] = reference("anchor");

/** Elements of SVG that show what they name (SVG 2, section 16.1; SVG 1.1, section 17.1). */
export const foreignLinks: ReadonlyMap<string, readonly LinkAttribute[]> = new Map<string, readonly LinkAttribute[]>([
  ...["image", "use", "feimage", "textpath", "mpath", "pattern", "lineargradient", "radialgradient", "filter"].map(
    (name) => [name, reference("image")] as [string, LinkAttribute[]],
  ),
  ["script", reference("script")],
]);

/** Attributes of SVG that are values of CSS, and so may hold `url()`. */
export const styledAttributes: readonly string[] = [
  "fill",
  "stroke",
  "filter",
  "mask",
  "clip-path",
  "marker-start",
  "marker-mid",
  "marker-end",
  "cursor",
];

/** Names and properties of `meta` elements whose `content` is the URL of a picture, film or sound. */
export const metaLinks: ReadonlySet<string> = new Set([
  "og:image",
  "og:image:url",
  "og:image:secure_url",
  "og:video",
  "og:video:url",
  "og:video:secure_url",
  "og:audio",
  "og:audio:url",
  "og:audio:secure_url",
  "twitter:image",
  "twitter:image:src",
  "msapplication-tileimage",
]);

const relKinds: ReadonlyMap<string, LinkKind> = new Map<string, LinkKind>([
  ["canonical", "canonical"],
  ["stylesheet", "style"],
  ["icon", "icon"],
  ["apple-touch-icon", "icon"],
  ["apple-touch-icon-precomposed", "icon"],
  ["apple-touch-startup-image", "icon"],
  ["mask-icon", "icon"],
  ["fluid-icon", "icon"],
  ["image_src", "image"],
  ["manifest", "manifest"],
  ["preload", "preload"],
  ["modulepreload", "preload"],
  ["prefetch", "preload"],
  ["prerender", "preload"],
  ["amphtml", "alternate"],
  ["alternate", "alternate"],
]);
// These name servers, not documents; nothing is to be got there with GET.
const serverRels: ReadonlySet<string> = new Set(["dns-prefetch", "preconnect", "pingback"]);

/**
 * What a `<link>` is for.
 *
 * @returns undefined if it has no `rel`, or names only a server
 */
export function kindOfLink(rel: string | undefined): LinkKind | undefined {
  const tokens = (rel ?? "")
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((token) => token !== "");
  if (tokens.every((token) => serverRels.has(token))) return undefined;
  // The table's order decides: an alternate style sheet is a style sheet.
  for (const [token, kind] of relKinds) if (tokens.includes(token)) return kind;
  return "link";
}

const unfollowed = /(?:^|[\t\n\f\r ])(?:nofollow|ugc|sponsored)(?![^\t\n\f\r ])/i;

/** Whether a `rel` says that the page does not vouch for the link. */
export function isNofollowRel(rel: string | undefined): boolean {
  return rel !== undefined && unfollowed.test(rel);
}

/** All attributes that are of interest to {@link LinkReader}. */
export const linkAttributes: ReadonlySet<string> = new Set([
  ...[...htmlLinks.values(), otherForeignLinks].flat().map(([name]) => name),
  ...styledAttributes,
  ..."rel imagesrcset style name property itemprop content http-equiv type method action formaction formmethod".split(
    " ",
  ),
  ..."srcdoc value valuetype data codebase classid archive code".split(" "),
]);

let decoded = "";
const parser = new Parser({
  onattribute: (_name, value) => {
    decoded = value;
  },
});

/**
 * Resolves the character references of an attribute's value: `&amp;`, `&#38;`, and by the rule for attributes
 * `&copy=1` not (HTML Living Standard, section 13.2.5.73).
 */
export function decodeReferences(value: string): string {
  if (!value.includes("&")) return value;
  decoded = "";
  parser.parseComplete(`<a b="${value.replaceAll('"', "&quot;")}">`);
  return decoded;
}

const absoluteLink = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;

/**
 * A link of `object` or `applet` behind its `codebase`, both as they are written.
 *
 * @see HTML 4.01 sections 13.3 and 13.4
 */
export function behindCodebase(codebase: string | undefined, text: string): string {
  const base = codebase?.trim() ?? "";
  const link = text.trim();
  if (base === "" || link === "") return link;
  if (/^https?:\/\//i.test(base)) return parseUrl(link, base)?.href ?? link;
  return absoluteLink.test(link) ? link : base.slice(0, base.lastIndexOf("/") + 1) + link;
}

const refreshForm =
  /^[\t\n\f\r ]*(?:[0-9]|(?=\.))[0-9.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*([^\t\n\f\r ].*)$/s;
const refreshPrefix = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

/**
 * The URL, as it is written, that the `content` of `<meta http-equiv="refresh">` leads to: `0; url=a`, `0;URL='a'`,
 * `5,a`, `0 a`, `.5; url = a`.
 *
 * @returns undefined if it means nothing, or only loads the page again
 * @see HTML Living Standard, section 4.2.5.3 "shared declarative refresh steps"
 */
export function readRefresh(content: string): string | undefined {
  const rest = refreshForm.exec(content)?.[1];
  if (rest === undefined) return undefined;
  const url = rest.replace(refreshPrefix, "");
  const quote = url[0];
  if (quote !== '"' && quote !== "'") return url === "" ? undefined : url;
  const end = url.indexOf(quote, 1);
  return url.slice(1, end === -1 ? undefined : end) || undefined;
}
