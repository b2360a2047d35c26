import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { PathSample } from "../../../src/exporter/naming/path-sample.ts";
import { proposeSite } from "../../../src/exporter/setup/site-proposal.ts";
import { serveFolder } from "../../../src/server/folder-server.ts";
import { fc } from "../../property.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";

function makeSite(files: Readonly<Record<string, string>>): TempFolder & { readonly docroot: string } {
  const folder = makeTempFolder();
  const docroot = join(folder.path, "site");
  mkdirSync(docroot);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(docroot, name), content);
  return { ...folder, docroot };
}

/** A site that nobody exported on this machine. */
const baseUrl = "https://proposal-test.example/";
const allowedHosts = ["proposal-test.example"];

async function withServer<T>(listener: RequestListener, act: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("a proposal for a site", () => {
  it("says what an export would do, and that the server serves these files", async () => {
    using site = makeSite({ "index.html": "<p>home", "a b%.txt": "note", ".env": "secret" });
    await using server = await closing(await serveFolder({ folder: site.docroot, allowedHosts }));
    const { settings, summary, findings, baseUrlFrom } = await proposeSite({
      docroot: site.docroot,
      baseUrl,
      serverUrl: server.url,
    });
    assert.deepEqual([settings.baseUrl, settings.docroot, baseUrlFrom], [baseUrl, site.docroot, "option"]);
    assert.deepEqual([summary.created, summary.dryRun, summary.withheld], [2, true, 1]);
    assert.deepEqual(
      findings.map(({ isFine }) => isFine),
      [true, true, true],
      JSON.stringify(findings),
    );
    assert.match(findings[0]?.message ?? "", /^2 of 2 sampled pages/);
    assert.deepEqual(readdirSync(site.docroot).sort(), [".env", "a b%.txt", "index.html"]);
  });

  it("names files as the site's own links do, where the server answers so", async () => {
    using site = makeSite({
      "index.html": '<a href="/">home</a><a href="docs/">docs</a><a href="/about">about</a><a href="/gone/">gone</a>',
      "about.html": "<p>about",
      "docs.txt": "note",
    });
    mkdirSync(join(site.docroot, "docs"));
    writeFileSync(join(site.docroot, "docs/index.html"), "<p>docs");
    const options = { docroot: site.docroot, baseUrl };
    const answer = (clean: boolean): RequestListener => {
      const files: Record<string, string> = { "/": "index.html", "/docs/": "docs/index.html" };
      if (clean) files["/about"] = "about.html";
      return (request, response) => {
        const url = request.url ?? "";
        const file = join(site.docroot, files[url] ?? url);
        if (existsSync(file)) response.end(readFileSync(file));
        else response.writeHead(404).end();
      };
    };
    const clean = await withServer(answer(true), (serverUrl) => proposeSite({ ...options, serverUrl }));
    assert.deepEqual([clean.settings.index, clean.settings.cleanUrls], [undefined, true]);
    const folders = await withServer(answer(false), (serverUrl) => proposeSite({ ...options, serverUrl }));
    assert.deepEqual([folders.settings.index, folders.settings.cleanUrls], [["index.html"], undefined]);
    assert.match(folders.findings.find(({ isFine }) => !isFine)?.message ?? "", /link to "\/about".*404/);
    assert.ok(folders.findings.some(({ message }) => message.includes("--index index.html")));
  });

  it("names files as pages call themselves, if no server answers, and as the server shows them, if no page says", async () => {
    using said = makeSite({
      "index.html": '<link rel="canonical" href="/">',
      "about.html": '<link rel="canonical" href="/about">',
    });
    const offline = await proposeSite({ docroot: said.docroot, baseUrl, serverUrl: "http://127.0.0.1:9/" });
    assert.deepEqual([offline.settings.index, offline.settings.cleanUrls], [undefined, true]);
    assert.ok(offline.findings.some(({ message }) => /call themselves as "\/about" does/.test(message)));
    using silent = makeSite({ "index.html": "<p>home", "about.html": "<p>about" });
    const redirecting: RequestListener = ({ url = "" }, response) => {
      const file = join(silent.docroot, url === "/" ? "index.html" : `${url}.html`);
      if (url.endsWith(".html")) response.writeHead(301, { location: url.replace(/(?:index)?\.html$/, "") }).end();
      else if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    };
    const { settings, findings } = await withServer(redirecting, (serverUrl) =>
      proposeSite({ docroot: silent.docroot, baseUrl, serverUrl }),
    );
    assert.deepEqual([settings.index, settings.cleanUrls], [undefined, true]);
    assert.ok(findings.some(({ message }) => /shows "\/about\.html" only as "\/about"/.test(message)));
    await using plain = await closing(await serveFolder({ folder: silent.docroot }));
    const both = await proposeSite({ docroot: silent.docroot, baseUrl, serverUrl: plain.url });
    assert.deepEqual([both.settings.index, both.settings.cleanUrls], [undefined, undefined]);
  });

  it("finds of a site that is published already, and did not change, what it finds of a new one", async () => {
    using site = makeSite({
      "index.html": '<link rel="canonical" href="/">',
      "about.html": '<link rel="canonical" href="/about">',
    });
    const listener: RequestListener = ({ url = "" }, response) => {
      const file = join(site.docroot, url === "/" ? "index.html" : /\.\w+$/.test(url) ? url : `${url}.html`);
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    };
    const stateDir = join(site.path, "state");
    const options = { docroot: site.docroot, baseUrl, stateDir };
    await exportSite(options);
    await withServer(listener, async (serverUrl) => {
      const { settings, summary, findings } = await proposeSite({ ...options, serverUrl });
      assert.deepEqual([summary.created, summary.unchanged, settings.cleanUrls], [0, 2, true]);
      assert.match(findings[0]?.message ?? "", /^2 of 2 sampled pages/);
    });
    assert.deepEqual(readdirSync(stateDir).includes("none"), false);
  });

  it("leaves out the page that static hosts show for missing pages, and says so", async () => {
    using site = makeSite({ "index.html": "<p>home", "404.html": "<p>gone", "a404.html": "<p>a page about 404" });
    const { settings, findings } = await proposeSite({
      docroot: site.docroot,
      baseUrl,
      serverUrl: "http://127.0.0.1:9/",
    });
    assert.deepEqual(settings.exclude, ["404.html"]);
    assert.ok(findings.some(({ message }) => message.includes("--exclude 404.html")));
  });

  it("leaves the names of files where pages call themselves by them, whatever links say", async () => {
    using site = makeSite({ "index.html": '<link rel=canonical href="/index.html"><a href="/">home</a>' });
    await using server = await closing(await serveFolder({ folder: site.docroot, allowedHosts }));
    const { settings } = await proposeSite({ docroot: site.docroot, baseUrl, serverUrl: server.url });
    assert.equal(settings.index, undefined);
  });

  it("proposes to map a folder beside the document root if the server shows it, and says what it cannot settle", async () => {
    using site = makeSite({
      "index.html": '<link rel=canonical href="https://www.proposal-test.example/index.html"><img src="/static/a.png">',
      "b.html": '<link rel=canonical href="https://www.proposal-test.example/b.html">',
    });
    const folder = join(site.path, "static");
    mkdirSync(folder);
    writeFileSync(join(folder, "a.png"), "png");
    await using server = await closing(await serveFolder({ folder: site.path, allowedHosts }));
    const asked = { docroot: site.docroot, baseUrl, serverUrl: server.url };
    const { settings, findings } = await proposeSite(asked);
    assert.deepEqual(settings.map, [{ urlPrefix: "/static/", folder }]);
    assert.ok(findings.some(({ isFine, message }) => !isFine && /--base-url https:\/\/www\.proposal/.test(message)));
    await using other = await closing(await serveFolder({ folder: site.docroot, allowedHosts }));
    assert.equal((await proposeSite({ ...asked, serverUrl: other.url })).settings.map, undefined);
  });

  it("finds out whether the server puts in what pages include", async () => {
    using site = makeSite({
      "index.html": '<p>home<!--#include virtual="/foot.html" -->',
      "a.html": "<p>a",
      "foot.html": "foot",
    });
    const options = { docroot: site.docroot, baseUrl };
    const answer =
      (processes: boolean): RequestListener =>
      (request, response) => {
        const file = join(site.docroot, request.url === "/" ? "index.html" : (request.url ?? ""));
        const text = existsSync(file) ? readFileSync(file, "utf8") : "";
        response.end(processes ? text.replace(/<!--#.*?-->/, "foot") : text);
      };
    for (const processes of [true, false]) {
      const { settings, findings } = await withServer(answer(processes), (serverUrl) =>
        proposeSite({ ...options, serverUrl }),
      );
      assert.equal(settings.ssi, processes ? undefined : "off");
      assert.match(findings[0]?.message ?? "", /^2 of 2 sampled pages/);
      const said = processes ? /processes includes/ : /--ssi off/;
      assert.ok(findings.some(({ message }) => said.test(message)));
    }
  });

  it("asks by the name of the site", async () => {
    using site = makeSite({ "index.html": "<p>home" });
    const hosts = new Set<string | undefined>();
    await withServer(
      (request, response) => {
        hosts.add(request.headers.host);
        response.writeHead(404).end();
      },
      (serverUrl) => proposeSite({ docroot: site.docroot, baseUrl, serverUrl }),
    );
    assert.deepEqual([...hosts], ["proposal-test.example"]);
  });

  it("sees a server of other files, another robots.txt, and a closed /.well-known/", async () => {
    using site = makeSite({ "index.html": "<p>home", "a.txt": "note" });
    const { findings } = await withServer(
      (request, response) => {
        if (request.url?.startsWith("/.well-known/") === true) response.writeHead(403).end();
        else if (request.url === "/robots.txt") response.end("User-agent: *\nDisallow:\n");
        else if (request.url === "/a.txt") response.end("tone");
        else response.end("<p>other");
      },
      (serverUrl) => proposeSite({ docroot: site.docroot, baseUrl, serverUrl }),
    );
    assert.deepEqual(
      findings.map(({ isFine }) => isFine),
      [false, false, false],
    );
    const [pages, robots, wellKnown] = findings.map(({ message }) => message);
    assert.match(
      pages ?? "",
      /^0 of 2 .*\/a\.txt has different bytes of the same length; \/index\.html has 8 bytes instead of 7\. Is it this/,
    );
    assert.match(robots ?? "", /status 200\) is not in the document root: .*--robots-dir/);
    assert.match(wellKnown ?? "", /status 403/);
  });

  it("sees an address that leads elsewhere, and a server that does not answer", async () => {
    using site = makeSite({ "index.html": "<p>home" });
    let deadUrl = "";
    const { findings } = await withServer(
      (_, response) => response.writeHead(301, { location: "https://www.proposal-test.example/" }).end(),
      (serverUrl) => {
        deadUrl = serverUrl;
        return proposeSite({ docroot: site.docroot, baseUrl, serverUrl });
      },
    );
    assert.match(findings[0]?.message ?? "", /leads elsewhere/);
    const dead = await proposeSite({ docroot: site.docroot, baseUrl, serverUrl: deadUrl });
    assert.match(dead.findings[0]?.message ?? "", /does not answer .*nothing was compared/);
    assert.equal(dead.findings.length, 1);
  });

  it("goes on with the state of the export that publishes the site, or says that it is not known", async () => {
    using site = makeSite({ "index.html": "<p>home" });
    const { HOME } = process.env;
    process.env.HOME = site.path;
    try {
      const propose = async (stateDir?: string) => {
        const events: string[] = [];
        const { settings, findings } = await proposeSite({
          docroot: site.docroot,
          baseUrl,
          serverUrl: "http://127.0.0.1:9/",
          ...(stateDir === undefined ? {} : { stateDir }),
          onEvent: (event) => void (event.event === "warning" && events.push(event.code)),
        });
        const said = findings.filter(({ message }) => /not in .*name its folder with --state/.test(message));
        return [settings.stateDir, said.map(({ isFine }) => isFine), events];
      };
      const elsewhere = join(site.path, "state");
      await exportSite({ docroot: site.docroot, baseUrl, stateDir: elsewhere });
      assert.deepEqual(await propose(), [undefined, [false], []], "no state");
      assert.deepEqual(await propose(elsewhere), [elsewhere, [], []]);
      await exportSite({ docroot: site.docroot, baseUrl });
      assert.deepEqual(await propose(), [undefined, [], []], "the default state");
      assert.deepEqual(await propose(elsewhere), [elsewhere, [false], []], "another's state");
    } finally {
      process.env.HOME = HOME;
    }
  });

  it("says that the folder is not there before it asks for anything else", async () => {
    using folder = makeTempFolder();
    await assert.rejects(proposeSite({ docroot: join(folder.path, "none") }), { code: "not-found" });
  });

  it("finds the address in robots.txt or the home page, and asks no server then", async () => {
    const canonical = '<html><link href="https://home.example/x" rel="canonical">';
    using both = makeSite({ "index.html": canonical, "robots.txt": "Sitemap: https://robots.example/sitemap.xml\n" });
    using home = makeSite({ "index.html": canonical });
    using neither = makeSite({
      "index.html": "<link rel=canonical href=/relative>",
      "robots.txt": "Sitemap: javascript:x\n",
    });
    const of = async ({ docroot }: { docroot: string }) => {
      const { settings, baseUrlFrom, findings } = await proposeSite({ docroot });
      return [settings.baseUrl, baseUrlFrom, findings.length];
    };
    assert.deepEqual(await of(both), ["https://robots.example/", "robots.txt", 0]);
    assert.deepEqual(await of(home), ["https://home.example/", "home page", 0]);
    await assert.rejects(of(neither), { code: "bad-option", hint: /--base-url/ });
  });
});

async function closing<T extends { close(): Promise<void> }>(server: T): Promise<T & AsyncDisposable> {
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}

test("a sample has as many paths as are wanted, different ones, from all over", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 3000 }), (size, count) => {
      const sample = new PathSample(size);
      for (let at = 0; at < count; at++) sample.add(String(at));
      const { paths } = sample;
      assert.equal(new Set(paths).size, paths.length);
      assert.equal(paths.length, Math.min(size, count));
      // No gap between two is larger than a few times what an even spread would have.
      const places = [...paths.map(Number), count];
      for (const [at, place] of places.entries()) {
        if (at > 0) assert.ok(place - (places[at - 1] ?? 0) <= 4 * Math.ceil(count / size) + 1, `${places}`);
      }
    }),
  );
});
