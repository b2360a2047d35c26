import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxJsonDepth, parseJsonDocument } from "../../src/config/json-document.ts";
import { fc } from "../property.ts";

function accepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

const wrong: ReadonlyArray<readonly [string, string]> = [
  ["", "line 1, column 1: a value is missing: the text ends here"],
  ['{\n  "a": 1,\n}', "line 3, column 1: a comma stands before }, and nothing after it"],
  ["[1,\n2,\n]", "line 3, column 1: a comma stands before ], and nothing after it"],
  ['{\n  // a remark\n  "a": 1\n}', "line 2, column 3: JSON has no comments"],
  ["{'a': 1}", 'line 1, column 2: neither a value of JSON nor a text in double quotes, here is "\'"'],
  ['{"a" 1}', 'line 1, column 6: a colon is missing after the key, here is "1"'],
  ['{"a": 1 "b": 2}', 'line 1, column 9: a comma or a closing bracket is missing, here is "\\""'],
  ['{"a": yes}', 'line 1, column 7: neither a value of JSON nor a text in double quotes, here is "yes"'],
  ['["a\nb"]', "line 1, column 2: a text that does not end on its line"],
  ['["\\x"]', "line 1, column 2: a text that does not end on its line, or has an escape that JSON does not know"],
  ['{"a": 1}\n}', "line 2, column 1: something stands after the end of the value"],
  ['{"a": 1,\n "a": 2}', 'line 2, column 2: the key "a" stands twice'],
  ["{1: 2}", 'line 1, column 2: a key in double quotes is missing, here is "1"'],
  ["[-]", 'line 1, column 2: neither a value of JSON nor a text in double quotes, here is "-"'],
  ['{"a": [1, 2', "line 1, column 12: a comma or ] is missing: the text ends here"],
];

describe("a JSON text that a person wrote", () => {
  for (const [text, message] of wrong) {
    it(`says where ${JSON.stringify(text)} is wrong`, async () => {
      const document = await parseJsonDocument(text);
      assert.ok(!document.ok);
      assert.ok(document.error.message.startsWith(message), document.error.message);
    });
  }

  it("is the value that JSON.parse makes of it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(0, 2), async (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const document = await parseJsonDocument(text);
        assert.ok(document.ok, text);
        assert.deepEqual(document.value.value, JSON.parse(text));
      }),
    );
  });

  it("is refused exactly where JSON.parse refuses it, but for keys that stand twice", async () => {
    const letter = fc.constantFrom(...'{}[]:,"\\\n\t 0123.eE+-truefalsn/');
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: letter, maxLength: 30 }), async (text) => {
        const document = await parseJsonDocument(text);
        if (!document.ok && document.error.message.includes("stands twice")) return;
        assert.equal(
          document.ok,
          accepted(() => JSON.parse(text)),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("knows where its parts stand", async () => {
    const document = await parseJsonDocument('{\n  "a": [\n    1,\n    { "b": 2 }\n  ]\n}');
    assert.ok(document.ok);
    const { positionOf } = document.value;
    assert.deepEqual(positionOf(["a"]), { line: 2, column: 3 });
    assert.deepEqual(positionOf(["a", 1, "b"]), { line: 4, column: 7 });
    assert.deepEqual(positionOf(["a", 1, "missing"]), { line: 4, column: 5 });
    assert.deepEqual(positionOf(["other"]), { line: 1, column: 1 });
  });

  it("keeps a key named __proto__ as a key, as JSON.parse does", async () => {
    const document = await parseJsonDocument('{"__proto__": 1}');
    assert.ok(document.ok);
    assert.deepEqual(Object.keys(document.value.value as object), ["__proto__"]);
  });

  it("has levels that end", async () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    assert.ok((await parseJsonDocument(nested(maxJsonDepth))).ok);
    assert.ok(!(await parseJsonDocument(nested(maxJsonDepth + 1))).ok);
    assert.ok(!(await parseJsonDocument("[".repeat(1_000_000))).ok);
  });
});
