import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { createPoliteness } from "../../src/crawler/politeness.ts";
import { createFetcher } from "../../src/http/fetcher.ts";
import { cert, key } from "../http/own-certificate.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { skipWithout } from "./programs.ts";
import { findFreePort, type LoggedRequest, startWebServer } from "./web-server.ts";

const skip = skipWithout("nginx");
const pages = 60;

/** A real nginx with TLS that offers HTTP/2. */
interface SecureSite extends AsyncDisposable {
  readonly folder: string;
  readonly docroot: string;
  /** Base URL, with `/` at the end. */
  readonly url: string;
  readonly takeLog: () => Promise<LoggedRequest[]>;
}

/** @param requestsPerConnection - after so many nginx ends a connection */
async function openSite(requestsPerConnection: number): Promise<SecureSite> {
  const temp = makeTempFolder("tls");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  const links = Array.from({ length: pages }, (_, at) => `<a href="/p${at}.html">${at}</a>`);
  writeFileSync(join(docroot, "index.html"), links.join("\n"));
  for (let at = 0; at < pages; at++)
    writeFileSync(join(docroot, `p${at}.html`), `<p>page ${at} ${"x".repeat(at * 1000)}</p>`);
  writeFileSync(join(temp.path, "cert.pem"), cert);
  writeFileSync(join(temp.path, "key.pem"), key);
  const port = await findFreePort();
  const snippet = `
    listen 127.0.0.1:${port} ssl http2;
    ssl_certificate ${join(temp.path, "cert.pem")};
    ssl_certificate_key ${join(temp.path, "key.pem")};
    keepalive_requests ${requestsPerConnection};
`;
  const server = await startWebServer("nginx", docroot, { snippet });
  return {
    ...{ folder: temp.path, docroot, url: `https://127.0.0.1:${port}/`, takeLog: server.takeLog },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      temp[Symbol.dispose]();
    },
  };
}

function countOf(log: readonly LoggedRequest[], protocol: string, status: number): number {
  return log.filter((line) => line.protocol === protocol && line.status === status).length;
}

test("nginx that offers HTTP/2 is crawled over HTTP/1.1, though it ends each connection after seven requests", {
  skip,
}, async () => {
  await using site = await openSite(7);
  const { url, docroot } = site;
  let days = 0;
  const clock = (): number => Date.now() + days * 86_400_000;
  const politeness = createPoliteness({ clock });
  const into = join(site.folder, "mirror");
  const options = { url, into, ca: cert, sources: ["links"], politeness, clock } as const;

  const first = await crawlSite(options);
  assert.deepEqual([first.created, first.pending, first.failed], [pages + 1, 0, 0]);
  const log = await site.takeLog();
  assert.deepEqual([...new Set(log.map(({ protocol }) => protocol))], ["HTTP/1.1"]);
  assert.equal(countOf(log, "HTTP/1.1", 200), pages + 1);
  const mirror = join(into, new URL(url).host.replace(":", "_"));
  for (let at = 0; at < pages; at++)
    assert.deepEqual(readFileSync(join(mirror, `p${at}.html`)), readFileSync(join(docroot, `p${at}.html`)));

  appendFileSync(join(docroot, "p7.html"), "<p>changed</p>");
  days++;
  const second = await crawlSite(options);
  assert.deepEqual([second.updated, second.failed], [1, 0]);
  const polled = await site.takeLog();
  assert.deepEqual([countOf(polled, "HTTP/1.1", 304), countOf(polled, "HTTP/1.1", 200)], [pages, 1]);
  assert.deepEqual(readFileSync(join(mirror, "p7.html")), readFileSync(join(docroot, "p7.html")));
});

test("of nginx three hundred answers come whole, over connections that it ends as it likes", { skip }, async () => {
  await using site = await openSite(5);
  const { docroot, url } = site;
  await using fetcher = createFetcher({ allowPrivate: true, ca: cert, connections: 4 });
  const { origin } = new URL(url);
  const lengths = await Promise.all(
    Array.from({ length: 300 }, async (_, turn) => {
      const path = `/p${turn % pages}.html`;
      const outcome = await fetcher.get({
        origin,
        path,
        maxBytes: 1e6,
        timeoutMs: 60_000,
        acceptCoding: turn % 2 === 0,
      });
      assert.equal(outcome.kind, "fetched", JSON.stringify(outcome));
      return outcome.kind === "fetched" ? Buffer.compare(outcome.body, readFileSync(join(docroot, path))) : undefined;
    }),
  );
  assert.deepEqual(new Set(lengths), new Set([0]));
  assert.equal(countOf(await site.takeLog(), "HTTP/1.1", 200), 300);
});
