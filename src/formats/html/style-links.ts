import type { LinkKind } from "./link-list.ts";

/** A link as a style sheet writes it, escapes resolved. */
export interface StyleReference {
  readonly kind: LinkKind;
  readonly text: string;
  /** Where it stands: the whole string with its quotes, or the whole `url()`. */
  readonly start: number;
  readonly end: number;
}

/** Of a style sheet so many characters are read: 4 Mi. */
export const maxStyleLength: number = 4 * 1024 * 1024;

// A string without an end ends all the same: else each of its quotes would be looked at to the end.
const token =
  /\/\*[\s\S]*?(?:\*\/|$)|@(import|namespace|font-face)(?![\w-])|(?<![\w-])(?:url|src)\([\t\n\f\r ]*(?:"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)"|'([^'\\\n]*(?:\\[\s\S][^'\\\n]*)*)'|((?:[^"'()\\\t\n\f\r ]|\\[^\n0-9a-f]|\\(?:[0-9a-f]{6}|[0-9a-f]{1,5}(?![0-9a-f]))[\t\n\f\r ]?)+))[\t\n\f\r ]*\)|(?<![\w-])(?:-webkit-)?(image-set\()|"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)(?:"|(?=\n)|\\?$)|'([^'\\\n]*(?:\\[\s\S][^'\\\n]*)*)(?:'|(?=\n)|\\?$)|(?<![\w-])type\([^()]*\)|[;{}()]/gi;
const escapeForm = /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|\r?\n|([\s\S]))/gi;

function resolveEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(escapeForm, (_all, hex: string | undefined, other: string | undefined) => {
    if (hex === undefined) return other ?? "";
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10_ffff ? "\ufffd" : String.fromCodePoint(code);
  });
}

/**
 * The links of a style sheet, or of the value of a `style` attribute: `@import`, `url()`, `src()` and the strings of
 * `image-set()`. Comments and strings hold none, and the URL of a `@namespace` is only a name. Linear in time.
 *
 * @param limit - at most so many are given; each may be given again
 * @see CSS Syntax Module Level 3, sections 4.3.6 and 4.3.7; CSS Values and Units Module Level 4, section 4.5
 */
export function* readStyleReferences(css: string, limit: number): Generator<StyleReference> {
  // What the next string or url() is for, if its at-rule says it.
  let rule: "import" | "namespace" | undefined;
  let isFont = false;
  let depth = 0;
  let setDepth = -1;
  let count = 0;
  for (const found of css.slice(0, maxStyleLength).matchAll(token)) {
    const [mark, name, double, single, bare, set, quoted, apostrophed] = found;
    const url = double ?? single ?? bare;
    const text = url ?? quoted ?? apostrophed;
    if (name !== undefined) {
      const lower = name.toLowerCase();
      if (lower === "font-face") isFont = true;
      else rule = lower as "import" | "namespace";
    } else if (set !== undefined) {
      if (setDepth === -1) setDepth = depth;
      depth += 1;
    } else if (text !== undefined) {
      const isLink = rule === "import" || (rule === undefined && (url !== undefined || setDepth !== -1));
      const kind = rule === "import" ? "style" : isFont ? "font" : "image";
      rule = undefined;
      if (!isLink || text === "") continue;
      yield { kind, text: resolveEscapes(text), start: found.index, end: found.index + mark.length };
      if (++count === limit) return;
    } else if (mark === "(") depth += 1;
    else if (mark === ")") {
      depth = Math.max(0, depth - 1);
      if (depth <= setDepth) setDepth = -1;
    } else if (mark === ";" || mark === "{" || mark === "}") {
      rule = undefined;
      setDepth = -1;
      depth = 0;
      if (mark === "}") isFont = false;
    }
  }
}
