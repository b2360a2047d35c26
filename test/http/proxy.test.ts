import assert from "node:assert/strict";
import { createServer, request as sendRequest } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { TidemarkError } from "../../src/core/error.ts";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { createFetcher, type FetcherOptions } from "../../src/http/fetcher.ts";
import { readProxy } from "../../src/http/proxy.ts";
import { cert, key } from "./own-certificate.ts";

/** A server on loopback, and the end of it. */
async function listen(server: Server): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A proxy that notes what it is asked for. @param tunnel - its answer to CONNECT */
function makeProxy(seen: string[], tunnel = "HTTP/1.1 200 OK\r\nVia: x\r\n\r\n"): Server {
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    const { "proxy-authorization": _, ...headers } = request.headers;
    sendRequest(request.url ?? "", { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }).end();
  });
  server.on("connect", (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    if (!tunnel.startsWith("HTTP/1.1 200")) return socket.end(tunnel);
    const far = connect(Number(new URL(`http://${request.url}`).port), "127.0.0.1", () => {
      socket.write(tunnel);
      far.pipe(socket).pipe(far);
    });
    far.on("error", () => socket.destroy());
    return socket.on("error", () => far.destroy());
  });
  return server;
}

async function get(
  options: FetcherOptions,
  origin: string,
  paths = ["/a?b"],
  onExchange: NonNullable<FetchRequest["onExchange"]> = () => undefined,
): Promise<FetchOutcome[]> {
  await using fetcher = createFetcher({ allowedPrivateOrigins: [origin], ca: cert, ...options });
  const outcomes: FetchOutcome[] = [];
  for (const path of paths)
    outcomes.push(await fetcher.get({ origin, path, maxBytes: 1000, timeoutMs: 20_000, onExchange }));
  return outcomes;
}

const textOf = (outcome: FetchOutcome | undefined): string =>
  outcome?.kind === "fetched" ? Buffer.from(outcome.body).toString() : JSON.stringify(outcome);

const basic = `Basic ${Buffer.from("p:w ä").toString("base64")}`;

for (const scheme of ["http", "https"])
  test(`${scheme}: goes through a proxy with its login, which the server does not get`, async () => {
    const seen: string[] = [];
    const answer: Parameters<typeof createServer>[1] = ({ url, headers }, response) =>
      response.end(`${url} ${headers.host} ${headers["proxy-authorization"] ?? "-"}`);
    await using site = await listen(
      scheme === "http" ? createServer(answer) : createSecureServer({ cert, key }, answer),
    );
    await using proxy = await listen(makeProxy(seen));
    const authority = `127.0.0.1:${site.port}`;
    const outcomes = await get({ proxy: `http://p:w%20%C3%A4@127.0.0.1:${proxy.port}` }, `${scheme}://${authority}`, [
      "/a?b",
      "/c",
    ]);
    assert.deepEqual(outcomes.map(textOf), [`/a?b ${authority} -`, `/c ${authority} -`]);
    const forwarded = ["/a?b", "/c"].map((path) => `GET http://${authority}${path} ${basic}`);
    assert.deepEqual(seen, scheme === "http" ? forwarded : [`CONNECT ${authority} ${basic}`]);
  });

const refusals: readonly (readonly [string, RegExp])[] = [
  ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", /no tunnel to 127\.0\.0\.1:9: it answered 407/],
  ["HTTP/1.1 502 Bad Gateway\r\n\r\n", /it answered 502/],
  ["SSH-2.0\r\n\r\n", /it answered no HTTP/],
  ["", /closed the connection/],
  [`HTTP/1.1 407 ${"x".repeat(40_000)}`, /it answered 407/],
];

for (const [tunnel, message] of refusals)
  test(`a proxy that answers CONNECT by ${JSON.stringify(tunnel.slice(0, 20))} is a failed connection`, async () => {
    await using proxy = await listen(makeProxy([], tunnel));
    const [outcome] = await get({ proxy: `http://127.0.0.1:${proxy.port}` }, "https://127.0.0.1:9");
    assert.ok(outcome?.kind === "failed");
    assert.equal(outcome.reason, "connection");
    assert.match(outcome.message, message);
  });

test("a proxy that is not there is a failed connection, and the server is not asked without it", async () => {
  let asked = 0;
  await using site = await listen(createServer((_, response) => response.end(String(asked++))));
  const gone = await listen(createServer());
  await gone[Symbol.asyncDispose]();
  const [outcome] = await get({ proxy: `http://127.0.0.1:${gone.port}` }, `http://127.0.0.1:${site.port}`);
  assert.ok(outcome?.kind === "failed");
  assert.deepEqual([outcome.reason, asked], ["connection", 0]);
});

test("literal private addresses are refused before the proxy is asked; names are for the proxy to resolve", async () => {
  const seen: string[] = [];
  await using proxy = await listen(makeProxy(seen, "HTTP/1.1 403 No\r\n\r\n"));
  const options = { proxy: `http://127.0.0.1:${proxy.port}`, allowedPrivateOrigins: [] };
  const [literal] = await get(options, "http://10.0.0.1");
  assert.ok(literal?.kind === "failed" && literal.reason === "private-address");
  assert.deepEqual(seen, []);
  await get(options, "https://name.invalid");
  assert.deepEqual(seen, ["CONNECT name.invalid:443 -"]);
});

