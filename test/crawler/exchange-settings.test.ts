import assert from "node:assert/strict";
import { test } from "node:test";
import * as zod from "zod";
import { exchangeSettings } from "../../src/crawler/exchange-settings.ts";

const { rho, shareContact } = exchangeSettings;

test("rho is a number from 0 to 1, auto or model, on the command line and in a file", () => {
  const written = ["0", "1", ".3", "0.85", "auto", "model"];
  const values = [0, 1, 0.3, 0.85, "auto", "model"];
  assert.deepEqual(written.map(rho.kind.parseText), values);
  for (const value of values) assert.equal(rho.kind.schema(zod).parse(value), value);
  for (const wrong of ["1.5", "-1", "much", "", "1e-1"]) assert.equal(rho.kind.parseText(wrong), undefined, wrong);
  for (const wrong of [1.5, -1, "much", "0.5", null]) assert.ok(!rho.kind.schema(zod).safeParse(wrong).success);
});

test("a contact is a mail address", () => {
  assert.equal(shareContact.kind.parseText("me@crawler.example"), "me@crawler.example");
  for (const wrong of ["me", "@", "me @crawler.example"]) {
    assert.equal(shareContact.kind.parseText(wrong), undefined, wrong);
    assert.ok(!shareContact.kind.schema(zod).safeParse(wrong).success, wrong);
  }
});

test("each holds for all sites together", () => {
  for (const setting of Object.values(exchangeSettings)) assert.equal(setting.ofRun, true, setting.option);
});
