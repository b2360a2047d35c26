import type { ContentMark } from "../../../src/formats/html/content-mark.ts";
import { fc } from "../../property.ts";

const digest = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64url"));
const sketch = fc.option(fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ minLength: 128, maxLength: 128 })), {
  nil: undefined,
});
/** Marks of all forms. */
export const arbitraryMark: fc.Arbitrary<ContentMark> = fc.record(
  {
    rules: fc.nat(2 ** 32 - 1),
    cover: fc.option(fc.record({ bytesDigest: digest, contentDigest: digest, sketch }, { noNullPrototype: true }), {
      nil: undefined,
    }),
  },
  { noNullPrototype: true },
);
