import assert from "node:assert/strict";
import { test } from "node:test";
import { cutCrawls, cutExports } from "./power-cut.ts";
import { skipWithout } from "./programs.ts";

const options = { states: 80, runs: 4, seed: 20_261_124, pages: 60 };
const skip = skipWithout("strace");

test("whatever a power cut leaves of an export, readers find a whole set, and the next export publishes the rest", {
  skip,
}, async () => {
  assert.equal((await cutExports(options)).states, options.states);
});

test("whatever a power cut leaves of a crawl, the next crawl ends with what the site has", { skip }, async () => {
  assert.equal((await cutCrawls(options)).states, options.states);
});
