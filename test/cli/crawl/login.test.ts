import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PublishedSite } from "../../crawler/engine/published-site.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { runProgram } from "../run-program.ts";

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
      const { code, stdout, stderr } = await runProgram("crawl", ...args, "--into", into, "--json");
      assert.deepEqual([code, [...seen]], [0, [expected]], stderr);
      assert.doesNotMatch(stdout + stderr, /s3cret|k3y/);
    }
  });

  it("refuses what is no login or field, and one login for several sites, without a word of it", async () => {
    using folder = makeTempFolder();
    const into = ["--into", join(folder.path, "mirror")];
    const wrong: readonly (readonly string[])[] = [
      ["http://h.invalid/", "--auth", "s3cret"],
      ["http://h.invalid/", "--header", "s3cret"],
      ["http://h.invalid/", "--header", "Host: s3cret"],
      ["http://h.invalid/", "http://i.invalid/", "--auth", "me:s3cret"],
      ["http://h.invalid/", "--netrc", join(folder.path, "missing")],
    ];
    for (const args of wrong) {
      const { code, stdout, stderr } = await runProgram("crawl", ...args, ...into);
      assert.notEqual(code, 0);
      assert.doesNotMatch(stdout + stderr, /s3cret/, args.join(" "));
    }
  });
});
