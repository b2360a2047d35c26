import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseCdxjLine } from "../../../src/formats/warc/cdxj.ts";
import { formatBase32, revisitProfiles } from "../../../src/formats/warc/warc-record.ts";
import { listenRaw, plainAnswer, type RawServer } from "../../http/raw-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type ReadRecord, RecordedSite, readCaptures, readRecords } from "../state/recorded-site.ts";

const digestOf = (text: string): string => `sha1:${formatBase32(createHash("sha1").update(text, "latin1").digest())}`;
const payloadOf = ({ block }: ReadRecord): string => block.slice(block.indexOf("\r\n\r\n") + 4);
const large = "0123456789abcdef".repeat(100_000);
const packed = gzipSync("hello").toString("latin1");

// Answers of every kind that has a record of its own.
async function listen(): Promise<RawServer> {
  return await listenRaw((socket, head) => {
    const path = head.split(" ")[1] ?? "";
    const isConditional = /if-none-match/i.test(head);
    const answers: Record<string, string> = {
      "/a": isConditional
        ? 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
        : plainAnswer(200, ['ETag: "1"', "Content-Type: text/html; charset=x"], "page a"),
      "/same": plainAnswer(200, ["content-type: text/html; charset=x"], "page a"),
      "/shown-otherwise": plainAnswer(200, ["Content-Type: text/plain"], "page a"),
      "/empty": isConditional ? 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n' : plainAnswer(200),
      "/chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
      "/coded": plainAnswer(200, ["Content-Encoding: gzip"], packed),
      "/moved": plainAnswer(301, ["Location: /a"], "moved to a"),
      "/gone": plainAnswer(404, ["Content-Type: text/html"], "no such page"),
      "/busy": plainAnswer(503, ["Retry-After: 1"], "later"),
      "/large": isConditional ? 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n' : plainAnswer(200, [], large),
      "/hugely-gone": plainAnswer(404, [], large),
    };
    const answer = answers[path];
    if (path === "/half") socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    else if (path === "/reset") socket.write("HTTP/1.1 200 OK\r\n\r\nhalf");
    else socket.write(answer ?? plainAnswer(500), "latin1");
  });
}

interface Recording extends AsyncDisposable {
  readonly server: RawServer;
  readonly into: string;
  readonly site: RecordedSite;
}

async function openRecording(options: { readonly maxBytes?: number } = {}): Promise<Recording> {
  const server = await listen();
  const temp = makeTempFolder();
  return {
    server,
    into: temp.path,
    site: await RecordedSite.open(server.origin, temp.path, options),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      temp[Symbol.dispose]();
    },
  };
}

