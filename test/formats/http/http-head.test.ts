import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decodeHttpHead,
  encodeHttpHead,
  fieldOf,
  headOfRecordedBody,
  maxHttpHeadBytes,
  statusOf,
} from "../../../src/formats/http/http-head.ts";
import { fc } from "../../property.ts";

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const read = (text: string): ReturnType<typeof decodeHttpHead> => decodeHttpHead(Buffer.from(text, "latin1"));

test("a head keeps its bytes, and no value can end it", () => {
  const text = "HTTP/1.1 200 Fine\r\nX-Odd: caf\xe9\r\nx-odd: twice\r\n\r\n";
  assert.equal(latin1(encodeHttpHead(read(text))), text);
  const forged = encodeHttpHead({ startLine: "GET / HTTP/1.1", fields: [["a", "1\r\n\r\nb: 2"]] });
  assert.equal(latin1(forged), "GET / HTTP/1.1\r\na: 1    b: 2\r\n\r\n");
});

test("a value loses blanks around it, and no byte of a character (RFC 9110 section 5.5)", () => {
  const { fields } = read("HTTP/1.1 302 Found\r\nLocation: \t/voil\xc3\xa0 \t\r\nX-Odd:\xa0\r\nX-Empty: \r\n\r\n");
  assert.deepEqual(fields, [
    ["Location", "/voil\xc3\xa0"],
    ["X-Odd", "\xa0"],
    ["X-Empty", ""],
  ]);
});

test("beside a body without its transfer coding, the head does not speak of one (RFC 9112 section 6)", () => {
  const head =
    "HTTP/1.1 200 OK\r\ntransfer-ENCODING: gzip, chunked\r\nContent-Length: 7\r\nTrailer: x\r\nContent-Encoding: gzip\r\n\r\n";
  assert.equal(
    latin1(encodeHttpHead(headOfRecordedBody(read(head), true))),
    "HTTP/1.1 200 OK\r\nX-Archive-Orig-transfer-ENCODING: gzip, chunked\r\nX-Archive-Orig-Content-Length: 7\r\n" +
      "X-Archive-Orig-Trailer: x\r\nContent-Encoding: gzip\r\n\r\n",
  );
  const plain = read("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n");
  assert.equal(headOfRecordedBody(plain, true), plain);
  const cut = headOfRecordedBody(plain, false);
  assert.deepEqual(cut.fields, [["X-Archive-Orig-Content-Length", "7"]]);
});

test("status and fields are read from what may be anything", () => {
  assert.equal(statusOf(read("HTTP/1.1 404 No\r\n\r\n")), 404);
  assert.equal(statusOf(read("HTTP/1.0 200\r\n\r\n")), 200);
  assert.equal(statusOf(read("GET / HTTP/1.1\r\n\r\n")), undefined);
  assert.equal(fieldOf(read("HTTP/1.1 200 OK\r\nCONTENT-type:  a/b \r\n\r\nContent-Length: 9"), "content-type"), "a/b");
  assert.equal(fieldOf(read("HTTP/1.1 200 OK\r\n\r\nA: body"), "a"), undefined);
  assert.ok(read("x".repeat(3 * maxHttpHeadBytes)).startLine.length <= maxHttpHeadBytes);
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => void encodeHttpHead(headOfRecordedBody(decodeHttpHead(bytes), true))),
  );
});
