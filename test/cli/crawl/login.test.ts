import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { PublishedSite } from "../../crawler/engine/published-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

/** No file below a folder has a text, be it packed or not. */
function assertNowhere(folder: string, text: RegExp): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length > 1);
  for (const { parentPath, name } of files) {
    const bytes = readFileSync(join(parentPath, name));
    assert.doesNotMatch((name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1"), text, name);
  }
}

describe("tidemark crawl with a login", () => {
  it("takes it from --auth, the URL, a netrc file or a list of sites, and fields from --header", async () => {
    await using site = await PublishedSite.open("127.0.8.62");
    site.set({ "/a.html": "<p>a" });
    site.publishBase();
    using folder = makeTempFolder();
    const seen = new Set<string>();
    for (const path of [...site.pages.keys(), ...site.files.keys()])
      site.answers.set(path, ({ headers }) => {
        const login = Buffer.from(headers.authorization?.slice(6) ?? "", "base64").toString();
        seen.add(`${login} ${headers["x-key"] ?? ""}`);
      });
    const netrc = join(folder.path, "netrc");
    const sites = join(folder.path, "sites");
    writeFileSync(netrc, "machine 127.0.8.62 login n password s3cret-n\n");
    writeFileSync(sites, `${site.origin}/ auth=l:s3cret-l header=X-Key:k3y\n`);
    const url = `${site.origin}/`;
    const withLogin = url.replace("//", "//u:s3cret-%C3%BC@");
    const runs: readonly (readonly [string, readonly string[]])[] = [
      ["a:s3cret-a k3y", [url, "--auth", "a:s3cret-a", "--header", "X-Key: k3y", "--netrc", netrc]],
      ["u:s3cret-ü ", [withLogin, "--netrc", netrc]],
      ["n:s3cret-n ", [url, "--netrc", netrc, "--connections", "2"]],
      ["l:s3cret-l k3y", ["--sites", sites]],
    ];
    for (const [at, [expected, args]] of runs.entries()) {
      seen.clear();
      const into = join(folder.path, `mirror-${at}`);
      const kept = at % 2 === 0 ? "mirror" : "warc";
      const { code, stdout, stderr } = await runProgram("crawl", ...args, "--into", into, "--keep", kept, "--json");
      assert.deepEqual([code, [...seen]], [0, [expected]], stderr);
      assert.doesNotMatch(stdout + stderr, /s3cret|k3y/);
      assertNowhere(into, /s3cret|k3y/);
    }
  });

  it("sends the site's cookies of --cookies, takes its own for the visit, and keeps none", async () => {
    await using site = await PublishedSite.open("127.0.8.62");
    site.set({ "/a.html": "<p>a" });
    site.publishBase();
    using folder = makeTempFolder();
    const seen: (string | undefined)[] = [];
    for (const path of [...site.pages.keys(), ...site.files.keys()])
      site.answers.set(path, ({ headers }, response) => {
        seen.push(headers.cookie);
        response?.setHeader("set-cookie", "session=s3cret-2; Path=/");
      });
    const file = join(folder.path, "cookies.txt");
    writeFileSync(file, "# Netscape HTTP Cookie File\n127.0.8.62\tFALSE\t/\tFALSE\t0\tk\ts3cret-1\n");
    const into = join(folder.path, "mirror");
    for (const more of [["--cookies", file], ["--cookies", file], []]) {
      const args = [
        `${site.origin}/`,
        "--into",
        more.length > 0 ? into : `${into}-none`,
        "--keep",
        "warc",
        "--json",
        ...more,
      ];
      const { code, stdout, stderr } = await runProgram("crawl", ...args);
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stdout + stderr, /s3cret/);
      assert.equal(seen.shift(), more.length > 0 ? "k=s3cret-1" : undefined, "what was set before is forgotten");
      assert.ok(seen.length > 0 || more.length === 0);
      assert.ok(seen.every((field) => field === (more.length > 0 ? "k=s3cret-1; session=s3cret-2" : undefined)));
      seen.length = 0;
    }
    assertNowhere(into, /s3cret/);
  });

  it("refuses what is no login or field, and one login for several sites, without a word of it", async () => {
    using folder = makeTempFolder();
    const into = ["--into", join(folder.path, "mirror")];
    const [bad, none] = [join(folder.path, "bad"), join(folder.path, "none")];
    writeFileSync(bad, "s3cret");
    writeFileSync(none, "");
    const wrong: readonly (readonly string[])[] = [
      ["http://h.invalid/", "--auth", "s3cret"],
      ["http://h.invalid/", "--header", "s3cret"],
      ["http://h.invalid/", "--header", "Host: s3cret"],
      ["http://h.invalid/", "http://i.invalid/", "--auth", "me:s3cret"],
      ["http://h.invalid/", "--netrc", join(folder.path, "missing")],
      ["http://h.invalid/", "--cookies", join(folder.path, "missing")],
      ["http://h.invalid/", "--cookies", bad],
      ["http://h.invalid/", "--cookies", none, "--header", "Cookie: a=s3cret"],
      ["http://h.invalid/", "--proxy", "socks4://me:s3cret@127.0.0.1:1"],
    ];
    for (const args of wrong) {
      const { code, stdout, stderr } = await runProgram("crawl", ...args, ...into);
      assert.notEqual(code, 0);
      assert.doesNotMatch(stdout + stderr, /s3cret/, args.join(" "));
    }
  });
});
