import assert from "node:assert/strict";
import { test } from "node:test";
import { ClaimBook } from "../../../src/share/engine/trust/claim-book.ts";
import { firstTrust, type PeerTrust } from "../../../src/share/engine/trust/peer-trust.ts";
import { openMemoryStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const now = 1_800_000_000;
const today = Math.floor(now / 86_400);

/** What two peers without room left, who claim the same, come to. */
function admitBoth(
  peers: readonly [string, string],
  sources: readonly [string, string],
  trust: Partial<PeerTrust>,
): readonly string[] {
  using folder = makeTempFolder();
  using store = openMemoryStore(folder.path);
  const spent = { ...firstTrust, ...trust, at: now, acted: { day: today, count: 1e9 } };
  store.claims.settleClaims({ done: [], states: peers.map((peer) => [peer, spent]), withdrawnOf: [] });
  return peers.map((peer, at) => {
    const book = new ClaimBook({ store: store.claims, now: () => now, random: () => 0.5 });
    book.begin(peer);
    book.look(1, ["/a"]);
    const said = book.admit({ site: 1, path: "/a", kind: "update", source: sources[at] ?? "", polledAt: now });
    book.flush();
    return said;
  });
}

const [one, two] = ["https://one.example/", "https://two.example/"] as const;

test("what one trusted peer may not claim any more, two may", () => {
  assert.deepEqual(admitBoth([one, two], ["one", "two"], { good: 8 }), ["defer", "act"]);
});

// Who is no second voice.
for (const [what, peers, sources, trust] of [
  ["a peer of the same host", [one, "https://one.example:8443/"], ["one", "two"], { good: 8 }],
  ["a peer that passes on what the same crawler saw", [one, two], ["one", "one"], { good: 8 }],
  ["a peer of which nothing was proved", [one, two], ["one", "two"], { good: 0 }],
  ["a peer in quarantine", [one, two], ["one", "two"], { good: 8, isQuarantined: true }],
] as const)
  test(`${what} adds no weight`, () => {
    assert.deepEqual(admitBoth(peers, sources, trust), ["defer", "defer"]);
  });

test("of a proven peer one promise of sixteen is checked, of an unproven one none puts a poll off by its word", () => {
  using folder = makeTempFolder();
  using store = openMemoryStore(folder.path);
  const proven = { ...firstTrust, good: 50, at: now };
  store.claims.settleClaims({ done: [], states: [[one, proven]], withdrawnOf: [] });
  let drawn = 0;
  const book = new ClaimBook({ store: store.claims, now: () => now, random: () => (drawn++ % 16) / 16 });
  const promise = (path: string) => book.admit({ site: 1, path, kind: "same", source: "x", polledAt: now });
  const said = (peer: string, count: number): string[] => {
    book.begin(peer);
    return Array.from({ length: count }, (_, at) => promise(`/${peer}${at}`));
  };
  const ofProven = said(one, 32);
  assert.deepEqual(
    [ofProven.filter((what) => what === "probe").length, ofProven.filter((what) => what === "act").length],
    [2, 30],
  );
  assert.deepEqual(said(two, 6), ["heed", "heed", "heed", "heed", "defer", "defer"]);
});
