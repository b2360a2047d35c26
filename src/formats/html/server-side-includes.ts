/** A file that a page includes, as its directive names it. */
export interface Inclusion {
  /** `virtual` is a URL path of the site, absolute or relative to the page; `file` a path below the page's folder. */
  readonly by: "virtual" | "file";
  /** As it stands there, one character a byte. */
  readonly name: string;
}

/** What one directive asks the web server to do. */
export interface IncludeDirective {
  /** The files that it includes; none unless it is an `include`. */
  readonly inclusions: readonly Inclusion[];
  /** Whether it shows what no file tells: a program's output, a variable, a condition, a time. */
  readonly isDynamic: boolean;
}

const maxNameLength = 2048;
// What these show depends on nothing, or only on the page itself.
const fixedElements: ReadonlySet<string> = new Set(["config", "set", "else", "endif", "comment", "block", "endblock"]);
// Sticky: what is no attribute ends them, so that the time is in proportion to the length.
const attributeForm =
  /\s*([a-z]+)\s*=\s*(?:"((?:\\[\s\S]|[^"\\])*)"|'((?:\\[\s\S]|[^'\\])*)'|`((?:\\[\s\S]|[^`\\])*)`|([^\s"'`]+))/iy;

/**
 * Reads a server-side include, `<!--#element attribute="value" -->`.
 *
 * @param text - what stands between `<!--#` and `-->`, one character a byte
 * @returns undefined if it names no element: then a server takes it for a comment
 * @see Apache HTTP Server 2.4, mod_include; nginx, ngx_http_ssi_module
 */
export function parseInclude(text: string): IncludeDirective | undefined {
  const start = /^\s*([a-z]+)/i.exec(text);
  const element = start?.[1]?.toLowerCase();
  if (start === null || element === undefined) return undefined;
  if (element !== "include") return { inclusions: [], isDynamic: !fixedElements.has(element) };
  const inclusions: Inclusion[] = [];
  let at = start[0].length;
  let isDynamic = false;
  for (;;) {
    attributeForm.lastIndex = at;
    const found = attributeForm.exec(text);
    if (found === null) break;
    at = attributeForm.lastIndex;
    const [, key = "", double, single, back, bare] = found;
    const by = key.toLowerCase();
    if (by !== "virtual" && by !== "file") continue;
    const name = (double ?? single ?? back ?? bare ?? "").replace(/\\([\s\S])/g, "$1");
    // A variable's value is the server's to know.
    if (name !== "" && name.length <= maxNameLength && !name.includes("$")) inclusions.push({ by, name });
    else isDynamic = true;
  }
  return { inclusions, isDynamic: isDynamic || text.slice(at).trim() !== "" };
}
