import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { TidemarkError } from "../../src/core/error.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { dayFileName, dayOf, formatWebEvent } from "../../src/formats/web-events/day-file.ts";
import { formatShareControl, parseShareControl } from "../../src/formats/web-events/share-control.ts";
import {
  formatSignedText,
  isSignatureKey,
  parseSignatures,
  signatureKeyField,
} from "../../src/formats/web-events/share-signature.ts";
import { makeIdentity } from "../../src/http/identity.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import { DayFiles } from "../../src/share/day-files.ts";
import { signatureKeyOf } from "../../src/share/engine/peer-signatures.ts";
import { FileSigner, isSigned } from "../../src/share/file-signature.ts";
import { type MergeSummary, mergeEvents } from "../../src/share/merge-events.ts";
import { shareEvents } from "../../src/share/share-events.ts";
import { Crawler } from "../crawler/engine/site-visit.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Merger } from "./merger.ts";

const fixtures = join(repositoryFolder(), "fixtures/web-events");
const golden = (name: string): string => join(fixtures, "signed", name);

/** A peer's key, which signs as docs/protocol.md says. */
class Key {
  readonly key: KeyObject = generateKeyPairSync("ed25519").privateKey;
  readonly text: string = createPublicKey(this.key).export({ format: "jwk" }).x as string;

  sign(url: string, content: string | Uint8Array): string {
    const digest = createHash("sha256").update(content).digest("hex");
    return sign(null, Buffer.from(formatSignedText(url, digest)), this.key).toString("base64url");
  }
}

const control = (...lines: readonly string[]): string =>
  `version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\n${lines.map((line) => `${line}\n`).join("")}`;

/** Lets a peer tell a change of a page today. @returns the path of the file, and its content */
function tell(merger: Merger, key: Key | undefined, path = "/a"): [file: string, content: string] {
  const file = `/share/${merger.today}.dat`;
  const content = formatWebEvent(merger.event(path));
  const { answers } = merger.peer;
  answers.set("/robots.shr", control(...(key === undefined ? [] : [`${signatureKeyField}: ${key.text}`])));
  answers.set(file, content);
  if (key !== undefined) answers.set(`${file}.sig`, `${key.sign(new URL(file, merger.peer.url).href, content)}\n`);
  return [file, content];
}

const problemOf = ({ peers }: MergeSummary): string => peers[0]?.problem ?? "none";

test("a day's file is merged if it is signed, also when its signatures are of the version after", async () => {
  await using merger = await Merger.open();
  const key = new Key();
  const [file, content] = tell(merger, key);
  const url = new URL(file, merger.peer.url).href;
  const later = key.sign(url, "the version after");
  merger.peer.answers.set(`${file}.sig`, `${later}\n${key.sign(url, content)}\n`);
  const merged = await merger.merge();
  assert.deepEqual([problemOf(merged), merged.sooner], ["none", 1]);
  assert.deepEqual(merger.peer.requests, ["/robots.shr", `/share/${merger.today - 1}.dat`, file, `${file}.sig`]);
});

// Each row: what is wrong, the file's signatures, and what is said of it.
for (const [what, forge, said] of [
  ["of another key", (url: string, content: string) => `${new Key().sign(url, content)}\n`, /its signature is false/],
  ["of other bytes", (url: string, _: string, key: Key) => `${key.sign(url, "")}\n`, /its signature is false/],
  [
    "of another file",
    (url: string, content: string, key: Key) => `${key.sign(`${url}x`, content)}\n`,
    /its signature is false/,
  ],
  ["missing", () => undefined, /it is not signed: the server answered 404/],
  ["empty", () => "", /its signature is malformed/],
  [
    "too many",
    (url: string, content: string, key: Key) => `${key.sign(url, content)}\n`.repeat(3),
    /it is not signed: .*256 are allowed/,
  ],
  ["endless", () => "A".repeat(1e6), /it is not signed: .*256 are allowed/],
] as const)
  test(`nothing of a file is merged whose signature is ${what}`, async () => {
    await using merger = await Merger.open();
    const key = new Key();
    const [file, content] = tell(merger, key);
    const before = merger.rows();
    const forged = forge(new URL(file, merger.peer.url).href, content, key);
    if (forged === undefined) merger.peer.answers.delete(`${file}.sig`);
    else merger.peer.answers.set(`${file}.sig`, forged);
    const merged = await merger.merge();
    assert.match(problemOf(merged), said);
    assert.deepEqual([merged.sooner, merged.peers[0]?.events, merger.rows()], [0, 0, before]);
    // It comes again.
    tell(merger, key);
    assert.equal((await merger.merge()).sooner, 1);
  });

