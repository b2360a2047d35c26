import assert from "node:assert/strict";
import { test } from "node:test";
import { findNetrcLogin } from "../../../src/formats/netrc/netrc.ts";

const file = `# machine commented.example login x password y
machine Example.org
  login me password secret # of the site
machine nopass.example login only
machine quoted.example login "a b" password "say \\"x\\" # y"
macdef init
  machine in.macro login m password n

machine after.example account acme login a password #hash
machine "p.example" password p default login anybody password anything
`;

for (const [host, login] of [
  ["example.org", ["me", "secret"]],
  ["EXAMPLE.ORG", ["me", "secret"]],
  ["quoted.example", ["a b", 'say "x" # y']],
  ["after.example", ["a", "#hash"]],
  ["p.example", ["", "p"]],
  ["other.example", ["anybody", "anything"]],
  ["commented.example", ["anybody", "anything"]],
  ["in.macro", ["anybody", "anything"]],
  ["nopass.example", ["anybody", "anything"]],
] as const)
  test(`netrc: the login for ${host}`, () => {
    const found = findNetrcLogin(file, host);
    assert.deepEqual([found?.user, found?.password], login);
  });

test("netrc: without a default other hosts have no login, and an unfinished file none at all", () => {
  assert.equal(findNetrcLogin("machine a.example login u password p", "b.example"), undefined);
  for (const text of ["", "machine", "machine b.example", "machine b.example login", "machine b.example password"])
    assert.equal(findNetrcLogin(text, "b.example"), undefined);
});