describe("what is recorded", () => {
  it("is the request and the answer, as they were sent and received", async () => {
    await using recording = await openRecording();
    const { server, site } = recording;
    await site.get("/a");
    await site[Symbol.asyncDispose]();
    const [info, response, request, ...rest] = readRecords(site.folder);
    assert.ok(info !== undefined && response !== undefined && request !== undefined && rest.length === 0);
    assert.equal(info.head.type, "warcinfo");
    assert.equal(info.head.filename, info.file);
    assert.match(info.block, /^software: test\r\nformat: WARC File Format 1\.1\r\nconformsTo: http/);
    assert.equal(request.block, `${server.heads[0]}\r\n\r\n`);
    assert.deepEqual(request.head.concurrentTo, [response.head.recordId]);
    assert.equal(payloadOf(response), "page a");
    const { type, targetUri, ipAddress, date, payloadDigest, blockDigest, contentType } = response.head;
    assert.deepEqual([type, targetUri, ipAddress], ["response", `${server.origin}/a`, "127.0.0.1"]);
    assert.equal(date, site.now / 1000);
    assert.deepEqual([payloadDigest, blockDigest], [digestOf("page a"), digestOf(response.block)]);
    assert.equal(contentType, "application/http;msgtype=response");
    assert.equal(request.head.date, date);
  });

  it("is a revisit where the server said 304, or sent the bytes that are held, also of another URL", async () => {
    await using recording = await openRecording();
    const { server, site, into } = recording;
    await site.get("/a");
    await site.get("/a", { validators: { etag: '"1"' } });
    await site.get("/a");
    await site.get("/same");
    await site.get("/empty");
    await site.get("/empty", { validators: { etag: '"1"' } });
    await site[Symbol.asyncDispose]();
    // Another run knows it from the state.
    const again = await RecordedSite.open(server.origin, into, { now: site.now });
    await again.get("/same");
    await again.get("/shown-otherwise");
    await again[Symbol.asyncDispose]();
    const otherwise = readCaptures(site.folder).at(-1);
    assert.equal(
      otherwise?.head.type,
      "response",
      "replayed after a 304, it would have the media type of another page",
    );
    const [first, unmodified, equal, other, empty, empty2, later] = readCaptures(site.folder);
    assert.ok(first !== undefined && unmodified !== undefined && later !== undefined);
    assert.deepEqual([empty?.head.type, empty2?.head.type], ["response", "response"]);
    for (const record of [unmodified, equal, other, later]) {
      assert.ok(record !== undefined);
      const { type, refersTo, refersToTargetUri, refersToDate, payloadDigest } = record.head;
      assert.equal(type, "revisit");
      assert.deepEqual(
        [refersTo, refersToTargetUri, refersToDate, payloadDigest],
        [first.head.recordId, first.head.targetUri, first.head.date, first.head.payloadDigest],
      );
    }
    assert.equal(unmodified.head.profile, revisitProfiles.serverNotModified);
    assert.deepEqual(
      [unmodified.block, unmodified.head.truncated, unmodified.head.contentType],
      ["", undefined, undefined],
    );
    const said = readRecords(site.folder).find(({ head }) => head.type === "metadata");
    assert.deepEqual(said?.head.concurrentTo, [unmodified.head.recordId]);
    assert.equal(said?.block, 'responseLine: HTTP/1.1 304 Not Modified\r\nresponseField: ETag: "1"\r\n');
    for (const record of [equal, other, later]) {
      assert.ok(record !== undefined);
      assert.equal(payloadOf(record), "");
      assert.equal(record.head.blockDigest, digestOf(record.block));
      assert.equal(record?.head.profile, revisitProfiles.identicalPayloadDigest);
      assert.equal(record?.head.truncated, "length");
    }
    assert.notEqual(later.file, first.file);
  });

  it("is asked for whole where no original is held that a 304 could stand for", async () => {
    await using recording = await openRecording();
    const { server, site } = recording;
    const ifChanged = { validators: { etag: '"1"' } };
    for (const path of ["/a", "/a", "/empty", "/empty"]) await site.get(path, ifChanged);
    await site[Symbol.asyncDispose]();
    assert.deepEqual(
      readCaptures(site.folder).map(({ head }) => [head.type, head.targetUri?.slice(server.origin.length)]),
      [
        ["response", "/a"],
        ["revisit", "/a"],
        ["response", "/empty"],
        ["response", "/empty"],
      ],
    );
  });

  it("is a body without its transfer coding, and with its content coding", async () => {
    await using recording = await openRecording();
    const { site } = recording;
    await site.get("/chunked");
    await site.get("/coded");
    await site[Symbol.asyncDispose]();
    const [chunked, coded] = readCaptures(site.folder);
    assert.ok(chunked !== undefined && coded !== undefined);
    assert.equal(chunked.block, "HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n\r\nabcde");
    assert.equal(chunked.head.payloadDigest, digestOf("abcde"));
    assert.match(coded.block, /Content-Encoding: gzip/);
    assert.equal(gunzipSync(Buffer.from(payloadOf(coded), "latin1")).toString(), "hello");
    assert.equal(coded.head.payloadDigest, digestOf(packed));
  });

  it("is also what no page comes of: redirects and errors, with their bodies", async () => {
    await using recording = await openRecording();
    const { server, site } = recording;
    for (const path of ["/moved", "/gone", "/busy"]) await site.get(path);
    await site.get("/hugely-gone");
    await site[Symbol.asyncDispose]();
    const captures = readCaptures(site.folder);
    assert.deepEqual(
      captures.slice(0, 4).map((record) => [record.head.targetUri?.slice(server.origin.length), payloadOf(record)]),
      [
        ["/moved", "moved to a"],
        ["/a", "page a"],
        ["/gone", "no such page"],
        ["/busy", "later"],
      ],
    );
    const huge = captures[4];
    assert.ok(huge !== undefined && payloadOf(huge).length < large.length);
    assert.equal(huge.head.truncated, "unspecified");
  });

  it("is never half a download", async () => {
    await using recording = await openRecording();
    const { server, site } = recording;
    assert.equal((await site.get("/half")).kind, "failed");
    const sink = { write: () => void server.sockets.at(-1)?.resetAndDestroy() };
    assert.equal((await site.get("/reset", { sink })).kind, "failed");
    assert.equal((await site.get("/large", { maxBytes: 1000 })).kind, "failed");
    await site.get("/empty");
    await site[Symbol.asyncDispose]();
    assert.deepEqual(
      readCaptures(site.folder).map(({ head }) => head.targetUri),
      [`${server.origin}/empty`],
    );
  });

  it("is found by the index: each line's place holds its record", async () => {
    await using recording = await openRecording();
    const { server, site } = recording;
    for (const path of ["/same", "/large", "/a", "/gone"]) await site.get(path);
    await site.get("/large", { validators: { etag: '"1"' } });
    await site[Symbol.asyncDispose]();
    const [record] = readRecords(site.folder);
    const bytes = readFileSync(join(site.folder, record?.file ?? ""));
    const lines = readFileSync(join(site.folder, (record?.file ?? "").replace(".warc.gz", ".cdxj")), "utf8")
      .trimEnd()
      .split("\n");
    assert.deepEqual(lines, [...lines].sort());
    const seen = lines.map((line) => {
      const read = parseCdxjLine(line);
      assert.ok(read.ok, line);
      const { url, offset, lengthBytes, mediaType, status, digest } = read.value;
      const member = gunzipSync(bytes.subarray(offset, offset + lengthBytes)).toString("latin1");
      assert.ok(
        member.includes(`WARC-Target-URI: ${url}\r\n`) && member.includes(`WARC-Payload-Digest: ${digest}\r\n`),
      );
      return [url.slice(server.origin.length), mediaType, status];
    });
    assert.deepEqual(seen, [
      ["/a", "warc/revisit", 200],
      ["/gone", "text/html", 404],
      ["/large", "unk", 200],
      ["/large", "warc/revisit", 200],
      ["/same", "text/html", 200],
    ]);
  });
});

