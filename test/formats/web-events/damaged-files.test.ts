import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DayFileReader,
  dayOf,
  formatEventIndex,
  formatShareControl,
  formatSignatures,
  formatWebEvent,
  parseEventArchive,
  parseEventIndex,
  parseShareControl,
  parseSignatures,
  type WebEvent,
} from "../../../src/formats/web-events/index.ts";
import { fc } from "../../property.ts";
import { sitesOf, writeArchive } from "./archived-events.ts";

// Files that peers serve may have any bytes: as they come, or as a file that somebody changed.

const options = { seed: 20_260_101, numRuns: 10_000 };
const url = "https://crawler.example/robots.shr";
const crawler = "crawler.example:443 tidemark/0.1.0";
const to = 1_795_575_327;

/** Some bytes, and a file of the format with parts cut out, put in and repeated. */
function damaged(whole: string, pieces: readonly string[]): fc.Arbitrary<Uint8Array> {
  const part = fc.oneof(
    fc
      .constantFrom(...pieces, "\n", "\r", "\t", ":", "\u2028", "\0", "9".repeat(20), "-1")
      .map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  );
  const edit = fc.record({ at: fc.nat(whole.length), length: fc.oneof(fc.constant(0), fc.nat(60)), part });
  const edited = fc
    .array(edit, { maxLength: 6 })
    .map((edits) =>
      edits.reduce<Uint8Array>(
        (bytes, { at, length, part }) => Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at + length)]),
        Buffer.from(whole),
      ),
    );
  return fc.oneof({ weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) }, { weight: 5, arbitrary: edited });
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test("robots.shr of any bytes is refused, or is read within its bounds as it is written again", () => {
  const whole = formatShareControl({
    ...{ version: "1.0", crawler, contact: "me@crawler.example", repository: "https://crawler.example/share/" },
    ...{ special: ["https://near.example/"], others: [["x-tidemark-peer", "https://peer.example/"]] },
  });
  const pieces = [
    "special: http://a.example/ä b",
    "repository: /share",
    "version: 2",
    "\ufeff",
    `X: ${"x".repeat(2050)}`,
  ];
  fc.assert(
    fc.property(damaged(whole, pieces), (bytes) => {
      const read = parseShareControl(textOf(bytes), url);
      if (!read.ok) return;
      const { repository, others } = read.value;
      assert.equal(new URL(repository).hostname, "crawler.example");
      assert.ok(repository.endsWith("/"));
      for (const [name, value] of others) assert.ok(name.length <= 64 && value.length <= 2048);
      assert.deepEqual(parseShareControl(formatShareControl(read.value), url), read);
    }),
    options,
  );
});

const event: WebEvent = {
  ...{ url: "https://www.example.org/about.html", kind: "updated", sizeBytes: 9824, lifetimeSeconds: 60 },
  ...{ modifiedAt: to - 6327, polledAt: to - 60, crawler },
};

test("a day's file of any bytes, in any pieces, gives events of its day within its bounds", () => {
  const whole = formatWebEvent(event) + formatWebEvent({ ...event, kind: "deleted" });
  const pieces = ["\n\n", "ttl: 1e9\n", "url: ftp://x/\n", `x: ${"x".repeat(9000)}\n`, "x\n".repeat(70), "lpd: 0\n"];
  const bounds = fc.record({ maxBytes: fc.oneof(fc.constant(20_000), fc.nat(600)), maxRecords: fc.nat(4) });
  fc.assert(
    fc.property(damaged(whole, pieces), bounds, fc.integer({ min: 1, max: 300 }), (bytes, bounds, pieceBytes) => {
      const read = (file: Uint8Array, size: number, within = bounds) => {
        const events: WebEvent[] = [];
        const reader = new DayFileReader(dayOf(to), to, within, (event) => events.push(event));
        for (let at = 0; at < file.length; at += size) reader.write(file.subarray(at, at + size));
        return { events, counts: reader.end(true) };
      };
      const { events, counts } = read(bytes, pieceBytes);
      assert.deepEqual(read(bytes, bytes.length + 1), { events, counts });
      assert.equal(events.length, counts.events);
      assert.ok(counts.events + counts.bad + counts.misdated <= bounds.maxRecords);
      for (const { polledAt, modifiedAt } of events) {
        assert.equal(dayOf(polledAt), dayOf(to));
        assert.ok(polledAt <= to && modifiedAt <= to);
      }
      const written = Buffer.from(events.map(formatWebEvent).join(""));
      assert.deepEqual(read(written, 100, { maxBytes: 100_000, maxRecords: 100 }).events, events);
    }),
    options,
  );
});

test("an index of any bytes is refused, or is read as it is written again", () => {
  const index = { crawler, epoch: "ae00b24a1df0659f", publication: to, completeFrom: 0 };
  const read = parseEventIndex(Buffer.from(formatEventIndex({ ...index, archives: [] })));
  assert.ok(read.ok);
  const line = "20261125T015428Z_20261125T025527Z.events.1d0c3a5b7e9f2468.gz\t3\t100\t1\tmerged\n";
  const whole = `${formatEventIndex({ ...index, archives: [] })}${line}`;
  assert.ok(parseEventIndex(Buffer.from(whole)).ok);
  fc.assert(
    fc.property(damaged(whole, [line, "publication\t", "\tmerged", "crawler\t", "1000"]), (bytes) => {
      const read = parseEventIndex(bytes);
      if (!read.ok) return;
      const { publication, completeFrom, archives } = read.value;
      for (const { name } of archives) assert.ok(name.from >= completeFrom && name.to <= publication);
      assert.deepEqual(parseEventIndex(Buffer.from(formatEventIndex(read.value))), read);
    }),
    options,
  );
});

test("an archive of any bytes is refused, or is read as it is written again", () => {
  const { url: _, crawler: __, ...seen } = event;
  const whole = writeArchive(
    [
      { origin: "http://a.example", events: [{ ...seen, path: "/", digest: "a-_Z09" }] },
      {
        origin: "https://www.example.org",
        events: [
          { ...seen, path: "/a" },
          { ...seen, path: "/b" },
        ],
      },
    ],
    to,
  );
  const pieces = ["S\thttps://b.example\n", "U\t0\t0\t0\t-\t-\t/c\n", "/%41", "00"];
  fc.assert(
    fc.property(damaged(textOf(whole), pieces), (bytes) => {
      const read = parseEventArchive(bytes, to, () => true);
      if (!read.ok) return;
      const sites = sitesOf(read.value);
      for (const { polledAt, modifiedAt } of sites.flatMap(({ events }) => events))
        assert.ok(modifiedAt >= 0 && modifiedAt <= polledAt && polledAt <= to);
      const again = parseEventArchive(writeArchive(sites, to), to, () => true);
      assert.ok(again.ok);
      assert.deepEqual(sitesOf(again.value), sites);
    }),
    options,
  );
});

test("signatures of any bytes are refused, or are written as they were", () => {
  const [one, two] = ["A".repeat(86), `${"b".repeat(85)}g`];
  fc.assert(
    fc.property(damaged(formatSignatures(one, two), [one, two, `${one}\n`]), (bytes) => {
      const text = textOf(bytes);
      const read = parseSignatures(text);
      if (read === undefined) return;
      const [newest = "", last] = read;
      assert.equal(formatSignatures(newest, last), text);
      for (const signature of read) assert.equal(Buffer.from(signature, "base64url").length, 64);
    }),
    options,
  );
});
