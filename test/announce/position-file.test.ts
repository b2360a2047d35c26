import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Position, readPosition, writePosition } from "../../src/announce/position-file.ts";
import { fc } from "../property.ts";
import { makeTempFolder } from "../temp-folder.ts";

const count = fc.nat({ max: 2 ** 40 });
const cursor = fc.record({ epoch: fc.stringMatching(/^[A-Za-z0-9_-]{8,64}$/), publication: count });
const position: fc.Arbitrary<Position> = fc.record(
  {
    cursor,
    failedRuns: fc.nat(),
    backlog: fc
      .record({ to: cursor, file: fc.stringMatching(/^urls-[0-9a-f]{16}\.txt$/), doneBytes: count, doneUrls: count })
      .map((backlog) => ({ ...backlog, sizeBytes: backlog.doneBytes + 9, urls: backlog.doneUrls + 1 })),
    pause: fc.record({ endpoint: fc.webUrl(), until: count }),
  },
  { requiredKeys: ["cursor", "failedRuns"] },
);

test("a position is read back as it was written, and there is none in a new folder", async () => {
  using folder = makeTempFolder();
  assert.equal(await readPosition(folder.path), undefined);
  await fc.assert(
    fc.asyncProperty(position, async (written) => {
      await writePosition(folder.path, written);
      assert.deepEqual(await readPosition(folder.path), JSON.parse(JSON.stringify(written)));
    }),
    { numRuns: 50 },
  );
});

test("whatever the file holds, it is a position or corrupt, and a backlog stays in the folder", async () => {
  using folder = makeTempFolder();
  const hostile = fc.record({
    version: fc.constant(1),
    cursor: fc.oneof(cursor, fc.jsonValue()),
    failedRuns: fc.oneof(fc.nat(), fc.jsonValue()),
    backlog: fc.oneof(
      fc.jsonValue(),
      fc.record({
        to: cursor,
        file: fc.constantFrom("../urls-0123456789abcdef.txt", "/etc/passwd", "keys"),
        ...{ sizeBytes: fc.constant(9), urls: fc.constant(9), doneBytes: fc.constant(0), doneUrls: fc.constant(0) },
      }),
    ),
    pause: fc.jsonValue(),
  });
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    hostile.map((value) => JSON.stringify(value)),
  );
  await fc.assert(
    fc.asyncProperty(text, async (content) => {
      writeFileSync(join(folder.path, "position.json"), content);
      const found = await readPosition(folder.path);
      assert.ok(found === "corrupt" || (found !== undefined && found.backlog === undefined));
    }),
    { numRuns: 200 },
  );
});
