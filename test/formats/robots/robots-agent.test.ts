import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseRobots, robotsAllow, robotsCrawlDelaySeconds } from "../../../src/formats/robots/robots.ts";
import { parseProductToken, robotsAgentOf } from "../../../src/formats/robots/robots-agent.ts";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko";

// What is sent, the token that a server reads in it, and what says so.
const rows: readonly (readonly [userAgent: string, token: string | undefined, why: string])[] = [
  ["tidemark/0.1.0 (+https://www.npmjs.com/package/tidemark)", "tidemark", "RFC 9110 section 10.1.5"],
  ["MyBot/1.0 (+http://example.org/bot)", "mybot", "RFC 9309 section 2.2.1: without regard to case"],
  ["MyBot", "mybot", "RFC 9110 section 10.1.5: the version may be missing"],
  ["my_bot-2/1.0", "my_bot-2", "RFC 9309 section 2.2.1, and digits as in decision 0040"],
  ["My Crawler/1.0", "my", "of words the first counts, as in a line User-agent"],
  ["archive.org_bot", "archive", "a line User-agent ends at the dot too"],
  ["Mozilla/5.0 (compatible; MyBot/1.0; +http://example.org/bot)", "mybot", "behind `compatible`"],
  ["Mozilla/5.0 (compatible; MyBot/1.0)", "mybot", "also without an address"],
  [`Mozilla/5.0 ${webKit}; compatible; MyBot/2.0; +http://example.org/) Chrome/120.0.0.0 Safari/537.36`, "mybot", ""],
  [`Mozilla/5.0 (Linux; Android 6) ${webKit}) Chrome/1 Safari/5 (compatible; MyBot/2.1; +http://a/)`, "mybot", ""],
  [
    `Mozilla/5.0 (Macintosh) ${webKit}) Version/8 Safari/6 (MyBot/0.1; +http://example.org/)`,
    "mybot",
    "by the address",
  ],
  ["Mozilla/5.0 (compatible; my_bot +http://example.org/)", "my_bot", "the part ends at a space"],
  ["Mozilla/5.0 (compatible; MSIE 9.0; MyBot/1)", "mybot", "a browser's words are no crawler's name"],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit}) Chrome/120.0 Safari/537.36 MyBot/1.0`, "mybot", "the last product"],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit}) Chrome/120.0 Safari/537.36`, "mozilla", "there is no other name"],
  ["(compatible; MyBot/1.0)", "mybot", "a comment alone"],
  ["+https://example.org/bot MyBot/1.0", "mybot", "an address is no name"],
  ["https://example.org/bot", undefined, "an address is no name"],
  ["", undefined, "nothing"],
  ["  ", undefined, "nothing"],
  ["42/1.0", undefined, "RFC 9309 section 2.2.1 has letters"],
  ["/1.0 (+https://example.org/)", undefined, "a version without a name"],
];

describe("the product token of a User-Agent", () => {
  for (const [userAgent, token, why] of rows)
    it(`${JSON.stringify(userAgent)} is ${token ?? "none"}${why === "" ? "" : ` (${why})`}`, () => {
      assert.equal(parseProductToken(userAgent), token);
    });

  it("costs little in any text", () => {
    for (const text of ["(", "()", "(compatible;", "Mozilla/5.0 ", "a;"]) parseProductToken(text.repeat(20_000));
  });
});

describe("the names under which robots.txt is obeyed", () => {
  const robots = (text: string): ReturnType<typeof parseRobots> => parseRobots(new TextEncoder().encode(text));

  it("are the token of what is sent, and tidemark where no group names that", () => {
    const agent = robotsAgentOf("MyBot/1.0 (+http://example.org/bot)");
    assert.deepEqual(robotsAgentOf("Tidemark/9"), ["tidemark"]);
    const both = robots(
      "User-agent: tidemark\nDisallow: /t\nCrawl-delay: 1\nUser-agent: MYBOT\nDisallow: /m\nCrawl-delay: 9\n",
    );
    assert.deepEqual([robotsAllow(both, agent, "/m"), robotsAllow(both, agent, "/t")], [false, true]);
    assert.equal(robotsCrawlDelaySeconds(both, agent), 9);
    const own = robots("User-agent: tidemark\nDisallow: /t\nCrawl-delay: 1\n\nUser-agent: *\nDisallow: /\n");
    assert.deepEqual([robotsAllow(own, agent, "/t"), robotsAllow(own, agent, "/m")], [false, true]);
    assert.equal(robotsCrawlDelaySeconds(own, agent), 1);
    // RFC 9309 section 2.2.1: a group without rules is one.
    const named = robots("User-agent: mybot\n\nUser-agent: *\nDisallow: /\nCrawl-delay: 5\n");
    assert.equal(robotsAllow(named, agent, "/"), false, "names that follow each other are one group");
    const empty = robots("User-agent: mybot\nDisallow:\n\nUser-agent: *\nDisallow: /\nCrawl-delay: 5\n");
    assert.deepEqual([robotsAllow(empty, agent, "/"), robotsCrawlDelaySeconds(empty, agent)], [true, undefined]);
    assert.equal(robotsAllow(empty, robotsAgentOf(undefined), "/"), false);
  });

  it("are refused where there is none, with what to do", () => {
    for (const text of ["", "42", "B\u043et/1.0", "a\nb"])
      assert.throws(() => robotsAgentOf(text), { code: "bad-option", hint: /MyBot\/1\.0/ });
  });
});
