import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type FollowStatus,
  maxStatusRows,
  parseFollowStatus,
  plainText,
} from "../../../src/crawler/follow/follow-status.ts";
import { exampleStatus } from "../../example-status.ts";

const withFields = (fields: object): string => JSON.stringify({ ...exampleStatus(), ...fields });

describe("parseFollowStatus", () => {
  it("gives back what was written", () => {
    const [row] = exampleStatus().troubled;
    assert.ok(row !== undefined);
    const status = exampleStatus({ troubled: [row, { ...row, isPaused: true }] });
    assert.deepEqual(parseFollowStatus(JSON.stringify(status)), status);
  });

  const [visiting] = exampleStatus().visiting;
  const hostile: ReadonlyArray<readonly [string, string]> = [
    ["nothing", ""],
    ["half of it", JSON.stringify(exampleStatus()).slice(0, 300)],
    ["no object", "[]"],
    ["null", "null"],
    ["another version", withFields({ version: 2 })],
    ["a number as text", withFields({ sites: "7" })],
    ["a negative number", withFields({ requests: -1 })],
    ["a number that is none", withFields({ bytes: null })],
    ["a number beyond any time", withFields({ startedMs: 1e300 })],
    ["no list", withFields({ next: {} })],
    ["a list that is too long", withFields({ next: Array(maxStatusRows + 1).fill(exampleStatus().next[0]) })],
    ["a row that is none", withFields({ visiting: [7] })],
    ["a site with an escape", withFields({ visiting: [{ ...visiting, site: "https://a.example\u001b[2J" }] })],
    ["a site that is a script", withFields({ visiting: [{ ...visiting, site: "javascript:alert(1)" }] })],
    ["a wait of no kind", withFields({ visiting: [{ ...visiting, why: "because" }] })],
    ["a pause that is none", withFields({ troubled: [{ ...exampleStatus().troubled[0], isPaused: "yes" }] })],
    ["a text that is too long", withFields({ host: "x".repeat(201) })],
  ];
  for (const [name, text] of hostile) it(`refuses ${name}`, () => assert.equal(parseFollowStatus(text), undefined));

  it("takes out what a terminal would obey", () => {
    const [row] = exampleStatus().troubled;
    const read = parseFollowStatus(withFields({ troubled: [{ ...row, message: "a\u001b]0;x\u0007b\nc\u202ed" }] }));
    assert.equal((read as FollowStatus).troubled[0]?.message, "a ]0;x b c d");
    assert.equal(plainText("\u009b2J"), "2J");
  });
});
