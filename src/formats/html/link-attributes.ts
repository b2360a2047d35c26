import type { LinkKind } from "./link-list.ts";

/** Attributes that hold a URL, or as `srcset` several, and what each is for. */
type LinkAttributes = Readonly<Record<string, LinkKind>>;

const background: LinkAttributes = { background: "image" };
const quotation: LinkAttributes = { cite: "cite" };

/**
 * Elements of HTML and the attributes that hold their links, the obsolete ones included. `base`, `link`, `meta`,
 * `form`, `input`, `button`, `param`, `object` and `applet` have rules of their own.
 *
 * @see HTML Living Standard, "Attributes" in the index, and section 16.2; HTML 4.01, index of attributes (`%URI`)
 */
const htmlElements: Readonly<Record<string, LinkAttributes>> = {
  a: { href: "anchor" },
  area: { href: "area" },
  img: { src: "image", srcset: "image", lowsrc: "image", dynsrc: "media", longdesc: "cite" },
  // The parser of HTML takes this name for the one above.
  image: { src: "image", srcset: "image" },
  source: { src: "media", srcset: "image" },
  video: { src: "media", poster: "image" },
  audio: { src: "media" },
  track: { src: "media" },
  bgsound: { src: "media" },
  embed: { src: "object" },
  iframe: { src: "frame", longdesc: "cite" },
  frame: { src: "frame", longdesc: "cite" },
  portal: { src: "frame" },
  layer: { src: "frame" },
  script: { src: "script" },
  body: background,
  table: background,
  thead: background,
  tbody: background,
  tfoot: background,
  tr: background,
  td: background,
  th: background,
  blockquote: quotation,
  q: quotation,
  ins: quotation,
  del: quotation,
  head: { profile: "link" },
  html: { manifest: "manifest" },
};

const reference = (kind: LinkKind): LinkAttributes => ({ href: kind, "xlink:href": kind });
const shown = reference("image");

/** Elements of SVG that show what they name (SVG 2, section 16.1; SVG 1.1, section 17.1). */
const svgElements: Readonly<Record<string, LinkAttributes>> = {
  image: shown,
  use: shown,
  feimage: shown,
  textpath: shown,
  mpath: shown,
  pattern: shown,
  lineargradient: shown,
  radialgradient: shown,
  filter: shown,
  script: reference("script"),
};

type LinkTable = ReadonlyMap<string, readonly (readonly [attribute: string, kind: LinkKind])[]>;

const tableOf = (elements: Readonly<Record<string, LinkAttributes>>): LinkTable =>
  new Map(Object.entries(elements).map(([name, attributes]) => [name, Object.entries(attributes)]));

const htmlLinks = tableOf(htmlElements);
const svgLinks = tableOf(svgElements);
const otherForeignLinks = Object.entries(reference("anchor"));

/** The attributes of an element that hold its links; undefined if it has none. */
export function linksOf(name: string, isForeign: boolean): readonly (readonly [string, LinkKind])[] | undefined {
  return isForeign ? (svgLinks.get(name) ?? otherForeignLinks) : htmlLinks.get(name);
}

/** Attributes of SVG that are values of CSS, and so may hold `url()`. */
export const styledAttributes: readonly string[] =
  "fill stroke filter mask clip-path marker-start marker-mid marker-end cursor".split(" ");

/** Names and properties of `meta` elements whose `content` is the URL of a picture, film or sound. */
export const metaLinks: ReadonlySet<string> = new Set([
  ...["og:image", "og:video", "og:audio"].flatMap((name) => [name, `${name}:url`, `${name}:secure_url`]),
  ...["twitter:image", "twitter:image:src", "msapplication-tileimage"],
]);

const relKinds: Readonly<Record<string, LinkKind>> = {
  canonical: "canonical",
  stylesheet: "style",
  icon: "icon",
  "apple-touch-icon": "icon",
  "apple-touch-icon-precomposed": "icon",
  "apple-touch-startup-image": "icon",
  "mask-icon": "icon",
  "fluid-icon": "icon",
  image_src: "image",
  manifest: "manifest",
  preload: "preload",
  modulepreload: "preload",
  prefetch: "preload",
  prerender: "preload",
  amphtml: "alternate",
  alternate: "alternate",
};
// These name servers, not documents; nothing is to be got there with GET.
const serverRels: ReadonlySet<string> = new Set(["dns-prefetch", "preconnect", "pingback"]);

/**
 * What a `<link>` is for.
 *
 * @returns undefined if it has no `rel`, or names only a server
 */
export function kindOfLink(rel: string | undefined): LinkKind | undefined {
  const tokens: readonly string[] = rel?.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];
  if (tokens.every((token) => serverRels.has(token))) return undefined;
  // The table's order decides: an alternate style sheet is a style sheet.
  for (const [token, kind] of Object.entries(relKinds)) if (tokens.includes(token)) return kind;
  return "link";
}

const unfollowed = /(?:^|[\t\n\f\r ])(?:nofollow|ugc|sponsored)(?![^\t\n\f\r ])/i;

/** Whether a `rel` says that the page does not vouch for the link. */
export function isNofollowRel(rel: string | undefined): boolean {
  return rel !== undefined && unfollowed.test(rel);
}

/** All attributes of links, those that say what a link is for, and those that say what language a page is in. */
export const linkAttributes: ReadonlySet<string> = new Set([
  ...Object.values(htmlElements).flatMap(Object.keys),
  ...Object.keys(shown),
  ...styledAttributes,
  ..."rel imagesrcset style name property itemprop content http-equiv type method action formaction formmethod".split(
    " ",
  ),
  ..."srcdoc value valuetype data codebase classid archive code lang xml:lang".split(" "),
]);
