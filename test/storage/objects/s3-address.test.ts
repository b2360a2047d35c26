import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FolderObjects } from "../../../src/storage/objects/folder-objects.ts";
import { openObjects } from "../../../src/storage/objects/open-objects.ts";
import { parseS3Address } from "../../../src/storage/objects/s3-address.ts";

type Row = readonly [address: string, bucket: string, prefix: string, endpoint?: string | undefined, region?: string];

describe("an address of objects in S3", () => {
  const rows: readonly Row[] = [
    ["s3://bucket", "bucket", ""],
    ["s3://bucket/", "bucket", ""],
    ["s3://my.bucket-1/crawl", "my.bucket-1", "crawl/"],
    ["s3://bucket/a/b.c_d/", "bucket", "a/b.c_d/"],
    ["s3://bucket?region=eu-central-1", "bucket", "", undefined, "eu-central-1"],
    ["s3://bucket/a?endpoint=http://127.0.0.1:7070&region=garage", "bucket", "a/", "http://127.0.0.1:7070", "garage"],
    ["s3://bucket/a?endpoint=https%3A%2F%2Fs3.example%2F", "bucket", "a/", "https://s3.example/"],
  ];
  for (const [address, bucket, prefix, endpoint, region] of rows)
    it(address, () => {
      const shown = `s3://${bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`}`;
      assert.deepEqual(parseS3Address(address), { bucket, prefix, endpoint, region, shown });
    });

  const wrong = [
    ...[
      "s3://",
      "s3:///prefix",
      "s3://ab",
      "s3://Bucket",
      "s3://bucket/Prefix",
      "s3://bucket/a//b",
      "s3://bucket/../a",
    ],
    ...["s3://bucket/a b", "s3://bucket?endpoint=127.0.0.1:7070", "s3://bucket?endpoint=ftp://x.example/"],
    ...["s3://bucket?region=a/b", "s3://bucket?other=1", "s3://bucket#a", `s3://bucket/${"a/".repeat(100)}b`],
    ...["gs://bucket", "http://127.0.0.1/bucket", "S3://bucket"],
  ];
  for (const address of wrong)
    it(`is not ${address.slice(0, 60)}`, () => assert.rejects(openObjects(address), { code: "bad-option" }));

  it("is not that of a folder", async () => {
    for (const folder of ["store", "/srv/store", "./s3:/x"])
      assert.ok((await openObjects(folder)) instanceof FolderObjects, folder);
  });
});