test("a signed file that is larger than what is held in memory is not read", async () => {
  await using merger = await Merger.open();
  const [file] = tell(merger, new Key());
  const body = Buffer.alloc(64 * 1024 * 1024 + 1, "\n");
  merger.peer.answers.set(file, body);
  assert.match(problemOf(await merger.merge()), /67108864 are allowed/);
  assert.ok(!merger.peer.requests.includes(`${file}.sig`));
});

test("a peer is held to the key that it first showed, even if nothing was merged, until another one is accepted", async () => {
  await using merger = await Merger.open();
  const { peer } = merger;
  const [first, second] = [new Key(), new Key()];
  const [file] = tell(merger, first);
  peer.answers.delete(`${file}.sig`);
  assert.match(problemOf(await merger.merge({ days: 1 })), /it is not signed/);
  const refused = async (said: RegExp): Promise<void> => {
    peer.requests.splice(0);
    const merged = await merger.merge();
    assert.match(problemOf(merged), said);
    assert.deepEqual([merged.sooner, peer.requests], [0, ["/robots.shr"]]);
  };
  tell(merger, second);
  await refused(new RegExp(`its key is ${second.text}, and until now it was ${first.text}.*--accept-key`));
  tell(merger, undefined);
  await refused(/it has no key any more.*--accept-key/);
  // Another folder is no way around it, nor is it what is accepted that counts twice.
  tell(merger, second);
  peer.answers.set("/robots.shr", control(`${signatureKeyField}: ${second.text}`).replace("/share/", "/moved/"));
  await refused(/its key is/);
  tell(merger, second);
  assert.equal((await merger.merge({ isAcceptingKey: true })).sooner, 1);
  assert.equal(problemOf(await merger.merge()), "none");
  tell(merger, first);
  await refused(new RegExp(`until now it was ${second.text}`));
  peer.answers.set("/robots.shr", control(`${signatureKeyField}: ${first.text}`).replace("/share/", "/moved/"));
  await refused(/its key is/);
  peer.answers.set("/robots.shr", control(`${signatureKeyField}: ${second.text}`).replace("/share/", "/moved/"));
  await merger.merge();
  tell(merger, first);
  await refused(/its key is/);
  tell(merger, undefined);
  assert.equal(problemOf(await merger.merge({ isAcceptingKey: true })), "none");
});

test("a key that is none is refused, also of a peer that had none, and also if it is to be accepted", async () => {
  await using merger = await Merger.open();
  const { text } = new Key();
  for (const lines of [["x"], [""], [`${text}=`], [text.slice(1)], [`${text.slice(0, 42)}B`], [text, text]]) {
    merger.peer.answers.set("/robots.shr", control(...lines.map((line) => `${signatureKeyField}: ${line}`)));
    for (const isAcceptingKey of [false, true])
      assert.match(problemOf(await merger.merge({ isAcceptingKey })), /is not one key of 43 characters/, lines.join());
  }
});

test("keys and signatures have one form", () => {
  const [key, signature] = ["A".repeat(43), "A".repeat(86)];
  assert.deepEqual([key, `${key}A`, `${key.slice(1)}B`, `${key}\n`, key.slice(1)].map(isSignatureKey), [
    true,
    false,
    false,
    false,
    false,
  ]);
  const texts = [`${signature}\n`, signature, `${signature}\r\n`, `${signature.slice(1)}B\n`, `\n${signature}\n`];
  assert.deepEqual(texts.map(parseSignatures), [[signature], undefined, undefined, undefined, undefined]);
  // All bytes of a key are no point of the curve: nothing is signed with it, and nothing is thrown.
  const file = { url: "http://a.example/", content: Buffer.from(""), signatures: [signature] };
  for (const bad of [`_${"_".repeat(41)}8`, `f${"_".repeat(41)}8`])
    assert.equal(isSigned({ ...file, key: bad }), false);
});

