import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import { readObject } from "../../../src/storage/objects/object-store.ts";
import { parseS3Address } from "../../../src/storage/objects/s3-address.ts";
import { S3Objects, type S3Patience } from "../../../src/storage/objects/s3-objects.ts";
import { listenSite, type SiteServer } from "../../site-server.ts";

type Answer = SiteServer["answer"];

const bytes = Buffer.from("0123456789");

/** An error as S3 tells it. */
function fail(response: ServerResponse, status: number, code: string, message = "so it is"): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

const impatient: S3Patience = { silenceMs: 150, attemptsMs: 400 };

/** A store at a server that answers so, in turn; the last answer holds for all later requests. */
async function withServer(
  answers: readonly Answer[],
  act: (store: S3Objects, server: SiteServer) => Promise<void>,
  patience: S3Patience = {},
): Promise<void> {
  let count = 0;
  await using server = await listenSite((request, response) => {
    request.resume();
    answers[Math.min(count++, answers.length - 1)]?.(request, response);
  });
  const address = parseS3Address(`s3://bucket/p?endpoint=${server.origin}`);
  await act(await S3Objects.open(address, patience), server);
}

const give: Answer = (_, response) => response.end(bytes);
const stored: Answer = (_, response) => response.end();

describe("objects at a server that is not as it should be", () => {
  const kept = { ...process.env };
  before(() => {
    process.env.AWS_ACCESS_KEY_ID = "key";
    process.env.AWS_SECRET_ACCESS_KEY = "secret";
  });
  after(() => {
    process.env = kept;
  });

  const failures: ReadonlyArray<readonly [status: number, code: string, kind: string, RegExp]> = [
    [404, "NoSuchBucket", "not-found", /no bucket for s3:\/\/bucket\/p/],
    [403, "InvalidAccessKeyId", "no-permission", /does not know the credentials/],
    [403, "SignatureDoesNotMatch", "no-permission", /does not know the credentials/],
    [403, "AccessDenied", "no-permission", /may not be used so: AccessDenied/],
    [400, "AuthorizationHeaderMalformed", "bad-option", /in another region/],
    [301, "PermanentRedirect", "bad-option", /in another region/],
    [507, "XMinioStorageFull", "disk-full", /no room at s3:\/\/bucket\/p: so it is/],
    [403, "QuotaExceeded", "disk-full", /no room/],
    [403, "RequestTimeTooSkewed", "io", /clock of this machine/],
    [418, "Teapot", "io", /Could not store a at s3:\/\/bucket\/p: Teapot: so it is/],
  ];
  for (const [status, code, kind, message] of failures)
    it(`says at once what ${code} means`, async () => {
      await withServer([(_, response) => fail(response, status, code)], async (store, server) => {
        await assert.rejects(store.put("a", bytes), { name: "TidemarkError", code: kind, message });
        // The client looks for the region itself, and sets its clock once.
        assert.ok(server.requests.length <= 2, server.requests.join());
      });
    });

  it("does not take a missing bucket for a missing object", async () => {
    await withServer([(_, response) => fail(response, 404, "NoSuchBucket")], async (store) => {
      await assert.rejects(readObject(store, "a", 10), { code: "not-found" });
      await assert.rejects(store.remove(["a"]), { code: "not-found" });
      await assert.rejects(store.list("").next(), { code: "not-found" });
    });
    await withServer([(_, response) => fail(response, 404, "NoSuchKey")], async (store) => {
      assert.equal(await readObject(store, "a", 10), undefined);
      await store.remove(["a"]);
    });
  });

  it("is asked again after errors that pass", async () => {
    const passing: readonly Answer[] = [
      (_, response) => fail(response, 503, "SlowDown"),
      (request) => request.socket.destroy(),
    ];
    const put = async (store: S3Objects, server: SiteServer): Promise<void> => {
      assert.equal(await store.put("a", bytes), true);
      assert.equal(server.requests.length, 3);
    };
    const get = async (store: S3Objects): Promise<void> => {
      assert.deepEqual(await readObject(store, "a", 10), bytes);
    };
    await Promise.all([withServer([...passing, stored], put), withServer([...passing, give], get)]);
  });

  it("is not asked for ever", async () => {
    await withServer(
      [(_, response) => fail(response, 500, "InternalError")],
      async (store, server) => {
        await assert.rejects(store.has("a"), { code: "io" });
        assert.ok(server.requests.length >= 1 && server.requests.length <= 4, String(server.requests.length));
      },
      impatient,
    );
  });

  it("is given up if it does not answer", async () => {
    await withServer(
      [() => undefined],
      async (store, server) => {
        const late = { code: "io", message: /no whole answer in time/ };
        await Promise.all([
          assert.rejects(store.put("a", bytes), late),
          assert.rejects(store.has("a"), late),
          assert.rejects(readObject(store, "a", 10), late),
          assert.rejects(store.remove(["a"]), late),
          assert.rejects(store.list("").next(), late),
        ]);
        assert.ok(server.requests.length < 20);
      },
      impatient,
    );
  });

  it("is given up if it sends a byte now and then", async () => {
    const drip: Answer = (request, response) => {
      response.writeHead(request.headers.range === undefined ? 200 : 206, { "content-length": bytes.length });
      const timer = setInterval(() => response.write("x"), 100);
      response.on("close", () => clearInterval(timer));
    };
    await withServer(
      [drip],
      async (store) => {
        await assert.rejects(
          store.get("a", 10, () => undefined),
          { code: "io", message: /in time/ },
        );
      },
      impatient,
    );
  });

  it("goes on where an answer was cut off", async () => {
    const cut: Answer = (_, response) => {
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, 4), () => response.destroy());
    };
    const rest: Answer = (request, response) => {
      assert.equal(request.headers.range, "bytes=4-");
      response.writeHead(206, { "content-range": "bytes 4-9/10" });
      response.end(bytes.subarray(4));
    };
    await withServer([cut, rest], async (store) => assert.deepEqual(await readObject(store, "a", 10), bytes));
    const some: Answer = (_, response) => response.writeHead(206).end(bytes.subarray(4, 7));
    const last: Answer = (request, response) => {
      assert.equal(request.headers.range, "bytes=7-");
      response.writeHead(206).end(bytes.subarray(7));
    };
    await withServer([cut, some, last], async (store) => assert.deepEqual(await readObject(store, "a", 10), bytes));
    await withServer([cut, give], async (store) => {
      await assert.rejects(readObject(store, "a", 10), { code: "io", message: /does not know ranges/ });
    });
  });

  it("may send no more than was asked for", async () => {
    const endless: Answer = (_, response) => {
      response.writeHead(200);
      const write = (): void => {
        if (!response.destroyed) response.write(Buffer.alloc(65_536), write);
      };
      write();
    };
    await withServer([endless], async (store) => {
      let received = 0;
      const size = await store.get("a", 1_000_000, (piece) => {
        received += piece.length;
      });
      assert.equal(size, undefined);
      assert.ok(received <= 1_000_000, `${received} bytes`);
    });
  });

  it("need not say how long an answer is", async () => {
    const chunked: Answer = (_, response) => {
      response.writeHead(200);
      response.write(bytes.subarray(0, 4), () => response.end(bytes.subarray(4)));
    };
    await withServer([chunked], async (store) => {
      assert.deepEqual(await readObject(store, "a", 10), bytes);
      assert.equal(await readObject(store, "a", 9), undefined);
    });
    const cut: Answer = (_, response) => {
      response.writeHead(200);
      response.write(bytes.subarray(0, 4), () => response.destroy());
    };
    const rest: Answer = (request, response) => {
      assert.equal(request.headers.range, "bytes=4-");
      response.writeHead(206, { "content-length": 6 }).end(bytes.subarray(4));
    };
    await withServer([cut, rest], async (store) => assert.deepEqual(await readObject(store, "a", 10), bytes));
  });

  it("may take no object of a size", async () => {
    // As nginx says it.
    const page = "<html><body><hr><center>nginx</center></body></html>";
    const proxy: Answer = (_, response) => response.writeHead(413, { "content-type": "text/html" }).end(page);
    const own: Answer = (_, response) => fail(response, 400, "EntityTooLarge");
    for (const refused of [proxy, own])
      await withServer([refused], async (store, server) => {
        assert.equal(await store.put("a", bytes), "too-large");
        assert.equal(server.requests.length, 1);
      });
  });

  it("may not know how to store only what is not there", async () => {
    const unable: Answer = (request, response) => {
      if (request.headers["if-none-match"] === undefined) return void response.end();
      fail(response, 501, "NotImplemented");
    };
    await withServer([unable], async (store, server) => {
      assert.equal(await store.put("a", bytes), true);
      assert.equal(await store.put("b", bytes), true);
      assert.equal(server.requests.length, 3);
    });
  });

  it("is believed that an object is there only if it has it", async () => {
    const refused: Answer = (_, response) => fail(response, 412, "PreconditionFailed");
    await withServer([refused, stored], async (store, server) => {
      assert.equal(await store.put("a", bytes), false);
      assert.deepEqual(
        server.requests.map((line) => line.split(" ", 1)[0]),
        ["PUT", "HEAD"],
      );
    });
    const none: Answer = (_, response) => response.writeHead(404).end();
    const unconditional: Answer = (request, response) => {
      assert.equal(request.headers["if-none-match"], undefined);
      response.end();
    };
    await withServer([refused, none, unconditional], async (store) => assert.equal(await store.put("a", bytes), true));
    // Also if it could not be reached before.
    const busy: Answer = (_, response) => fail(response, 503, "SlowDown");
    const busyFirst = [busy, refused, none, unconditional];
    await withServer(busyFirst, async (store) => assert.equal(await store.put("a", bytes), true));
    await withServer([refused, none], async (store) => assert.rejects(store.put("a", bytes), { code: "io" }));
  });

  it("may list what is no object, in pages", async () => {
    const page = (keys: readonly string[], more: string): Answer => {
      const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>3</Size></Contents>`).join("");
      return (_, response) => response.end(`<ListBucketResult>${contents}${more}</ListBucketResult>`);
    };
    const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";
    const pages = [page(["p/a", "p/../x", "p/B", "other/c"], more), page(["p/d/e", "p/"], "")];
    await withServer(pages, async (store, server) => {
      const names = [];
      for await (const { name } of store.list("")) names.push(name);
      assert.deepEqual(names, ["a", "d/e"]);
      assert.match(server.requests[1] ?? "", /continuation-token=t/);
    });
  });

  it("needs credentials", async () => {
    await withServer([stored], async (store) => {
      const { AWS_ACCESS_KEY_ID: key } = process.env;
      delete process.env.AWS_ACCESS_KEY_ID;
      process.env.AWS_EC2_METADATA_DISABLED = "true";
      process.env.AWS_SHARED_CREDENTIALS_FILE = "/dev/null";
      process.env.AWS_CONFIG_FILE = "/dev/null";
      await assert.rejects(store.put("a", bytes), { code: "no-permission", message: /no credentials for/ });
      process.env.AWS_ACCESS_KEY_ID = key;
    });
  });
});
