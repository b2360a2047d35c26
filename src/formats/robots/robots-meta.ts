import { readRobotsTag, readTags } from "../html/index.ts";

/** How much of a page is looked at for a `meta` element, in bytes. */
export const maxMetaBytes: number = 64 * 1024;

// Fields whose agent is everybody, or us.
const heardNames: ReadonlySet<string> = new Set(["robots", "tidemark"]);
const utf16Mark = /^(?:\xff\xfe|\xfe\xff)/;
const metaFields: ReadonlySet<string> = new Set(["name", "content"]);
const heardName = /robots|tidemark/i;
const metaOrNoindex = /<meta[\t\n\f\r /]|noindex|none/gi;
/** Longest distance between the beginning of an element and what it says, in characters. */
const maxMetaLength = 2000;

/** Whether directives, such as `noindex, follow`, keep a page out of indexes: `noindex` or `none` is among them. */
export function isNoindex(directives: string): boolean {
  return directives
    .toLowerCase()
    .split(",")
    .flatMap((directive) => (directive.includes(":") ? [] : directive.trim().split(/\s+/)))
    .some((directive) => directive === "noindex" || directive === "none");
}

/** Whether `X-Robots-Tag`, one field a line, keeps a page from everybody, or from us. */
export function isNoindexField(value: string): boolean {
  for (const directive of readRobotsTag(value, (name) => heardNames.has(name))) if (isNoindex(directive)) return true;
  return false;
}

/**
 * Whether a page of HTML says of itself `<meta name="robots" content="noindex">`, or `none`, to everybody or to us.
 *
 * It is looked for in the head, where the HTML Living Standard (section 4.2.5) has it: up to the first `</head` or
 * `<body`. What lies in comments, scripts and the like is text.
 *
 * @param bytes - the beginning of the page, one character a byte
 * @param isXml - whether it is XHTML served as XML
 */
export function saysNoindex(bytes: string, isXml: boolean): boolean {
  // In UTF-16 that is ASCII and zeros.
  const text = utf16Mark.test(bytes) ? bytes.replaceAll("\0", "") : bytes;
  // Nearly all pages end here: reading tags costs more than digesting the page.
  if (!mayDeny(text)) return false;
  let isFound = false;
  let isEnded = false;
  let isInNoscript = false;
  const onTag = (name: string, fields: ReadonlyMap<string, string>): void => {
    if (name === "noscript") isInNoscript = true;
    // With scripts, the content of a noscript element is text.
    if (name === "body" && !isInNoscript) isEnded = true;
    if (isEnded || name !== "meta" || !heardNames.has((fields.get("name") ?? "").trim().toLowerCase())) return;
    isFound ||= isNoindex(fields.get("content") ?? "");
  };
  const onEndTag = (name: string): void => {
    if (name === "noscript") isInNoscript = false;
    if (name === "head" && !isInNoscript) isEnded = true;
  };
  // Without `onText`, tags that have no wanted attribute would not be told.
  readTags(text, { wanted: metaFields, onTag, onEndTag, onText: () => undefined }, isXml);
  return isFound;
}

/** Whether a `meta` element may say noindex or none: one search, which finds others too. */
function mayDeny(text: string): boolean {
  if (!heardName.test(text)) return false;
  let meta = Number.NEGATIVE_INFINITY;
  for (const { 0: found, index } of text.matchAll(metaOrNoindex)) {
    if (found.startsWith("<")) meta = index;
    else if (index - meta <= maxMetaLength) return true;
  }
  return false;
}
