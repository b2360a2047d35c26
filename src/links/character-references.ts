import { Parser } from "htmlparser2";

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