const goldenRepository = "https://crawler.example/share/";
const goldenFiles = [
  ["11669.dat", "1.0/11669.dat"],
  ["archives/index.gz", "2/index.gz"],
] as const;

// fixtures/README.md names this switch. Bytes that changed need a new version, not new fixtures.
if (process.env.TIDEMARK_WRITE_FIXTURES === "1") {
  const signer = new FileSigner(golden("key.pem"), goldenRepository);
  const others = [[signatureKeyField, signer.publicKey]] as const;
  const crawler = "crawler.example:443 tidemark/0.1.0";
  const control = { version: "1.0", crawler, special: [], repository: goldenRepository, others };
  writeFileSync(golden("robots.shr"), formatShareControl(control));
  for (const [name, file] of goldenFiles)
    writeFileSync(golden(`${basename(name)}.sig`), `${await signer.sign(name, join(fixtures, file))}\n`);
}

test("the golden signatures are those that the code writes, and they are true", async () => {
  const signer = new FileSigner(golden("key.pem"), goldenRepository);
  const url = "https://crawler.example/robots.shr";
  const read = parseShareControl(readFileSync(golden("robots.shr"), "utf8"), url);
  assert.ok(read.ok);
  // Test 1 of RFC 8032, section 7.1.
  const key = Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex");
  assert.equal(signatureKeyOf(read.value.others), key.toString("base64url"));
  assert.equal(signer.publicKey, key.toString("base64url"));
  for (const [name, file] of goldenFiles) {
    const signature = await signer.sign(name, join(fixtures, file));
    assert.equal(`${signature}\n`, readFileSync(golden(`${basename(name)}.sig`), "utf8"));
    const bytes = readFileSync(join(fixtures, file));
    const content = name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    const signed = { key: signer.publicKey, url: goldenRepository + name, content, signatures: [signature] };
    assert.equal(isSigned(signed), true);
    assert.equal(isSigned({ ...signed, content: content.subarray(1) }), false);
  }
});

/** Two crawlers of a site; the first shares with a key, the second merges. */
class SignedShare implements AsyncDisposable {
  readonly crawler: Crawler;
  readonly folders: { readonly one: string; readonly two: string; readonly into: string };
  readonly #server: Awaited<ReturnType<typeof serveFolder>>;

  constructor(crawler: Crawler, folders: SignedShare["folders"], server: Awaited<ReturnType<typeof serveFolder>>) {
    this.crawler = crawler;
    this.folders = folders;
    this.#server = server;
  }

  static async open(): Promise<SignedShare> {
    const crawler = await Crawler.open();
    crawler.site.set({ "/": '<a href="/a">a</a><a href="/b">b</a>', "/a": "a", "/b": "b" });
    crawler.site.answers.set("/", (_, response) => response.setHeader("content-type", "text/html"));
    const [one = "", two = "", into = ""] = ["one", "two", "shared"].map((name) => join(crawler.folder.path, name));
    mkdirSync(into);
    const share = new SignedShare(crawler, { one, two, into }, await serveFolder({ folder: into }));
    for (const folder of [two, one]) await share.visit(folder);
    return share;
  }

  get url(): string {
    return this.#server.url;
  }

  async visit(into: string = this.folders.one): Promise<void> {
    this.crawler.now += 3_600_000;
    await this.crawler.visit({ into, sources: ["links"] });
  }

