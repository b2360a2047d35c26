import type { Change } from "../../src/core/change.ts";
import { digestBytes } from "../../src/core/page.ts";
import { maxEpochSeconds } from "../../src/core/time.ts";
import type { ArchiveEntry, ArchiveIndex, BaseList } from "../../src/formats/archive/archive-index.ts";
import { type ArchiveName, baseGroup } from "../../src/formats/archive/archive-name.ts";
import { encodePathSegment } from "../../src/formats/url/url-path.ts";
import { fc } from "../property.ts";

const text = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

// Values are compared with those that the format makes, prototypes included.
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record<T>(model, { noNullPrototype: true });
}

/** A file's name: bytes 1 to 255 without the slash, one character a byte. */
export const fileName: fc.Arbitrary<string> = fc
  .array(
    fc.integer({ min: 1, max: 255 }).filter((byte) => byte !== 0x2f),
    { minLength: 1, maxLength: 12 },
  )
  .map((bytes) => String.fromCharCode(...bytes))
  .filter((name) => name !== "." && name !== "..");

/** A canonical path of a few segments, some with a query. */
export const path: fc.Arbitrary<string> = fc
  .tuple(fc.array(fileName, { minLength: 1, maxLength: 4 }), fc.option(text("ab=&/?.%", 1, 6), { nil: undefined }))
  .map(([names, query]) => `/${names.map(encodePathSegment).join("/")}${query === undefined ? "" : `?${query}`}`);

/** A time from 1970-01-01T00:00:01Z to the end of the year 9999. */
export const seconds: fc.Arbitrary<number> = fc.integer({ min: 1, max: maxEpochSeconds });

const digest: fc.Arbitrary<string> = fc
  .uint8Array({ minLength: digestBytes, maxLength: digestBytes })
  .map((bytes) => Buffer.from(bytes).toString("base64url"));

const mediaType: fc.Arbitrary<string> = fc
  .tuple(text("ab9", 1, 3), text("ab9!#$&^_.+-", 0, 3), text("ab9", 1, 3), text("ab9!#$&^_.+-", 0, 8))
  .map(([a, b, c, d]) => `${a}${b}/${c}${d}`);

/** Any change that the exporter may write. */
export const change: fc.Arbitrary<Change> = fc.oneof(
  record({ kind: fc.constant("deleted" as const), path }),
  record({
    kind: fc.constantFrom("created" as const, "updated" as const),
    page: record({
      path,
      sizeBytes: fc.option(fc.maxSafeNat(), { nil: undefined }),
      lastModified: seconds,
      mediaType,
      digest: fc.option(digest, { nil: undefined }),
    }),
  }),
);

const interval = (min: number, max: number): fc.Arbitrary<{ from: number; to: number }> =>
  fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

const group: fc.Arbitrary<string> = fc
  .tuple(text("ab9", 1, 3), text("ab9.+-", 0, 10))
  .map(([a, b]) => a + b)
  .filter((name) => name !== baseGroup);

const id = text("0123456789abcdef", 16, 16);

function name(min: number, max: number): fc.Arbitrary<ArchiveName> {
  return fc
    .tuple(interval(min, max), group, id)
    .map(([{ from, to }, groupName, content]) => ({ from, to, group: groupName, id: content }));
}

/** Any archive's name. */
export const archiveName: fc.Arbitrary<ArchiveName> = name(0, maxEpochSeconds);

const entry = (of: fc.Arbitrary<ArchiveName>): fc.Arbitrary<ArchiveEntry> =>
  record({ name: of, changes: fc.integer({ min: 0, max: 65_536 }), sizeBytes: fc.maxSafeNat() });

/** Any index whose times agree. */
export const archiveIndex: fc.Arbitrary<ArchiveIndex> = fc
  .tuple(seconds, seconds, seconds)
  .map((times) => times.sort((a, b) => a - b) as [number, number, number])
  .filter(([completeFrom, , publication]) => completeFrom < publication)
  .chain(([completeFrom, base, publication]) =>
    record({
      site: fc.webUrl({ withFragments: false }),
      epoch: text("abcXYZ019_-", 8, 64),
      publication: fc.constant(publication),
      pages: fc.maxSafeNat(),
      completeFrom: fc.constant(completeFrom),
      base: record({
        name: record({ from: fc.constant(0), to: fc.constant(base), group: fc.constant(baseGroup), id }),
        changes: fc.maxSafeNat(),
        sizeBytes: fc.maxSafeNat(),
      }),
      archives: fc.array(entry(name(completeFrom, publication)), { maxLength: 8 }),
    }),
  );

/** Any list of a base. */
export const baseList: fc.Arbitrary<BaseList> = record({
  publication: seconds,
  pages: fc.maxSafeNat(),
  archives: fc.array(entry(archiveName), { maxLength: 8 }),
});

/** Bytes that begin as a file of the format does and go on as they like, or are anything. */
export function bytesLike(header: string, pieces: readonly string[]): fc.Arbitrary<Uint8Array> {
  const part = fc.oneof(
    fc.constantFrom("\t", "\n", "\r\n", " ", "-", "0", "/", ...pieces),
    text("aZ9\xff\0%.:#*$", 0, 4),
  );
  return fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.constantFrom("", header, `${header}\n`), fc.array(part, { maxLength: 40 }))
      .map(([start, parts]) => Buffer.from(start + parts.join(""), "latin1")),
  );
}
