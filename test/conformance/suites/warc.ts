import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { writeWacz } from "../../../src/storage/warc/wacz-file.ts";
import { listenRaw, plainAnswer, type RawServer } from "../../http/raw-server.ts";
import { requireCached, requireProgram, skipWithout, skipWithoutCached } from "../../interop/programs.ts";
import { RecordedSite } from "../../storage/state/recorded-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import type { Suite, SuiteResult } from "../suite.ts";

const run = promisify(execFile);
const limits = { timeout: 120_000, maxBuffer: 1 << 26 };
const large = "0123456789abcdef".repeat(100_000);

// A file each, so that every kind of capture is judged alone.
const cases: ReadonlyArray<readonly [name: string, paths: readonly string[]]> = [
  ["response", ["/page"]],
  ["response without a body", ["/empty"]],
  ["chunked response", ["/chunked"]],
  ["gzip response", ["/gzip"]],
  ["response until the connection ends", ["/until-end"]],
  ["large response", ["/large"]],
  ["odd bytes in fields", ["/odd"]],
  ["redirect", ["/moved"]],
  ["404 with a body", ["/gone"]],
  ["404 with a body that is cut off", ["/hugely-gone"]],
  ["503", ["/busy"]],
  ["revisit: identical payload", ["/page", "/page"]],
  ["revisit: identical payload, chunked", ["/chunked", "/chunked"]],
  ["revisit: identical payload of another URL", ["/page", "/same"]],
  ["revisit: identical payload, large", ["/large", "/large"]],
  ["revisit: server not modified", ["/page", "if-changed /page"]],
  ["revisit: server not modified, with the length of the page", ["/page", "if-changed /page?length"]],
  ["if changed, nothing held: asked for whole", ["if-changed /page"]],
  ["URL with a query and percent-encoding", ["/page/%C3%A9?q=%20a&b=%22"]],
  ["revisits of both kinds", ["/page", "/page", "if-changed /page"]],
];

async function listen(): Promise<RawServer> {
  const coded = gzipSync("hello").toString("latin1");
  const page = plainAnswer(200, ['ETag: "1"', "Content-Type: text/html; charset=utf-8"], "<p>page</p>");
  const answers: Record<string, string> = {
    "/empty": plainAnswer(200),
    "/chunked":
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n",
    "/gzip": plainAnswer(200, ["Content-Encoding: gzip", "Content-Type: text/plain"], coded),
    "/large": plainAnswer(200, ["Content-Type: application/octet-stream"], large),
    "/odd": plainAnswer(200, ["X-Odd: caf\xe9 \x80\xff", "X-Empty:", "x-odd: twice"], "odd"),
    "/moved": plainAnswer(302, ["Location: /page"], "moved"),
    "/gone": plainAnswer(404, ["Content-Type: text/html"], "<p>gone</p>"),
    "/hugely-gone": plainAnswer(404, ["Content-Type: text/html"], large),
    "/busy": plainAnswer(503, ["Retry-After: 5"], "later"),
  };
  return await listenRaw((socket, head) => {
    const path = head.split(" ")[1] ?? "";
    if (/if-none-match/i.test(head) && path.endsWith("?length"))
      socket.write('HTTP/1.1 304 Not Modified\r\nETag: "1"\r\nContent-Length: 11\r\n\r\n');
    else if (/if-none-match/i.test(head)) socket.write('HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n');
    else if (path === "/until-end") socket.end("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end");
    else socket.write(answers[path] ?? page, "latin1");
  });
}

/** Records one case. @returns the folder of its WARC files */
async function record(origin: string, into: string, paths: readonly string[]): Promise<string> {
  await using site = await RecordedSite.open(origin, into);
  for (const path of paths) {
    const isConditional = path.startsWith("if-changed ");
    await site.get(path.replace("if-changed ", ""), isConditional ? { validators: { etag: '"1"' } } : {});
  }
  return site.folder;
}

type Judge = (name: string, command: string, args: readonly string[]) => Promise<void>;

async function judgeAll(into: string, judge: Judge): Promise<void> {
  const java = requireProgram("java");
  const jar = join(requireCached("jwarc-1"), "jwarc.jar");
  const python = join(requireCached("warcio-1"), "bin");
  await using server = await listen();
  const folders = new Map<string, string>();
  const warcs: string[] = [];
  for (const [at, [name, paths]] of cases.entries()) {
    const folder = await record(server.origin, join(into, String(at)), paths);
    const files = readdirSync(folder).filter((file) => file.endsWith(".warc.gz"));
    for (const file of files) warcs.push(join(folder, file));
    for (const file of files)
      await judge(`warcio check: ${name}`, join(python, "warcio"), ["check", join(folder, file)]);
    folders.set(name, folder);
  }
  for (const [at, [name]] of cases.entries())
    await judge(`jwarc validate: ${name}`, java, ["-jar", jar, "validate", warcs[at] ?? ""]);
  const folder = folders.get("revisit: identical payload of another URL") ?? "";
  const path = join(folder, "site.wacz");
  await writeWacz({ folder, path, title: "test", software: "tidemark", now: 1_800_000_000_000 });
  await judge("wacz validate: a site", join(python, "wacz"), ["validate", "-f", path]);
}

/** What we write, judged by those who read it. */
export const warcSuite: Suite = {
  name: "WARC 1.1 and WACZ 1.1.1",
  source: "warcio 1.7.5 `check`, jwarc 0.36.0 `validate`, py-wacz 0.6.0 `validate`",
  external: true,
  async run(): Promise<SuiteResult> {
    const skipped = skipWithout("java") || skipWithoutCached("warcio-1", "jwarc-1");
    if (skipped !== false) return { total: 0, passed: 0, differences: [], skipped };
    using temp = makeTempFolder();
    let total = 0;
    const differences: { name: string; why: undefined }[] = [];
    await judgeAll(temp.path, async (name, command, args) => {
      total++;
      try {
        await run(command, [...args], limits);
      } catch (error) {
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        differences.push({ name: `${name}: ${`${stdout}${stderr}`.trim().slice(-300)}`, why: undefined });
      }
    });
    return { total, passed: total - differences.length, differences };
  },
};

export const suites: readonly Suite[] = [warcSuite];
