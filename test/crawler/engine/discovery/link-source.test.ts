import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, it } from "node:test";
import type { CrawlSiteOptions } from "../../../../src/crawler/crawl-site-options.ts";
import { Crawler, type Visit } from "../site-visit.ts";

/** A page of HTML with links, each written as it is given. */
export function linking(...hrefs: readonly string[]): string {
  return `<!doctype html><title>x</title>${hrefs.map((href) => `<a href="${href}">x</a>`).join("\n")}`;
}

const links: Partial<CrawlSiteOptions> = { sources: ["links"] };

/** Paths of pages that were asked for, in their order. */
function asked({ requests }: Visit): string[] {
  return requests.map((request) => request.split(" ")[1] ?? "").filter((path) => path !== "/robots.txt");
}

async function openSite(pages: Readonly<Record<string, string | Uint8Array>>): Promise<Crawler> {
  const crawler = await Crawler.open();
  crawler.site.set(pages);
  return crawler;
}

describe("links", () => {
  it("are followed breadth first, each page once", async () => {
    await using crawler = await openSite({
      "/": linking("/a.html", "/b.html", "/"),
      "/a.html": linking("/a/1.html", "/b.html#part", "../"),
      "/b.html": linking("b/1.html?q=1&amp;r=2", "/a.html"),
      "/a/1.html": linking("/deep.html"),
      "/b/1.html?q=1&r=2": "end",
      "/deep.html": "end",
    });
    const visit = await crawler.visit(links);
    assert.deepEqual(asked(visit), ["/", "/a.html", "/b.html", "/a/1.html", "/b/1.html?q=1&r=2", "/deep.html"]);
    assert.deepEqual([visit.summary.source, visit.summary.created, visit.summary.pending], ["links", 6, 0]);
  });

  it("are followed no deeper than asked; parts of a page are as deep as the page", async () => {
    await using crawler = await openSite({
      "/": linking("/1.html"),
      "/1.html": `${linking("/2.html")}<img src=/1.png><link rel=stylesheet href=/1.css>`,
      "/1.png": "png",
      "/1.css": "p { background: url(/2.png) }",
      "/2.png": "png",
      "/2.html": "2",
    });
    const visit = await crawler.visit({ ...links, maxDepth: 1 });
    assert.deepEqual(asked(visit).sort(), ["/", "/1.css", "/1.html", "/1.png", "/2.png"]);
    const deeper = await crawler.visitNextDay({ ...links, maxDepth: 2 });
    assert.deepEqual(deeper.pages, ["created /2.html"]);
  });

  it("are followed until there are as many pages as asked, and further another time", async () => {
    const paths = Array.from({ length: 9 }, (_, at) => `/${at}.html`);
    await using crawler = await openSite({
      "/": linking("/gone.html", ...paths),
      ...Object.fromEntries(paths.map((path) => [path, path])),
    });
    const first = await crawler.visit({ ...links, maxPages: 4, concurrency: 3 });
    assert.equal(first.summary.created, 4);
    assert.equal(Object.keys(crawler.mirror()).length, 4);
    const second = await crawler.visitNextDay({ ...links, maxPages: 6 });
    assert.equal(second.summary.created, 2);
    assert.equal((await crawler.visitNextDay(links)).summary.created, 4);
  });

  it("are not followed where the page or the link says so", async () => {
    await using crawler = await openSite({
      "/": `<a href=/a.html>a</a><a rel="external nofollow" href=/b.html>b</a><a href=/c.html>c</a>`,
      "/a.html": `<meta name=robots content=nofollow><a href=/d.html>d</a><img src=/a.png>`,
      "/a.png": "png",
      "/b.html": "b",
      "/c.html": `<form action=/f.html><input name=q></form><blockquote cite=/g.html></blockquote><form action=/h.html></form>`,
      "/d.html": "d",
      "/f.html": "f",
      "/g.html": "g",
      "/h.html": "h",
    });
    // A citation and a form that asks for nothing are links (HTML Living Standard 4.4.4 and 4.10.21.3).
    const visit = asked(await crawler.visit(links));
    assert.deepEqual(visit, ["/", "/a.html", "/c.html", "/a.png", "/g.html", "/h.html"]);
  });

  it("are not followed where a field of the page says so, be it for one agent", async () => {
    await using crawler = await openSite({ "/": linking("/a", "/b"), "/c.html": "c", "/d.html": "d" });
    for (const [path, tag, target] of [
      ["/a", "noindex, nofollow", "/c.html"],
      ["/b", "otherbot: nofollow", "/d.html"],
    ] as const)
      crawler.site.answers.set(path, (_, response) =>
        response.writeHead(200, { "content-type": "text/html", "x-robots-tag": tag }).end(linking(target)),
      );
    assert.deepEqual(asked(await crawler.visit(links)), ["/", "/a", "/b", "/d.html"]);
  });

  it("are followed where one page says so and another does not", async () => {
    await using crawler = await openSite({
      "/": linking("/a.html", "/b.html"),
      "/a.html": `<meta name=robots content=nofollow>${linking("/c.html")}`,
      "/b.html": `<a rel=nofollow href=/c.html>c</a>${linking("/c.html")}`,
      "/c.html": "c",
    });
    assert.deepEqual(asked(await crawler.visit(links)), ["/", "/a.html", "/b.html", "/c.html"]);
  });

  it("are relative to the base, and of this site only", async () => {
    await using crawler = await openSite({ "/": "", "/deep/x.html": "x" });
    const other = "http://127.0.0.1:1/y.html";
    crawler.site.set({
      "/": `<base href="/deep/">${linking("x.html", other, "mailto:a@b", "//elsewhere.example/")}`,
    });
    assert.deepEqual(asked(await crawler.visit(links)), ["/", "/deep/x.html"]);
  });

  it("of a redirected page are relative to where it is, and the page is kept once, there", async () => {
    await using crawler = await openSite({
      "/": linking("/old", "/older", "/new/page.html"),
      "/new/page.html": linking("other.html"),
      "/new/other.html": "other",
    });
    for (const path of ["/old", "/older"])
      crawler.site.answers.set(path, (_, response) => response.writeHead(301, { location: "/new/page.html" }).end());
    const visit = await crawler.visit(links);
    assert.deepEqual(visit.pages.toSorted(), ["created /", "created /new/other.html", "created /new/page.html"]);
    assert.equal(visit.summary.created, 3);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/index.html", "/new/other.html", "/new/page.html"]);
    const again = await crawler.visitNextDay(links);
    assert.deepEqual([again.pages, asked(again)], [[], ["/", "/new/page.html", "/new/other.html"]]);
  });

  it("of a page that redirects to a disallowed one are not followed", async () => {
    await using crawler = await openSite({
      "/": linking("/a.html"),
      "/private/b.html": linking("/c.html"),
      "/c.html": "c",
    });
    crawler.site.files.set("/robots.txt", Buffer.from("User-agent: *\nDisallow: /private/\n"));
    crawler.site.answers.set("/a.html", (_, response) =>
      response.writeHead(302, { location: "/private/b.html" }).end(),
    );
    const visit = await crawler.visit(links);
    assert.deepEqual(visit.pages, ["created /", "disallowed /a.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()), ["/index.html"]);
  });

  it("of one path that differ at each visit are 200 in all, until pages go", async () => {
    await using crawler = await Crawler.open();
    const html = { "content-type": "text/html" };
    let nonce = 0;
    let isGone = false;
    crawler.site.answers.set("/", (_, response) => {
      const items = Array.from({ length: 150 }, () => `/item?nonce=${nonce++}`);
      response.writeHead(200, html).end(linking(...items, "/other?x"));
    });
    const answer = ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
      const isOld = isGone && Number(url.split("=")[1]) < 10;
      response.writeHead(isOld ? 410 : 200, html).end("item");
    };
    for (let item = 0; item < 750; item++) crawler.site.answers.set(`/item?nonce=${item}`, answer);
    crawler.site.answers.set("/other?x", answer);
    const visitNextDay = async (): Promise<[created: number, asked: number]> => {
      const visit = await crawler.visitNextDay(links);
      return [visit.summary.created, asked(visit).length];
    };
    assert.deepEqual(await visitNextDay(), [152, 152]);
    assert.deepEqual(await visitNextDay(), [50, 202]);
    assert.deepEqual(await visitNextDay(), [0, 202]);
    isGone = true;
    assert.deepEqual(await visitNextDay(), [0, 202]);
    assert.deepEqual(await visitNextDay(), [10, 202]);
  });

  it("of 100,000 in a page are bounded, and the page is kept", async () => {
    await using crawler = await openSite({
      "/": linking(...Array.from({ length: 100_000 }, (_, at) => `/${at}.html`)),
    });
    const { summary } = await crawler.visit({ ...links, budget: 20 });
    assert.equal(summary.created, 1);
    assert.ok(summary.pending > 10_000 && summary.pending <= 100_000, String(summary.pending));
    assert.equal(summary.pageRequests, 20);
  });

  it("are asked for anew where other types are wanted than before", async () => {
    await using crawler = await openSite({
      "/": `${linking("/a.html", "/doc.pdf")}<img src=/i.png>`,
      "/a.html": `<img src=/j.png>`,
      "/i.png": "i",
      "/j.png": "j",
      "/doc.pdf": "pdf",
    });
    const images = await crawler.visit({ ...links, types: ["image/*"] });
    assert.deepEqual(asked(images).sort(), ["/", "/a.html", "/i.png", "/j.png"]);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/i.png", "/j.png"]);
    const again = await crawler.visitNextDay({ ...links, types: ["image/*"] });
    assert.deepEqual([again.summary.notModified, again.pages], [4, []]);
    const all = await crawler.visitNextDay(links);
    assert.deepEqual(all.pages.toSorted(), ["created /", "created /a.html", "created /doc.pdf"]);
  });
});

/** Answers a path with a redirect. */
function redirect({ site }: Crawler, path: string, location: string): void {
  site.answers.set(path, (_, response) => response.writeHead(302, { location }).end());
}

describe("the target of a redirect", () => {
  it("with a session id is the page without it: a site that gives each visit another one does not grow", async () => {
    await using crawler = await openSite({});
    let sessions = 0;
    let today = new Set<string>();
    crawler.site.around = (response) => {
      const [path = "", session] = (response.req.url ?? "").split(";jsessionid=");
      crawler.site.seen.push({
        path: response.req.url ?? "",
        status: 200,
        conditional: false,
        cacheControl: undefined,
      });
      if (!["/", "/a", "/b"].includes(path)) return void response.writeHead(404).end();
      if (session !== undefined && today.has(session)) {
        const html = path === "/" ? linking(`/a;jsessionid=${session}`, `/b;jsessionid=${session}`) : `page ${path}`;
        return void response.writeHead(200, { "content-type": "text/html" }).end(html);
      }
      today.add(`S${++sessions}`);
      response.writeHead(302, { location: `${path};jsessionid=S${sessions}` }).end();
    };
    for (let day = 0; day < 4; day++) {
      const visit = await crawler.visitNextDay(links);
      const count = asked(visit).length;
      assert.deepEqual([count, visit.summary.deleted], [6, 0], `on day ${day}`);
      today = new Set();
    }
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/a", "/b", "/index.html"]);
  });

  it("is one page, however its URL is written, and a 410 of the other spelling does not remove it", async () => {
    await using crawler = await openSite({ "/": linking("/go", "/list?f={new}") });
    const { answers } = crawler.site;
    redirect(crawler, "/go", "/list?f={new}");
    const list: Parameters<typeof answers.set>[1] = (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("list");
    answers.set("/list?f={new}", list);
    answers.set("/list?f=%7Bnew%7D", list);
    const first = await crawler.visit(links);
    assert.deepEqual(first.pages, ["created /", "created /list?f=%7Bnew%7D"]);
    answers.set("/list?f={new}", (_, response) => response.writeHead(410).end());
    for (let day = 0; day < 3; day++) assert.deepEqual((await crawler.visitNextDay(links)).pages, []);
    assert.equal(Object.keys(crawler.mirror()).length, 2);
  });

  for (const [what, target] of [
    ["part of a trap", "/x/x/x/deep.html"],
    ["longer than URLs that are followed", `/long.html?q=${"x".repeat(2100)}`],
    ["longer than URLs that are kept", `/long.html?q=${"x".repeat(9000)}`],
  ] as const)
    it(`is no page if it is ${what}, unless a list names it`, async () => {
      await using crawler = await openSite({ "/": linking("/go"), [target]: linking("/behind.html") });
      redirect(crawler, "/go", target);
      const first = await crawler.visit(links);
      assert.deepEqual([first.pages, Object.keys(crawler.mirror())], [["created /"], ["/index.html"]]);
      assert.deepEqual(asked(await crawler.visitNextDay(links)), ["/"]);
      await using other = await openSite({ [target]: "named" });
      redirect(other, "/go", target);
      const { pages } = await other.visit({ sources: ["list"], urls: ["/go", target] });
      assert.deepEqual(pages, target.length > 8000 ? [] : [`created ${target}`]);
    });

  it("is requested no more in the visit, and counts once, also where it would come next", async () => {
    await using crawler = await openSite({ "/": linking("/a.html", "/b.html"), "/b.html": "b" });
    redirect(crawler, "/a.html", "/b.html");
    const visit = await crawler.visit(links);
    assert.deepEqual(
      [visit.pages, asked(visit)],
      [
        ["created /", "created /b.html"],
        ["/", "/a.html", "/b.html"],
      ],
    );
  });

  it("is left to its own request if that is under way", async () => {
    await using crawler = await openSite({ "/": linking("/b.html", "/a.html") });
    redirect(crawler, "/a.html", "/b.html");
    let count = 0;
    // The answer to the redirect is whole before that to the own request begins.
    let release = (): void => undefined;
    crawler.site.around = (response, serve) => {
      const requests = response.req.url === "/b.html" ? ++count : 0;
      if (requests === 1) release = serve;
      else {
        if (requests === 2) response.once("close", () => release());
        serve();
      }
    };
    let served = 0;
    crawler.site.answers.set("/b.html", (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(++served === 1 ? "by redirect" : "own request");
    });
    const visit = await crawler.visit({ ...links, concurrency: 2 });
    assert.deepEqual([visit.pages, count], [["created /", "created /b.html"], 2]);
    assert.equal(crawler.mirror()["/b.html"], "own request");
  });

  it("is kept as this visit received it first: what is in the mirror is what is remembered", async () => {
    await using crawler = await openSite({ "/": linking("/b.html", "/a.html") });
    redirect(crawler, "/a.html", "/b.html");
    let count = 0;
    crawler.site.answers.set("/b.html", (_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`request ${++count}`),
    );
    assert.deepEqual((await crawler.visit(links)).pages, ["created /", "created /b.html"]);
    assert.deepEqual([count, crawler.mirror()["/b.html"]], [2, "request 1"]);
  });
});

describe("a crawl by links", () => {
  it("asks for new pages within its budget and goes on in the next visit", async () => {
    const paths = Array.from({ length: 10 }, (_, at) => `/${at}.html`);
    await using crawler = await openSite({
      "/": linking(...paths),
      ...Object.fromEntries(paths.map((path) => [path, path])),
    });
    const visits: number[][] = [];
    for (let day = 0; day < 4; day++) {
      const { summary } = await crawler.visitNextDay({ ...links, budget: 4 });
      visits.push([summary.created, summary.pageRequests, summary.pending]);
    }
    assert.deepEqual(
      visits.map(([created]) => created),
      [4, 4, 3, 0],
    );
    assert.deepEqual(
      visits.map(([, , pending]) => pending),
      [7, 3, 0, 0],
    );
    assert.ok(visits.every(([, requests = 0]) => requests <= 4));
    assert.equal(Object.keys(crawler.mirror()).length, 11);
  });

  it("counts further attempts against the budget", async () => {
    await using crawler = await openSite({ "/": linking("/a.html", "/b.html") });
    crawler.site.answers.set("/a.html", (_, response) => response.writeHead(503).end());
    const { summary } = await crawler.visit({ ...links, budget: 2 });
    assert.equal(summary.pageRequests, 2);
  });

  it("asks for a page that fails once a visit, however new it is", async () => {
    await using crawler = await openSite({ "/": linking("/a.html") });
    crawler.site.answers.set("/a.html", (_, response) => response.writeHead(403).end());
    assert.deepEqual(asked(await crawler.visit(links)), ["/", "/a.html"]);
  });

  it("keeps from what robots.txt disallows until it changes", async () => {
    await using crawler = await openSite({
      "/": linking("/a.html", "/private/b.html"),
      "/a.html": "a",
      "/private/b.html": "b",
    });
    const robots = (text: string): void => void crawler.site.files.set("/robots.txt", Buffer.from(text));
    robots("User-agent: *\nDisallow: /private/\n");
    const first = await crawler.visit(links);
    assert.deepEqual(asked(first), ["/", "/a.html"]);
    assert.equal(first.summary.disallowed, 1);
    assert.deepEqual(asked(await crawler.visitNextDay(links)), ["/", "/a.html"]);
    robots("User-agent: *\nDisallow: /a.html\n");
    const third = await crawler.visitNextDay(links);
    assert.deepEqual(third.pages, ["created /private/b.html", "disallowed /a.html"]);
    assert.deepEqual(Object.keys(crawler.mirror()).sort(), ["/a.html", "/index.html", "/private/b.html"]);
  });

  it("reads links of pages that another source brought", async () => {
    await using crawler = await openSite({ "/": linking("/a.html"), "/a.html": linking("/b.html"), "/b.html": "b" });
    await crawler.visit({ sources: ["list"], urls: ["/", "/a.html"] });
    assert.deepEqual((await crawler.visitNextDay(links)).pages, ["created /b.html"]);
  });

  it("that ends in the middle is gone on with, and asks for nothing twice", async () => {
    const paths = Array.from({ length: 30 }, (_, at) => `/${at}.html`);
    await using crawler = await openSite({
      "/": linking(...paths),
      ...Object.fromEntries(paths.map((path) => [path, path])),
    });
    const abort = new AbortController();
    crawler.site.answers.set("/9.html", () => abort.abort());
    await assert.rejects(crawler.visit({ ...links, signal: abort.signal }), { code: "aborted" });
    const before = crawler.site
      .takeRequests()
      .filter((request) => request.startsWith("200") && request !== "200 /robots.txt");
    assert.equal(before.length >= 9, true);
    const rest = await crawler.visitNextDay(links);
    const fetched = [...before, ...rest.requests].filter(
      (request) => request.startsWith("200 ") && request.endsWith(".html"),
    );
    assert.equal(new Set(fetched).size, 30);
    assert.ok(fetched.length <= 32, String(fetched.length));
    assert.equal(Object.keys(crawler.mirror()).length, 31);
  });
});
