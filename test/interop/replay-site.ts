import { gzipSync } from "node:zlib";
import { listenSite, type SiteServer } from "../site-server.ts";

/** An answer, as a browser would get it that holds nothing. */
export interface FullAnswer {
  readonly status: number;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const html = "text/html; charset=utf-8";
const large = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7) % 251));

function page(body: string | Buffer, headers: Readonly<Record<string, string>> = {}): FullAnswer {
  return { status: 200, headers: { "content-type": html, ...headers }, body: Buffer.from(body) };
}

const tagged = (body: string | Buffer, tag: string, headers: Readonly<Record<string, string>> = {}): FullAnswer =>
  page(body, { etag: `"${tag}"`, ...headers });

const names = ["a", "never", "dated", "twin", "moved", "gone", "empty", "emptied", "filled", "coded", "caf%C3%A9"]
  .concat(["q?c=%C3%A9&d", "q?a=1&b=2", "large", "odd", "slash/", "back", "to-empty"])
  .map((name) => `/${name}`);

/** What the site has on a day, 0 to 4: pages that change, come, go, are emptied, come coded, and have every kind of validator. */
export function replaySiteOn(day: number): Map<string, FullAnswer> {
  const links = names.map((name) => `<a href="${name.replaceAll("&", "&amp;")}">x</a>`).join("\n");
  const answers: Record<string, FullAnswer> = {
    "/robots.txt": tagged(`User-agent: *\nDisallow: /private${day < 2 ? "" : "2"}\n`, `r${day < 2}`, {
      "content-type": "text/plain",
    }),
    "/": tagged(`<title>start</title>${links}`, "start"),
    // Changes, and is the same again.
    "/a": tagged(`<p>page a ${[0, 0, 1, 0, 0][day]}</p>`, `a${[0, 0, 1, 0, 0][day]}`),
    "/never": page("<p>without validators</p>"),
    "/dated": page("<p>dated</p>", { "last-modified": "Tue, 01 Sep 2026 00:00:00 GMT" }),
    // The bytes of another page, under another media type.
    "/twin": tagged("<p>page a 0</p>", "twin", { "content-type": "text/plain" }),
    "/moved": { status: 302, headers: { location: "/a", "content-type": html }, body: Buffer.from("moved") },
    "/gone": { status: 404, headers: { "content-type": html }, body: Buffer.from("<p>no such page</p>") },
    "/empty": tagged("", "empty"),
    "/emptied": day < 1 ? tagged("<p>full</p>", "full") : tagged("", "emptied"),
    "/filled": day < 2 ? tagged("", "nothing") : tagged("<p>filled</p>", "filled"),
    "/coded": tagged(gzipSync(`<p>coded ${day > 2}</p>`), `coded${day > 2}`, { "content-encoding": "gzip" }),
    "/caf%C3%A9": tagged(Buffer.from("<p>caf\xe9 \0 \xff</p>", "latin1"), "cafe", {
      "content-type": "text/html; charset=iso-8859-1",
    }),
    "/q?c=%C3%A9&d": tagged("<p>query</p>", "query"),
    "/q?a=1&b=2": tagged(`<p>query ${day}</p>`, `query${day}`),
    "/large": tagged(large, "large", { "content-type": "application/octet-stream" }),
    "/odd": tagged("<p>odd</p>", "odd", { "x-odd": "caf\xe9", "cache-control": "no-store", "content-language": "de" }),
    "/slash/": tagged("<p>folder</p>", "folder"),
    "/back": tagged(`<p>back ${day % 2}</p>`, `back${day % 2}`),
  };
  if (day > 0) {
    answers["/"] = tagged(`<title>start</title>${links}<a href="/comes">x</a>`, "start2");
    answers["/comes"] = tagged("<p>came</p>", "came");
  }
  return new Map(Object.entries(answers));
}

/** A server of {@link replaySiteOn}, whose day the test sets. */
export async function listenReplaySite(): Promise<SiteServer & { day: number }> {
  const server = await listenSite((request, response) => {
    const missing: FullAnswer = {
      status: 404,
      headers: { "content-type": "text/plain" },
      body: Buffer.from("missing"),
    };
    const { status, headers, body } = replaySiteOn(site.day).get(request.url ?? "") ?? missing;
    const { etag, "last-modified": modified } = headers;
    const { "if-none-match": tag, "if-modified-since": since } = request.headers;
    const isSame = etag === undefined ? since !== undefined && since === modified : tag === etag;
    // What a server says with a 304 (RFC 9110 section 15.4.5).
    if (isSame && status === 200)
      response.writeHead(304, { ...(etag === undefined ? {} : { etag }), date: "now" }).end();
    else response.writeHead(status, headers).end(body);
  });
  const site = Object.assign(server, { day: 0 });
  return site;
}
