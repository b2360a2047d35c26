import { compile, selectAll } from "css-select";
import { DomHandler, Parser } from "htmlparser2";
import { type ByteRange, type IgnoredSelector, refusePattern, toBytesText } from "./ignore-pattern.ts";

type Nodes = DomHandler["dom"];
type Query = Parameters<typeof selectAll<Nodes[number], never>>[0];

/** Finds the source of the elements that a selector matches. */
export type SelectorCut = (document: Nodes) => ByteRange[];

/** Deeper trees are not built: each element costs the parser the depth that it stands at. Browsers stop at 512. */
const deepest = 1000;

/** Builds a tree in which an element without an end tag ends before the tag that closed it, not behind its name. */
class SourceTree extends DomHandler {
  #parser: Parser | undefined;

  constructor() {
    super(undefined, { withStartIndices: true, withEndIndices: true });
  }

  override onparserinit(parser: Parser): void {
    this.#parser = parser;
    super.onparserinit(parser);
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes);
    if (this.tagStack.length > deepest) throw new RangeError(`its elements are nested more than ${deepest} deep`);
  }

  override onclosetag(_name?: string, isImplied?: boolean): void {
    const element = this.tagStack.at(-1);
    super.onclosetag();
    const next = this.#parser?.startIndex ?? 0;
    // A void element's start is where the parser still stands.
    if (isImplied === true && element !== undefined && next > (element.startIndex ?? 0)) element.endIndex = next - 1;
  }
}

/**
 * Parses a page of one character a byte, so that places in its source are places in its bytes.
 *
 * @param isXml - whether it is XHTML: an empty-element tag has no content, CDATA is everywhere
 * @throws RangeError if its elements are nested too deep
 */
export function parseBytes(bytes: string, isXml: boolean): Nodes {
  const tree = new SourceTree();
  new Parser(tree, { recognizeSelfClosing: isXml, recognizeCDATA: isXml }).end(bytes);
  return tree.dom;
}

/** The selector for bytes: what is not ASCII is escaped, for not all such bytes may stand in a name (CSS Syntax 3 section 4.3.7). */
function toBytesSelector(text: string): string {
  return toBytesText(text).replace(/[\x80-\xff]/g, (byte) => `\\${byte.charCodeAt(0).toString(16)} `);
}

/**
 * Compiles a selector.
 *
 * @throws TidemarkError `bad-option`
 */
export function compileSelector({ text }: IgnoredSelector): SelectorCut {
  let query: Query;
  try {
    query = compile(toBytesSelector(text), { cacheResults: false }) as Query;
  } catch (error) {
    throw refusePattern(text, `not a selector: ${(error as Error).message}`);
  }
  return (document) =>
    selectAll(query, document).map(({ startIndex, endIndex }: Nodes[number]) => ({
      start: startIndex ?? 0,
      end: (endIndex ?? -1) + 1,
    }));
}
