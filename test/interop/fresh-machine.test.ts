import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { runFreshMachine, type Step, skipWithoutMachine } from "./fresh-machine.ts";

const immutable = "public, max-age=31536000, immutable";
const published = "can write in /var/www/html/.well-known/tidemark";

/** Status and headers as curl dumps them; names in lower case. */
function parseAnswer(text: string): { readonly status: number; readonly headers: ReadonlyMap<string, string> } {
  const [first = "", ...lines] = text.split("\r\n");
  const pairs = lines.map((line) => /^([^:]+): (.*)$/.exec(line)).filter((match) => match !== null);
  const headers = new Map(pairs.map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
  return { status: Number(first.split(" ")[1]), headers };
}

const linesOf = (text: string): string[] => text.trimEnd().split("\n");
const publicationOf = (index: string): string => /^publication\t(\S+)$/m.exec(index)?.[1] ?? assert.fail(index);

describe("on a machine made fresh", { skip: skipWithoutMachine() }, () => {
  let step: (name: string) => Step;
  const done = (name: string): string => {
    const { text, exitCode } = step(name);
    assert.equal(exitCode, 0, `${name}: ${text}`);
    return text;
  };
  before(async () => {
    step = await runFreshMachine();
  });

  it("the document's lines lead from nothing to the first publication", () => {
    assert.match(done("install"), /Would be published as created:\n {2}301 /);
    assert.deepEqual(linesOf(done("export")).sort(), [
      "DynamicUser=yes",
      "ExecMainStatus=0",
      "Result=success",
      "User=tidemark-export",
    ]);
    assert.match(done("index"), /^site\thttps:\/\/example\.org\/\n(?:.+\n)*pages\t301\n/m);
    assert.match(done("robots"), /^User-agent: \*\nDisallow: \/private\/\n\n# BEGIN tidemark.*\nArchive-Index: /);
  });

  it("systemd finds nothing to complain of in the units, and the timer waits for the night", () => {
    assert.equal(done("verify"), "");
    const timer = done("timer");
    assert.match(timer, /^ActiveState=active$/m);
    assert.match(timer, /^Persistent=yes$/m);
    assert.match(timer, /^NextElapseUSecRealtime=\w+ \S+ 0[23]:/m);
  });

  it("the unit publishes a change, and nothing when there is none", () => {
    for (const name of ["change", "same"]) done(name);
    assert.notEqual(publicationOf(done("index-changed")), publicationOf(done("index")));
    assert.equal(done("index-same"), done("index-changed"));
  });

  it("the unit's user can write the published folder and nothing else, by the sandbox and by rights", () => {
    done("probe");
    assert.deepEqual(linesOf(done("sandbox")), [published, "end"]);
    assert.deepEqual(linesOf(done("rights")), [published, "can open a socket", "end"]);
    // The sandbox was tried where rights would have let much pass.
    const open = linesOf(done("no-sandbox"));
    for (const line of ["can write in /var/www/html", "can write in /etc/tidemark", "can change a page"])
      assert.ok(open.includes(line), line);
  });

  it("the configuration file's options reach the program, unexpanded", () => {
    done("configured");
    // Without /pages/1.html, /pages/10.html to /pages/19.html and /pages/100.html to /pages/199.html.
    assert.match(done("index-configured"), /^pages\t190$/m);
  });

  it("the line of cron publishes as a user of the group", () => {
    for (const name of ["cron-user", "cron"]) done(name);
    // Its state is its own: it says that the unit's is not there.
    assert.match(step("cron").text, /^warning: There is no state in [^\n]*\n$/);
    assert.match(done("index-cron"), /^pages\t301$/m);
    assert.notEqual(publicationOf(done("index-cron")), publicationOf(done("index-configured")));
  });

  it("a user with another number goes on where the last one stopped", () => {
    done("other-user");
    assert.notEqual(publicationOf(done("index-other-user")), publicationOf(done("index-same")));
  });

  it("status reads the unit's state, and says to others that they may not", () => {
    assert.match(done("status"), /: fine\n/);
    const { text, exitCode } = step("status-of-others");
    assert.equal(exitCode, 8);
    assert.match(text, /Could not\s+read\s+\/var\/lib\/tidemark\/example\.org/);
  });

  it("the unit takes over the lock of an earlier boot", () => {
    done("power-cut");
    assert.notEqual(publicationOf(done("index-power-cut")), publicationOf(done("index-other-user")));
  });

  for (const server of ["nginx", "apache2"]) {
    it(`Debian's ${server} with the document's lines keeps archives for ever and revalidates the index`, () => {
      done("apache-enable");
      done(server);
      for (const [file, cacheControl] of Object.entries({ archive: immutable, index: "no-cache" })) {
        const { status, headers } = parseAnswer(done(`${server}-${file}`));
        assert.equal(status, 200);
        assert.equal(headers.get("cache-control"), cacheControl);
        assert.equal(headers.get("content-type"), "application/gzip");
        assert.equal(headers.get("content-encoding"), undefined);
        done(`${server}-${file}-bytes`);
        const again = parseAnswer(done(`${server}-${file}-again`));
        assert.equal(again.status, 304);
        assert.equal(again.headers.get("cache-control"), cacheControl);
      }
      assert.equal(parseAnswer(done(`${server}-robots`)).status, 200);
    });
  }

  it("upgrading leaves the state, and removing leaves the site as it was", () => {
    for (const name of ["upgrade", "after-upgrade", "remove"]) done(name);
    // The empty line before the block stays.
    assert.equal(done("after").replace("/robots.txt 35\n", "/robots.txt 34\n"), done("before"));
    assert.equal(step("rest").text, "");
  });
});
