import assert from "node:assert/strict";
import { test } from "node:test";
import { types } from "mime-types";
import { mediaTypeOfName, mediaTypeOfUrlPath } from "../../../src/exporter/walk/media-types.ts";
import { formatChangeLine, parseChangeLine } from "../../../src/formats/archive/archive.ts";
import { groupOfMediaType } from "../../../src/formats/archive/archive-name.ts";

test("a name's ending decides its type", () => {
  for (const [name, type] of [
    ["index.html", "text/html"],
    ["INDEX.HTM", "text/html"],
    ["a.tar.gz", "application/gzip"],
    ["a.svg", "image/svg+xml"],
    ["README", "application/octet-stream"],
    ["html", "application/octet-stream"],
    [".html", "application/octet-stream"],
    ["a.", "application/octet-stream"],
    ["a.constructor", "application/octet-stream"],
    ["a.__proto__", "application/octet-stream"],
    ["a.\xff", "application/octet-stream"],
  ] as const)
    assert.equal(mediaTypeOfName(name), type, name);
});

test("the ending of a URL's path decides its type, unless it is a script's or says nothing", () => {
  for (const [path, type] of [
    ["/", "text/html"],
    ["/about", "text/html"],
    ["/a.d/about", "text/html"],
    ["/a.d/", "text/html"],
    ["/paper.pdf", "application/pdf"],
    ["/paper.pdf?v=1.css/x.js", "application/pdf"],
    ["/feed.xml?x", mediaTypeOfName("feed.xml")],
    ["/index.php?file=a.pdf", "text/html"],
    ["/shop.aspx", "text/html"],
    ["/v1.2", "text/html"],
    ["/a?b.pdf", "text/html"],
    ["/.html", "text/html"],
  ] as const)
    assert.equal(mediaTypeOfUrlPath(path), type, path);
});

test("every type there is can be read back from an archive's line and names a group", () => {
  for (const ending of Object.keys(types)) {
    const mediaType = mediaTypeOfName(`a.${ending}`);
    const page = { path: "/a", sizeBytes: 0, lastModified: 1, mediaType, digest: undefined };
    const read = parseChangeLine(formatChangeLine({ kind: "created", page }));
    assert.ok(read.ok && read.value.kind === "created", ending);
    assert.equal(read.value.page.mediaType, mediaType);
    assert.match(groupOfMediaType(mediaType), /^(?:other|[a-z]+-[a-z0-9.+-]+)$/);
  }
});
