import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import type { CrawlSummary } from "../../src/core/crawl-event.ts";
import { readCrawlChanges } from "../../src/crawler/read-crawl-changes.ts";
import type { MergeSummary, ShareSummary } from "../../src/share/index.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runTidemark, summaryOf } from "./command.ts";
import { crawl, crawlUntil, killShares, readShare } from "./kill-shares.ts";
import { requireProgram, skipWithout } from "./programs.ts";
import { startWebServer } from "./web-server.ts";

const reader = join(repositoryFolder(), "test", "interop", "share-reader.py");
const skip = skipWithout("nginx", "apache2", "python3", "openssl");

test("the reader has at most 60 lines", () => {
  assert.ok(readFileSync(reader, "utf8").trimEnd().split("\n").length <= 60);
});

/** The lines of a server's configuration that are documented. */
function documentedLines(kind: "nginx" | "apache"): string {
  const text = readFileSync(join(repositoryFolder(), "docs/protocol.md"), "utf8");
  const [, lines] = new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  assert.ok(lines !== undefined);
  return lines;
}

function setPages(docroot: string, pages: Readonly<Record<string, string | undefined>>): void {
  for (const [name, body] of Object.entries(pages)) {
    if (body === undefined) rmSync(join(docroot, name));
    else writeFileSync(join(docroot, name), body);
  }
}

const openssl = (...args: readonly string[]): string =>
  execFileSync(requireProgram("openssl"), args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Verifies what a server serves as docs/protocol.md says, with openssl. */
async function verifyShare(folder: string, url: string, shared: string): Promise<void> {
  const get = async (of: string): Promise<Buffer> => {
    const answer = await fetch(of);
    assert.equal(answer.status, 200, of);
    return Buffer.from(await answer.arrayBuffer());
  };
  const fields = (await get(`${url}/robots.shr`)).toString().split("\n");
  const fieldOf = (name: string): string =>
    fields.find((field) => field.startsWith(`${name}: `))?.slice(name.length + 2) ?? assert.fail(name);
  const [publicKey, text, signature] = ["public.der", "text", "signature"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  // RFC 8410: what comes before the key's 32 bytes is the same for every Ed25519 key.
  const key = Buffer.from(fieldOf("x-tidemark-ed25519"), "base64url");
  writeFileSync(publicKey, Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), key]));
  const days = readdirSync(join(shared, "share")).filter((name) => name.endsWith(".dat"));
  assert.ok(days.length > 0);
  for (const file of [...days.map((name) => fieldOf("repository") + name), fieldOf("x-tidemark-archives")]) {
    const bytes = await get(file);
    // fetch has taken off a content coding; whether that was the file's own compression, its first bytes tell.
    const content = bytes.readUInt16BE() === 0x1f8b ? gunzipSync(bytes) : bytes;
    const digest = createHash("sha256").update(content).digest("hex");
    writeFileSync(text, `tidemark-share-signature 1\n${file}\n${digest}\n`);
    const [newest = ""] = (await get(`${file}.sig`)).toString().split("\n");
    writeFileSync(signature, Buffer.from(newest, "base64url"));
    const verify = ["pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", publicKey, "-rawin"];
    assert.match(openssl(...verify, "-in", text, "-sigfile", signature), /Signature Verified Successfully/);
  }
}

for (const kind of ["nginx", "apache2"] as const)
  test(`what a crawler saw is shared by ${kind}, read by a reader of 60 lines, and merged by another crawler`, {
    skip,
    timeout: 120_000,
  }, async () => {
    using folder = makeTempFolder();
    const [docroot, shared, one, two] = ["site", "shared", "one", "two"].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
      string,
    ];
    for (const path of [docroot, shared]) mkdirSync(path);
    const names = Array.from({ length: 40 }, (_, at) => `p${at}.html`);
    setPages(docroot, { "index.html": names.map((name) => `<a href="/${name}">x</a>`).join("") });
    setPages(docroot, Object.fromEntries(names.map((name) => [name, `page ${name}`])));
    await using site = await startWebServer("nginx", docroot);
    const snippet = documentedLines(kind === "nginx" ? "nginx" : "apache");
    await using server = await startWebServer(kind, shared, { snippet });
    for (const into of [one, two]) summaryOf<CrawlSummary>(await crawl(site.url, into));
    const keyFile = join(folder.path, "key.pem");
    openssl("genpkey", "-algorithm", "ed25519", "-out", keyFile);
    const share = async (): Promise<ShareSummary> =>
      summaryOf(
        await runTidemark(["share", "--from", one, "--into", shared, "--url", server.url, "--sign", keyFile, "--json"]),
      );
    const merge = async (): Promise<MergeSummary> =>
      summaryOf(await runTidemark(["merge", server.url, "--into", two, "--days", "2", "--json"]));
    assert.equal((await share()).events, 41);

    const read = (await readShare(server.url, 2)).map((line) => line.split("\t"));
    using seen = readCrawlChanges({ store: one });
    const held = [...seen.changes].map(({ url, page, at }) => ["C", page?.sizeBytes, page?.lastModified, at, url]);
    assert.deepEqual(
      read.map(([stat, size, lmd, lpd, , url]) => [stat, Number(size), Number(lmd), Number(lpd), url]).sort(),
      held.sort(),
    );
    assert.deepEqual(new Set(read.map((fields) => fields[4])).size, 1);
    // The second crawler saw all of it after the first.
    assert.deepEqual([(await merge()).sooner, (await merge()).peers[0]?.unmodified], [0, 1]);

    setPages(docroot, { "p7.html": "changed", "p8.html": "changed, too", "p9.html": undefined, "new.html": "new" });
    setPages(docroot, { "index.html": `<a href="/new.html">x</a>${readFileSync(join(docroot, "index.html"))}` });
    await crawlUntil(site.url, one, 3);
    await share();
    // A page that is missing once is no deletion yet.
    const merged = await merge();
    assert.deepEqual([merged.added, merged.sooner], [1, 3]);
    await site.takeLog();
    summaryOf(await crawl(site.url, two, "--budget", "4"));
    const paths = (await site.takeLog()).map(({ uri }) => uri).filter((uri) => uri !== "/robots.txt");
    assert.deepEqual(paths.sort(), ["/", "/new.html", "/p7.html", "/p8.html"]);
    await verifyShare(folder.path, server.url, shared);
    // The days' files are compressed for those who ask.
    await server.takeLog();
    await readShare(server.url, 1);
    const [sent] = (await server.takeLog()).filter(({ uri }) => uri.endsWith(".dat"));
    const [day] = /\d+\.dat/.exec(sent?.uri ?? "") ?? [];
    assert.ok((sent?.bytes ?? Number.POSITIVE_INFINITY) < readFileSync(join(shared, "share", day ?? "")).length / 3);
  });

test("share and merge that are killed at any instant lose no event and apply none twice", {
  skip,
  timeout: 280_000,
}, async () => {
  const report = await killShares({ times: 30, seed: 20_261_125, pages: 300 });
  assert.ok(report.killed >= 30 && report.publications > 0);
});