describe("bodies in WARC files", () => {
  const digest = createHash("sha256").update("page a").digest().subarray(0, 8).toString("base64url");
  const page = { path: "/a", sizeBytes: 6, digest, lastModified: 5, mediaType: "text/html" };

  it("are taken over by their digest once they are durable, and not after the page was withdrawn", async () => {
    await using recording = await openRecording();
    const { server, site, into } = recording;
    await site.get("/a");
    assert.deepEqual(site.store.bodies.adopt(page), { sizeBytes: 6, digest });
    await site.store.bodies.flush();
    await site.get("/same");
    await site.abandon();
    const again = await RecordedSite.open(server.origin, into);
    const { bodies } = again.store;
    assert.deepEqual(bodies.adopt(page), { sizeBytes: 6, digest });
    assert.equal(bodies.adopt({ ...page, path: "/same" }), undefined, "nobody said that it is durable");
    assert.equal(bodies.adopt({ ...page, digest: "AAAAAAAAAAA" }), undefined);
    assert.equal(bodies.adopt({ ...page, digest: undefined }), undefined);
    bodies.remove("/a", "gone");
    assert.equal(bodies.adopt(page), undefined);
    await again[Symbol.asyncDispose]();
    assert.equal(readCaptures(site.folder).length, 2, "nothing is removed from archives");
  });

  it("are remembered once their file is finished, also if the run is killed then", async () => {
    await using recording = await openRecording({ maxBytes: 300 });
    const { server, site, into } = recording;
    await site.get("/a");
    await site.get("/same");
    await site.abandon();
    assert.equal(readCaptures(site.folder).length, 1);
    const again = await RecordedSite.open(server.origin, into);
    assert.deepEqual(again.store.bodies.adopt(page), { sizeBytes: 6, digest });
    await again[Symbol.asyncDispose]();
  });
});
