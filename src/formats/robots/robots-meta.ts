/** How much of a page is looked at for a `meta` element, in bytes. */
export const maxMetaBytes: number = 64 * 1024;

// Fields whose agent is everybody, or us.
const heardNames: ReadonlySet<string> = new Set(["robots", "tidemark"]);
// Elements in which a "<meta" is text (HTML Living Standard, sections 13.2.5.2 to 13.2.5.4).
const textElements: ReadonlySet<string> = new Set(["script", "style", "title", "textarea", "xmp", "iframe", "noembed"]);
const tagStart = /<(?:!--|(\/?[a-zA-Z][^\t\n\f\r />]*)|[!?/])/g;
const attribute =
  /[\t\n\f\r /]*(?:(>)|([^\t\n\f\r />][^\t\n\f\r />=]*)(?![^\t\n\f\r />=])(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)|(?=>)))?)/y;
// What is left where a quoted value has no end.
const openQuote = /[\t\n\f\r ]*=[\t\n\f\r ]*["']/y;
const headEnd = /<\/head[\t\n\f\r />]|<body[\t\n\f\r />]/i;
const likelyNoindex = /<meta[\t\n\f\r /][^<]{0,2000}(?:noindex|none)/i;
const commentEnd = /--!?>/g;

/** Whether directives, such as `noindex, follow`, keep a page out of indexes: `noindex` or `none` is among them. */
export function isNoindex(directives: string): boolean {
  return directives
    .toLowerCase()
    .split(",")
    .flatMap((directive) => (directive.includes(":") ? [] : directive.trim().split(/\s+/)))
    .some((directive) => directive === "noindex" || directive === "none");
}

/**
 * Whether a field `X-Robots-Tag` keeps a page from everybody, or from us. A directive may name an agent before it,
 * which then holds for the directives behind it: `googlebot: noindex`.
 */
export function isNoindexField(value: string): boolean {
  let isHeard = true;
  for (const part of value.toLowerCase().split(",")) {
    const [, agent, rest = part] = /^\s*([a-z0-9_-]+)\s*:(.*)$/s.exec(part) ?? [];
    // These directives have a value; whatever else stands before a colon is an agent.
    if (agent !== undefined && /^(?:max-|unavailable_after$)/.test(agent)) continue;
    if (agent !== undefined) isHeard = heardNames.has(agent);
    if (isHeard && isNoindex(rest)) return true;
  }
  return false;
}

/**
 * Whether a page of HTML says of itself `<meta name="robots" content="noindex">`, or `none`, to everybody or to us.
 *
 * It is looked for in the head, where the HTML Living Standard (section 4.2.5) has it: up to the first `</head` or
 * `<body`. What lies in comments, scripts and the like is text.
 *
 * @param text - the beginning of the page, one character a byte
 */
export function saysNoindex(text: string): boolean {
  const end = text.search(headEnd);
  const head = end === -1 ? text : text.slice(0, end);
  // Nearly all pages end here: reading tags costs more than digesting the page.
  if (!likelyNoindex.test(head)) return false;
  tagStart.lastIndex = 0;
  for (let found = tagStart.exec(head); found !== null; found = tagStart.exec(head)) {
    const [opening, tag] = found;
    if (opening === "<!--") {
      // "<!-->" and "<!--->" are whole comments.
      commentEnd.lastIndex = found.index + 2;
      if (commentEnd.exec(head) === null) return false;
      tagStart.lastIndex = commentEnd.lastIndex;
      continue;
    }
    if (tag === undefined) {
      const end = head.indexOf(">", found.index);
      if (end === -1) return false;
      tagStart.lastIndex = end + 1;
      continue;
    }
    const name = tag.toLowerCase();
    const fields = readAttributes(head, tagStart.lastIndex);
    if (fields === undefined) return false;
    tagStart.lastIndex = fields.end;
    if (name === "meta" && heardNames.has((fields.name ?? "").trim().toLowerCase()) && isNoindex(fields.content ?? ""))
      return true;
    if (name === "plaintext") return false;
    if (!textElements.has(name)) continue;
    const close = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, "gi");
    close.lastIndex = fields.end;
    const closing = close.exec(head);
    if (closing === null) return false;
    tagStart.lastIndex = closing.index;
  }
  return false;
}

interface MetaFields {
  name?: string;
  content?: string;
  end: number;
}

// Of an attribute that stands twice the first counts; undefined if the tag does not end here.
function readAttributes(head: string, start: number): MetaFields | undefined {
  const fields: MetaFields = { end: start };
  attribute.lastIndex = start;
  for (;;) {
    const before = attribute.lastIndex;
    const found = attribute.exec(head);
    if (found === null || attribute.lastIndex === before) return undefined;
    const [, isEnd, name, double, single, bare] = found;
    if (isEnd !== undefined) {
      fields.end = attribute.lastIndex;
      return fields;
    }
    openQuote.lastIndex = attribute.lastIndex;
    if (openQuote.test(head)) return undefined;
    const key = name?.toLowerCase();
    if (key === "name" || key === "content") fields[key] ??= double ?? single ?? bare ?? "";
  }
}