test("what is no URL of an HTTP proxy is refused, and not repeated", () => {
  for (const text of [
    "proxy:3128",
    "https://u:secret@p/",
    "socks4://u:secret@p:1",
    "socks5://secret@p",
    "socks5://u:secret@p:1/path",
    "http://u:secret@p/path",
    "",
  ])
    assert.throws(
      () => readProxy(text),
      (error) => error instanceof TidemarkError && error.code === "bad-option" && !error.message.includes("secret"),
    );
});

test("what a proxy itself answers to a forwarded request is no answer of the site", async () => {
  const recorded: string[] = [];
  const answers: readonly (readonly [number, Record<string, string>, RegExp])[] = [
    [407, {}, /the proxy .* 407; it wants a login/],
    [403, { "X-Squid-Error": "ERR_ACCESS_DENIED 0" }, /the proxy .* 403; its rules forbid it/],
    [503, { "X-Squid-Error": "ERR_CONNECT_FAIL 111" }, /the proxy .* 503 \(ERR_CONNECT_FAIL 111\)/],
    [403, { Server: "tinyproxy/1.11.1" }, /its rules forbid it/],
  ];
  for (const [status, fields, message] of answers) {
    await using proxy = await listen(createServer((_, response) => response.writeHead(status, fields).end()));
    const by = { proxy: `http://127.0.0.1:${proxy.port}` };
    const [outcome] = await get(by, "http://127.0.0.1:9", ["/"], (exchange) => void recorded.push(exchange.url));
    assert.ok(outcome?.kind === "failed" && outcome.reason === "connection");
    assert.match(outcome.message, message);
  }
  assert.deepEqual(recorded, []);
  await using site = await listen(
    createServer((_, response) => response.writeHead(403, { "X-Squid-Error": "x" }).end()),
  );
  const [direct] = await get({}, `http://127.0.0.1:${site.port}`);
  assert.equal(direct?.kind, "refused");
});

/** A SOCKS proxy that notes where it is to connect, and leads all tunnels to one port. */
function makeSocks(seen: string[], port: number): Server {
  return createSocketServer((socket) => {
    socket.once("data", () => {
      socket.write(Buffer.from([5, 0]));
      socket.once("data", (asked: Buffer) => {
        const host = asked[3] === 3 ? asked.subarray(5, -2).toString() : [...asked.subarray(4, -2)].join(".");
        seen.push(host);
        const far = connect(port, "127.0.0.1", () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          far.pipe(socket).pipe(far);
        });
        socket.on("close", () => far.destroy());
      });
    });
    socket.on("error", () => undefined);
  });
}

test("socks5: resolves names here, so that private addresses are refused; socks5h: leaves them to the proxy", async () => {
  const seen: string[] = [];
  await using site = await listen(createServer(({ url, headers }, response) => response.end(`${url} ${headers.host}`)));
  await using proxy = await listen(makeSocks(seen, site.port));
  const resolve: FetcherOptions["resolve"] = (name, _, callback) =>
    callback(null, [{ address: name === "open.example" ? "93.184.216.34" : "10.0.0.1", family: 4 }]);
  const from = async (scheme: string, host: string): Promise<FetchOutcome | undefined> =>
    (
      await get({ proxy: `${scheme}://127.0.0.1:${proxy.port}`, allowedPrivateOrigins: [], resolve }, `http://${host}`)
    )[0];
  assert.equal(textOf(await from("socks5", "open.example")), "/a?b open.example");
  const shut = await from("socks5", "shut.example");
  assert.ok(shut?.kind === "failed" && shut.reason === "private-address", JSON.stringify(shut));
  assert.equal(textOf(await from("socks5h", "shut.example")), "/a?b shut.example");
  const literal = await from("socks5h", "10.0.0.1");
  assert.ok(literal?.kind === "failed" && literal.reason === "private-address");
  assert.deepEqual(seen, ["93.184.216.34", "shut.example"]);
});

for (const [bytes, message] of [
  [[5, 255], /No acceptable authentication/],
  [[5, 2], /Username and password required/],
  [[5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0], /opened no tunnel/],
  [[72, 84, 84, 80], /Invalid SOCKS version/],
  [[], /closed the connection/],
] as const)
  test(`a SOCKS proxy that answers ${bytes.join(" ") || "nothing"} is a failed connection`, async () => {
    await using proxy = await listen(
      createSocketServer((socket) => {
        socket.on("error", () => undefined).once("data", () => socket.end(Buffer.from(bytes)));
      }),
    );
    const [outcome] = await get({ proxy: `socks5h://127.0.0.1:${proxy.port}` }, "https://name.invalid");
    assert.ok(outcome?.kind === "failed");
    assert.equal(outcome.reason, "connection");
    assert.match(outcome.message, message);
  });
