import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseType } from "../../src/server/accepted-type.ts";

const open = "application/openmetrics-text";
const plain = "text/plain";

// RFC 9110 section 12.5.1; the first three are those of Prometheus 2.42, 2.53 and 3.
const rows: ReadonlyArray<readonly [accept: string | undefined, type: string]> = [
  [`${open};version=1.0.0,${open};version=0.0.1;q=0.75,${plain};version=0.0.4;q=0.5,*/*;q=0.1`, open],
  [`${open};version=1.0.0;q=0.5,${open};version=0.0.1;q=0.4,${plain};version=0.0.4;q=0.3,*/*;q=0.2`, open],
  [`${open};version=1.0.0;escaping=allow-utf-8;q=0.5,${plain};version=1.0.0;q=0.3,*/*;q=0.1`, open],
  ["text/plain;version=0.0.4", plain],
  ["text/html,application/xhtml+xml,*/*;q=0.8", plain],
  [`${open};q=0, */*`, plain],
  [`${open};q=0.5, text/*;q=0.9`, plain],
  [`APPLICATION/OpenMetrics-Text, text/plain;q=0.999`, open],
  ["image/png", open],
  [undefined, plain],
  ["", open],
  [`${open};q=abc`, open],
];

test("the type with the highest quality is chosen, and of equal ones the first", () => {
  for (const [accept, type] of rows) assert.equal(chooseType(accept, [plain, open]), type, String(accept));
});
