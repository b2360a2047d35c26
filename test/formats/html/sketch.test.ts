import assert from "node:assert/strict";
import { test } from "node:test";
import { resemblance, shinglesOf, sketchLength, sketchOf } from "../../../src/formats/html/sketch.ts";

/** Numbers from 0 to 1 that are the same in each run. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let shared = 0;
  for (const shingle of a) if (b.has(shingle)) shared += 1;
  return shared / (a.size + b.size - shared);
}

test("the estimate is not biased, and its error is what 128 minima of 8 bits promise", () => {
  const random = makeRandom(7);
  const bySize: number[][] = [[], [], []];
  for (let trial = 0; trial < 300; trial++) {
    const words = Array.from({ length: 400 }, () => `w${Math.floor(random() * 3000)}`);
    // From hardly touched to all other.
    const share = random() ** 2;
    const other = words.map((word) => (random() < share ? `x${Math.floor(random() * 3000)}` : word));
    const [a, b] = [words.join(" "), other.join(" ")];
    const exact = jaccard(shinglesOf(a), shinglesOf(b));
    const error = resemblance(sketchOf(a), sketchOf(b)) - exact;
    bySize[exact < 0.2 ? 0 : exact < 0.7 ? 1 : 2]?.push(error);
  }
  for (const [at, errors] of bySize.entries()) {
    assert.ok(errors.length >= 40, `${errors.length} trials of kind ${at}`);
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    assert.ok(Math.abs(mean) < 0.012, `bias ${mean} of kind ${at}`);
    assert.ok(deviation < 0.048, `standard error ${deviation} of kind ${at}`);
  }
});

test("texts without a common word resemble each other by nothing, though one byte in 256 agrees by chance", () => {
  const random = makeRandom(3);
  let sum = 0;
  for (let trial = 0; trial < 200; trial++) {
    const text = (letter: string) => Array.from({ length: 50 }, () => `${letter}${random()}`).join(" ");
    sum += resemblance(sketchOf(text("a")), sketchOf(text("b")));
  }
  assert.ok(sum / 200 < 0.0033, `${sum / 200}`);
});

test("a sketch is 128 bytes, that of nothing is empty, and the same words give the same", () => {
  assert.equal(sketchOf("one two three four five").length, sketchLength);
  assert.equal(sketchOf(" ... \n").length, 0);
  assert.deepEqual(sketchOf("one, two\nthree"), sketchOf("one two   three!"));
  assert.equal(resemblance(sketchOf("one two"), sketchOf("one two")), 1);
  assert.equal(resemblance(sketchOf(""), sketchOf("")), 1);
  assert.equal(resemblance(sketchOf("one"), sketchOf("")), 0);
});

test("a text without spaces between words has a shingle a character", () => {
  assert.equal(shinglesOf("日本語の文章です").size, 5);
  assert.equal(shinglesOf("one two three four five").size, 2);
  assert.equal(shinglesOf("one two").size, 1);
  assert.equal(shinglesOf("").size, 0);
});