  makeKey(name: string): string {
    const file = join(this.crawler.folder.path, `${name}.pem`);
    const { privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }));
    return file;
  }

  async share(keyFile?: string, signal?: AbortSignal): Promise<void> {
    // What was answered is written a little later.
    this.crawler.now += 10_000;
    const { one: from, into } = this.folders;
    const clock = (): number => this.crawler.now;
    const options = { from, into, url: this.url, moniker: "one/1", clock };
    await shareEvents({ ...options, ...omitUndefined({ keyFile, signal }) });
  }

  async merge(more: { readonly isAcceptingKey?: boolean } = {}): Promise<MergeSummary> {
    const clock = (): number => this.crawler.now;
    return await mergeEvents({ peers: [this.url], into: this.folders.two, clock, days: 3, ...more });
  }

  file(name: string): string {
    return join(this.folders.into, "share", name);
  }

  /** Names of the files that are signed, each signed truly; with the key of robots.shr unless another one is given. */
  signed(key?: string): string[] {
    const text = readFileSync(join(this.folders.into, "robots.shr"), "utf8");
    const url = `${this.url}/robots.shr`;
    const read = parseShareControl(text, url);
    assert.ok(read.ok);
    const used = key ?? signatureKeyOf(read.value.others) ?? assert.fail("no key");
    const folder = this.file("");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.sig$/.test(name));
    for (const name of names) {
      const of = name.replace(/\.sig$/, "");
      const bytes = readFileSync(this.file(of));
      const content = of.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      const signatures = parseSignatures(readFileSync(this.file(name), "utf8")) ?? assert.fail(name);
      assert.ok(isSigned({ key: used, url: read.value.repository + of, content, signatures }), name);
    }
    return names.sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    await this.crawler[Symbol.asyncDispose]();
  }
}

test("what a crawler signs another one merges, by archives and by days; what was changed on the way is not merged", async () => {
  await using share = await SignedShare.open();
  const key = share.makeKey("key");
  await share.share(key);
  const day = dayFileName(dayOf(Math.floor(share.crawler.now / 1000)));
  assert.deepEqual(share.signed(), [`${day}.sig`, "archives/index.gz.sig"]);
  const first = await share.merge();
  assert.deepEqual([problemOf(first), first.peers[0]?.files], ["none", 1]);
  share.crawler.site.set({ "/a": "changed" });
  await share.visit();
  await share.share(key);
  share.signed();
  const index = readFileSync(share.file("archives/index.gz"));
  const forged = gunzipSync(index).toString().replace("complete-from\t0", "complete-from\t0\nforged\tyes");
  writeFileSync(share.file("archives/index.gz"), gzipSync(forged));
  const honest = readFileSync(share.file(day));
  writeFileSync(share.file(day), Buffer.concat([honest, honest]));
  const wrong = await share.merge();
  assert.match(problemOf(wrong), /index of archives: its signature is false/);
  assert.deepEqual([wrong.sooner, wrong.peers[0]?.events], [0, 0]);
  // The days' files are what is left.
  writeFileSync(share.file(day), honest);
  const byDay = await share.merge();
  assert.deepEqual([byDay.sooner > 0, byDay.peers[0]?.events], [true, 4]);
  writeFileSync(share.file("archives/index.gz"), index);
  assert.equal(problemOf(await share.merge()), "none");
});

test("files are signed before they are placed, for both versions: a kill between leaves no false signature", async () => {
  await using share = await SignedShare.open();
  const key = share.makeKey("key");
  await share.share(key);
  const kept = join(share.crawler.folder.path, "kept");
  const names = share.signed().map((name) => name.replace(/\.sig$/, ""));
  mkdirSync(join(kept, "archives"), { recursive: true });
  for (const name of names) copyFileSync(share.file(name), join(kept, name));
  share.crawler.site.set({ "/a": "changed" });
  await share.visit();
  await share.share(key);
  for (const name of names) copyFileSync(join(kept, name), share.file(name));
  assert.deepEqual(share.signed().length, 2);
  // In the order of the commit a file is after its signatures.
  const staging = join(share.crawler.folder.path, "staging");
  const folder = join(share.crawler.folder.path, "folder");
  const files = new DayFiles(folder, staging);
  const event = { url: "http://a.example/", kind: "created", sizeBytes: 1, modifiedAt: 0, polledAt: 0 } as const;
  files.add({ ...event, crawler: "a:1 a" });
  const signer = new FileSigner(key, "http://a.example/");
  await files.publish({ epoch: "0", number: 1, checkedTo: 0 }, { signer, isAll: true });
  const commit = JSON.parse(readFileSync(join(staging, "commit.json"), "utf8")) as { names: string[] };
  assert.deepEqual(commit.names, ["0.dat.sig", "0.dat"]);
});

