import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readSeeds } from "../../../src/crawler/web/seeds.ts";
import { makeTempFolder } from "../../temp-folder.ts";

async function read(text: string, most?: number): Promise<string[]> {
  using temp = makeTempFolder();
  const file = join(temp.path, "seeds");
  writeFileSync(file, text);
  return await readSeeds(file, most);
}

describe("readSeeds", () => {
  it("reads URLs, hosts, and Common Crawl's rows of hosts, each once", async () => {
    const text =
      "\uFEFF# seeds\nhttp://a.example:8080/x?y#z\n\nWWW.b.example\r\nb.example/x\n17\texample.c.www\nhttps://www.b.example/\n";
    assert.deepEqual(await read(text), [
      "http://a.example:8080/x?y",
      "https://www.b.example/",
      "https://b.example/x/",
      "https://www.c.example/",
    ]);
  });

  it("takes URLs with @ behind the host, and none with a login", async () => {
    assert.deepEqual(await read("https://a.example/@b\nhttps://a.example/?@c=d\na.example/@e\n"), [
      "https://a.example/@b",
      "https://a.example/?@c=d",
      "https://a.example/@e/",
    ]);
    for (const line of ["https://user:password@a.example/", "https://user@a.example/", "user:password@a.example"])
      await assert.rejects(read(`b.example\n${line}\n`), { code: "bad-option", message: /line 2: / });
  });

  it("takes no word of a line with blanks for a host", async () => {
    const text = "a.example\nvisit b.example today\nc.example\t5\n3\texample.d extra\nhttps://e.example/a b\n";
    await assert.rejects(read(text), (error: Error & { code: string; details: { mistakes: string[] } }) => {
      assert.equal(error.code, "bad-option");
      assert.deepEqual(
        error.details.mistakes.map((mistake) => mistake.split(":", 1)[0]),
        ["line 2", "line 3", "line 4", "line 5"],
      );
      return true;
    });
  });

  it("names the lines that are none, and a file without any", async () => {
    await assert.rejects(read("a.example\nftp://b.example/\nuser@c.example\n"), (error: Error & { code: string }) => {
      assert.equal(error.code, "bad-option");
      assert.match(error.message, /line 2: .*ftp:.*\n.*line 3: /);
      return true;
    });
    await assert.rejects(read("a.example\nhttps://a.example\nb.example\nc.example\n", 2), {
      code: "bad-option",
      message: /line 4: more than 2 seeds/,
    });
    await assert.rejects(read("# nothing\n"), { code: "bad-option", message: /has no seed/ });
    await assert.rejects(read("x".repeat(20_000)), { code: "bad-option" });
    await assert.rejects(readSeeds("/nonexistent/seeds"), { code: "not-found" });
  });
});
