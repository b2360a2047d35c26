import type { Problem, Result } from "../../core/index.ts";
import { XmlReader } from "../xml/index.ts";

/** An element of a message: its text, and the elements below it. BOINC's messages have no attributes that matter. */
export interface Element {
  readonly name: string;
  /** All of its own text, white space around it removed. */
  readonly text: string;
  readonly children: readonly Element[];
}

/** A message has no more elements than this. A client with 1,000 tasks and 60 hosts' statistics sends 20,000. */
const maxElements = 50_000;

// Tasks print what they like, and the client sends it as it is: XML 1.0 section 2.2 has none of these.
const space = 0x20;

function withoutControls(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte < space && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d ? space : byte));
}

interface OpenElement {
  readonly name: string;
  text: string;
  readonly children: Element[];
}

/**
 * Parses a message of BOINC. Bytes, depth and elements are bounded; nothing in it makes this throw.
 *
 * @param root - name of the only element that may be at the top
 * @param maxBytes - a longer message is refused
 */
export function parseElement(bytes: Uint8Array, root: string, maxBytes: number): Result<Element> {
  const open: OpenElement[] = [];
  let count = 0;
  let whole: Element | undefined;
  const reader = new XmlReader(
    {
      onOpen({ name }, depth) {
        if (++count > maxElements) reader.stop("too-long", `more than ${maxElements} elements`);
        if (depth === 1 && name !== root) reader.stop("bad-message", `it is no <${root}>`);
        open.push({ name, text: "", children: [] });
      },
      onText(text) {
        const last = open.at(-1);
        if (last !== undefined) last.text += text;
      },
      onClose() {
        const closed = open.pop();
        if (closed === undefined) return;
        const element: Element = { ...closed, text: closed.text.trim() };
        const parent = open.at(-1);
        if (parent === undefined) whole = element;
        else parent.children.push(element);
      },
    },
    maxBytes,
  );
  reader.write(withoutControls(bytes));
  reader.end();
  const failure: Problem | undefined = reader.problem;
  if (failure !== undefined) return { ok: false, error: failure };
  if (whole === undefined) return { ok: false, error: { code: "bad-message", message: "it is empty" } };
  return { ok: true, value: whole };
}

/** The first element of a name below another. */
export function childOf(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name);
}

/** All elements of a name below another. */
export function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The text of the first element of a name; empty if there is none. */
export function textOf(element: Element | undefined, name: string): string {
  return childOf(element, name)?.text ?? "";
}

/** The number in an element, as C prints it (`12`, `1.500000`); undefined if there is none or it is out of bounds. */
export function numberOf(element: Element | undefined, name: string, max: number): number | undefined {
  const text = textOf(element, name);
  if (!/^\d{1,18}(?:\.\d{1,12})?$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

/** Like {@link numberOf}, for whole numbers. */
export function integerOf(element: Element | undefined, name: string, max: number): number | undefined {
  const value = numberOf(element, name, max);
  return value === undefined || !Number.isInteger(value) ? undefined : value;
}
