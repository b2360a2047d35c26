import { join } from "node:path";
import { PageWriter } from "../../../src/exporter/publish/page-file.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import { arbitraryMark } from "../../formats/html/arbitrary-mark.ts";
import { fc } from "../../property.ts";

const pathText = fc
  .array(fc.constantFrom("a", "b", "/", "-", ".", "%20", "%C3%A9", "?", "0"), { maxLength: 12 })
  .map((parts) => `/${parts.join("")}`);

const timeUs = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 1_600_000_000, max: 1_900_000_000 }).map((seconds) => seconds * 1_000_000),
  fc.maxSafeNat(),
);

const digestText = fc
  .uint8Array({ minLength: 8, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString("base64url"));

const includes = fc.record({
  fileBytes: fc.maxSafeNat(),
  fileDigest: digestText,
  parts: fc.array(fc.constantFrom("/a.inc", "/inc/footer.html", "/%C3%A9.html"), { maxLength: 3 }),
  stamp: digestText,
  contentDigest: digestText,
  isDynamic: fc.boolean(),
});

const record = fc.record({
  sizeBytes: fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constant(undefined)),
  mtimeUs: timeUs,
  ctimeUs: timeUs,
  lastModified: fc.oneof(fc.constant(undefined), fc.nat(2_000_000_000)),
  mediaType: fc.constantFrom("text/html", "image/png", "application/octet-stream", "text/css"),
  digest: fc.option(digestText, { nil: undefined }),
  racy: fc.boolean(),
  mark: fc.option(arbitraryMark, { nil: undefined, freq: 2 }),
  includes: fc.option(includes, { nil: undefined, freq: 2 }),
  stamp: fc.option(fc.nat(2 ** 32 - 1), { nil: undefined, freq: 2 }),
});

/** Remembered pages in path order, each path once. */
export function arbitraryPages(size: { minLength?: number; maxLength: number }): fc.Arbitrary<PublishedPage[]> {
  return fc.uniqueArray(fc.tuple(pathText, record), { ...size, selector: ([path]) => path }).map((pages) =>
    pages
      .map(([path, { lastModified, mark, includes, stamp, ...rest }]) => ({
        ...rest,
        path,
        ...(mark === undefined ? {} : { mark }),
        ...(stamp === undefined ? {} : { stamp }),
        ...(includes === undefined ? {} : { includes: { ...includes } }),
        // Often it is the file's own time, which the codec leaves out.
        lastModified: lastModified ?? Math.floor(rest.mtimeUs / 1_000_000),
      }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
}

/** A page that is told from others by its path and size. */
export function toPage(path: string, sizeBytes: number): PublishedPage & { readonly sizeBytes: number } {
  const times = { mtimeUs: 5_000_000, ctimeUs: 5_000_000, lastModified: 5 };
  return { path, sizeBytes, ...times, mediaType: "text/html", digest: undefined, racy: false };
}

/** Writes a list of pages in path order; a path alone is of a page that is gone. @returns where it is */
export async function writePages(
  folder: string,
  records: Iterable<PublishedPage | string>,
  name = "pages.blocks",
): Promise<string> {
  await using writer = new PageWriter(folder);
  for (const record of records)
    if (typeof record === "string" ? writer.addGone(record) : writer.add(record)) await writer.drain();
  await writer.end();
  const path = join(folder, name);
  await writer.commit(path);
  return path;
}
