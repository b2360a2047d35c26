import assert from "node:assert/strict";
import { test } from "node:test";
import { planExchange } from "../../../src/cli/crawl/plan-exchange.ts";
import { exitCodes } from "../../../src/cli/terminal/exit-code.ts";
import { runProgram } from "../run-program.ts";

const fail = (message: string): never => {
  throw new Error(message);
};
const peers = ["http://peer.example/"];
const share = { shareInto: "docroot", shareUrl: "http://crawler.example/" };
const shared = { into: "docroot", url: "http://crawler.example/" };

// The six modes of McLearn's thesis, section 4.1, and what holds without a mode.
const rows = [
  [{}, undefined],
  [{ peers }, { peers, rho: "auto" }],
  [
    { peers, rho: 0.85, exchangeMs: 1000 },
    { peers, rho: 0.85, intervalMs: 1000 },
  ],
  [share, { peers: [], rho: "auto", share: shared }],
  [{ mode: "current-day" }, { peers: [], rho: 1 }],
  [
    { mode: "altruistic", ...share },
    { peers: [], rho: 1, share: shared },
  ],
  [
    { mode: "parasitic", peers },
    { peers, rho: 0 },
  ],
  [
    { mode: "mirroring", peers, ...share },
    { peers, rho: 0, share: shared },
  ],
  [
    { mode: "non-sharing-hybrid", peers, rho: 0.3 },
    { peers, rho: 0.3 },
  ],
  [
    { peers, maxNamed: 5, exchangeMs: 1000 },
    { peers, rho: "auto", maxNamed: 5, intervalMs: 1000 },
  ],
  [
    { mode: "sharing-hybrid", peers, ...share },
    { peers, rho: "auto", share: shared },
  ],
] as const;
for (const [options, expected] of rows)
  test(`${JSON.stringify(options)} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(planExchange(options, fail), expected);
  });

test("what robots.shr says is told with the share", () => {
  const said = {
    shareSpecial: ["http://near.example/"],
    shareContact: "me@crawler.example",
    shareSign: "key.pem",
    isNaming: true,
  };
  assert.deepEqual(planExchange({ peers, ...share, ...said }, fail)?.share, {
    ...shared,
    ...{ special: ["http://near.example/"], contact: "me@crawler.example", keyFile: "key.pem", peers },
  });
});

const refused = [
  [{ shareContact: "me@x.example" }, /--share-contact needs --peer, --mode or --share-into/],
  [{ shareSign: "key.pem" }, /--share-sign needs --peer, --mode or --share-into/],
  [{ peers, shareSign: "key.pem" }, /--share-sign and --share-peers need --share-into/],
  [{ isNaming: true }, /--share-peers needs --peer/],
  [{ peers, isNaming: true }, /--share-peers need --share-into/],
  [{ rho: 0.5 }, /--rho needs --peer, --mode or --share-into/],
  [{ exchangeMs: 1 }, /--exchange needs --peer/],
  [{ maxNamed: 1 }, /--named-peers needs --peer/],
  [{ mode: "altruistic", maxNamed: 1, ...share }, /--named-peers needs --peer/],
  [{ shareUrl: "http://x.example/" }, /--share-url needs --peer/],
  [{ peers, shareInto: "docroot" }, /--share-into and --share-url need each other/],
  [{ peers, mode: "sharing-hybrid" }, /--mode sharing-hybrid needs --share-into/],
  [{ peers, mode: "parasitic", ...share }, /--mode parasitic excludes --share-into/],
  [{ peers, mode: "parasitic", rho: 0.5 }, /--mode parasitic has a rho of its own: 0/],
  [{ mode: "parasitic" }, /--mode parasitic needs --peer/],
  [{ peers, mode: "non-sharing-hybrid", rho: 1 }, /needs a --rho between 0 and 1/],
] as const;
for (const [options, said] of refused)
  test(`${JSON.stringify(options)} is refused`, () => {
    assert.throws(() => planExchange(options, fail), said);
  });

test("an empty list of peers and a false are no options", () => {
  assert.equal(planExchange({ peers: [], isNaming: false }, fail), undefined);
});

test("peers of a crawl that ends are refused", async () => {
  const { code, stderr } = await runProgram("crawl", "http://x.example/", "--into", "a", "--peer", peers[0] ?? "");
  assert.equal(code, exitCodes.usage, stderr);
  assert.match(stderr, /add --forever, or use tidemark merge before a crawl/);
});
