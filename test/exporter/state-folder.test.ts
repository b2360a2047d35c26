import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { defaultStateDir } from "../../src/exporter/state-folder.ts";

test("each origin has a state folder of its own, below the home folder", () => {
  const home = join(homedir(), ".local/state/tidemark");
  assert.equal(defaultStateDir("https://example.org/"), join(home, "example.org"));
  assert.equal(defaultStateDir("https://EXAMPLE.org:443"), join(home, "example.org"));
  assert.equal(defaultStateDir("http://example.org/"), join(home, "http_example.org"));
  assert.equal(defaultStateDir("https://example.org:8443/"), join(home, "example.org_8443"));
  assert.equal(defaultStateDir("http://[::1]:80/"), join(home, "http____1_"));
  assert.throws(() => defaultStateDir("https://example.org/path"), { code: "bad-option" });
  assert.throws(() => defaultStateDir("example.org"), { code: "bad-option" });
});