test("a file that cannot be read is not signed, and the reason comes to who asked for it", async () => {
  using folder = makeTempFolder();
  const signer = new FileSigner(golden("key.pem"), "http://a.example/share/");
  const file = join(folder.path, "index.gz");
  await assert.rejects(signer.sign("archives/index.gz", file), { code: "ENOENT" });
  writeFileSync(file, "no gzip");
  await assert.rejects(signer.sign("archives/index.gz", file), { code: "Z_DATA_ERROR" });
});

test("with a new key all files are signed anew, and the old key holds until they are; without news as well", async () => {
  await using share = await SignedShare.open();
  await share.share();
  const [first, second] = [share.makeKey("first"), share.makeKey("second")];
  await share.share(first);
  assert.equal(share.signed().length, 2);
  const before = readFileSync(join(share.folders.into, "robots.shr"), "utf8");
  const [keyLine] = before.match(/ed25519: .*/) ?? [];
  await share.share(second);
  assert.equal(share.signed().length, 2);
  assert.equal(share.signed(new FileSigner(first, "http://a.example/").publicKey).length, 2);
  // A run that was killed after its decision, before robots.shr had the new key: the next one signs all.
  writeFileSync(join(share.folders.into, "robots.shr"), before);
  const staging = join(share.folders.into, ".tidemark-share");
  const [, epoch = "", number = ""] = /x-tidemark-cursor: (\S+) (\d+)/.exec(before) ?? [];
  mkdirSync(staging);
  const position = { epoch, number: Number(number), checkedTo: 0 };
  writeFileSync(join(staging, "commit.json"), JSON.stringify({ position, names: [] }));
  for (const name of share.signed()) rmSync(share.file(name));
  // The next run is stopped too, and has signed nothing: the old key still holds.
  share.crawler.site.set({ "/b": "changed" });
  await share.visit();
  await assert.rejects(share.share(second, AbortSignal.abort()));
  assert.equal(readFileSync(join(share.folders.into, "robots.shr"), "utf8").match(/ed25519: .*/)?.[0], keyLine);
  await share.share(second);
  assert.deepEqual([share.signed().length, existsSync(staging)], [2, false]);
  share.crawler.now += 40 * 86_400_000;
  share.crawler.site.set({ "/a": "changed" });
  await share.visit();
  await share.share(second);
  const day = dayFileName(dayOf(Math.floor(share.crawler.now / 1000)));
  assert.deepEqual(share.signed(), [`${day}.sig`, "archives/index.gz.sig"]);
});

test("a key as tidemark identity writes it signs", async () => {
  await using share = await SignedShare.open();
  using folder = makeTempFolder();
  const file = join(folder.path, "identity.json");
  writeFileSync(file, makeIdentity("https://crawler.example").keyText);
  await share.share(file);
  assert.ok(share.signed(JSON.parse(readFileSync(file, "utf8")).x).includes("archives/index.gz.sig"));
});

test("a share with a key is not published unsigned, and what is no key does not sign", async () => {
  await using share = await SignedShare.open();
  const key = share.makeKey("key");
  await share.share(key);
  const refused = async (keyFile: string | undefined, code: string, said: RegExp): Promise<void> => {
    await assert.rejects(share.share(keyFile), (error) => {
      assert.ok(error instanceof TidemarkError, String(error));
      assert.match(`${error.message} ${error.hint}`, said);
      return error.code === code;
    });
  };
  await refused(undefined, "bad-option", /names a key: peers refuse .*--accept-key/);
  await refused(join(share.folders.one, "missing.pem"), "not-found", /missing\.pem/);
  using folder = makeTempFolder();
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "pem", type: "pkcs8" });
  for (const [name, text] of [
    ["rsa", String(rsa)],
    ["jwk", JSON.stringify({ kty: "OKP", crv: "Ed25519", x: "secret", d: "secret" })],
    ["nothing", "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n"],
    ["public", String(createPublicKey(readFileSync(key)).export({ format: "pem", type: "spki" }))],
  ] as const) {
    const file = join(folder.path, name);
    writeFileSync(file, text);
    await refused(
      file,
      "bad-option",
      new RegExp(`${name} is no Ed25519 key in PEM \\(PKCS #8\\) or as a JWK.*tidemark identity init.*openssl genpkey`),
    );
  }
});
