import assert from "node:assert/strict";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { listenRaw, plainAnswer, type RawServer } from "../../http/raw-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { RecordedSite } from "../state/recorded-site.ts";

const maxBytes = 4 * 1024 * 1024;
const noise = Array.from({ length: 60_000 }, (_, at) => ((at * 2_654_435_761) >>> 0).toString(36)).join("");

/** The bodies of each path in turn, some with the name of a coding. */
type Bodies = Record<string, (string | readonly [coding: string, bytes: Buffer])[]>;

async function listenInTurn(bodies: Bodies): Promise<RawServer> {
  return await listenRaw((socket, head) => {
    const next = bodies[head.split(" ")[1] ?? ""]?.shift() ?? "";
    const [fields, body] = typeof next === "string" ? [[], next] : [[`Content-Encoding: ${next[0]}`], next[1]];
    socket.write(plainAnswer(200, fields, Buffer.from(body).toString("latin1")), "latin1");
  });
}

interface Before {
  readonly site: RecordedSite;
  readonly read: (path: string, most?: number) => string | undefined;
}

async function withSite(
  bodies: Bodies,
  act: (before: Before) => Promise<void>,
  options: { readonly maxBytes?: number } = {},
): Promise<void> {
  await using server = await listenInTurn(bodies);
  using temp = makeTempFolder();
  await using site = await RecordedSite.open(server.origin, temp.path, options);
  const read = (path: string, most = maxBytes): string | undefined => {
    const body = site.store.bodies.read(path, most);
    return body instanceof Uint8Array ? Buffer.from(body).toString() : undefined;
  };
  await act({ site, read });
}

describe("what a page had before its newest answer is read from WARC files", () => {
  it("out of the file that is being written, and not before there is anything newer", async () => {
    await withSite(
      {
        "/a": ["one", "two", "two"],
      },
      async ({ site, read }) => {
        await site.get("/a");
        assert.equal(read("/a"), undefined);
        await site.get("/a");
        assert.equal(read("/a"), "one");
        await site.get("/a");
        assert.equal(read("/a"), undefined);
      },
    );
  });

  it("with its content coding undone, also where it is large or cannot be packed", async () => {
    const bodies: Bodies = {
      "/gzip": [["gzip", gzipSync("packed")], "x"],
      "/br": [["br", brotliCompressSync("pressed")], "x"],
      "/noise": [noise, "x"],
    };
    await withSite(bodies, async ({ site, read }) => {
      for (const path of Object.keys(bodies))
        for (let time = 0; time < 2; time++) await site.get(path, { acceptCoding: true });
      assert.equal(read("/gzip"), "packed");
      assert.equal(read("/br"), "pressed");
      assert.equal(read("/noise"), noise);
      assert.equal(read("/noise", 1000), undefined);
      assert.equal(read("/gzip", 3), undefined);
    });
  });

  it("out of finished files, and out of the record of another URL that has the same bytes", async () => {
    const bodies = {
      "/a": ["one", "two"],
      "/b": ["one", "three"],
    };
    await withSite(
      bodies,
      async ({ site, read }) => {
        for (const path of ["/a", "/b", "/b", "/a"]) await site.get(path);
        assert.ok(readdirSync(site.folder).filter((name) => name.endsWith(".warc.gz")).length > 2);
        assert.equal(read("/b"), "one");
        assert.equal(read("/a"), "one");
      },
      { maxBytes: 1 },
    );
  });

  it("unless the file was moved away or damaged", async () => {
    const body = noise.slice(0, 200);
    const bodies = {
      "/a": [body, "two"],
    };
    await withSite(
      bodies,
      async ({ site, read }) => {
        await site.get("/a");
        await site.get("/a");
        const [name = ""] = readdirSync(site.folder).filter((file) => file.endsWith(".warc.gz"));
        const file = join(site.folder, name);
        const whole = readFileSync(file);
        assert.equal(read("/a"), body);
        for (let at = 0; at < whole.length; at++) {
          const damaged = Buffer.from(whole);
          damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
          writeFileSync(file, damaged);
          assert.ok([undefined, body].includes(read("/a")), `byte ${at}`);
          writeFileSync(file, whole.subarray(0, at));
          assert.ok([undefined, body].includes(read("/a")), `cut at ${at}`);
        }
        writeFileSync(file, whole);
        renameSync(file, `${file}.elsewhere`);
        assert.equal(read("/a"), undefined);
        rmSync(`${file}.elsewhere`);
      },
      { maxBytes: 1 },
    );
  });
});
