import type { LabResult } from "../../src/core/lab-result.ts";

/** A result that nobody measured, with all that a result may hold. */
export const madeResult: LabResult = {
  name: "made",
  title: "Made up",
  paper: "Nobody, Nothing, 2026",
  about: "It shows <everything> & more.",
  seed: 3,
  parameters: { days: 10, root: "a b" },
  columns: [
    { name: "name", meaning: "what it is" },
    { name: "value", meaning: "how much, in bytes" },
  ],
  rows: [
    { name: "plain", value: 0.1 },
    { name: 'with "quotes", and commas', value: null },
    { name: "# no remark", value: 1e-7 },
  ],
  published: [
    {
      ...{ name: "first", where: "section 1", theirs: "5 %", ours: 0.05, format: "percent", tolerance: [0.04, 0.06] },
      ...{ basis: "rounding", verdict: "met", why: undefined },
    },
    {
      ...{ name: "second", where: "section 2", theirs: "7", ours: 9, format: "number", tolerance: [6, 8] },
      ...{ basis: "wording", verdict: "explained", why: "Because a < b." },
    },
    {
      ...{ name: "third", where: "section 3", theirs: "1,000", ours: 1234.5, format: "number", tolerance: [1, 2] },
      ...{ basis: "goal", verdict: "missed", why: undefined },
    },
    {
      ...{ name: "fourth", where: "section 4", theirs: "1", ours: undefined, format: "number", tolerance: [1, 1] },
      ...{ basis: "rounding and seeds", verdict: "not-measured", why: "These parameters do not measure it." },
    },
  ],
  figures: [
    {
      name: "made-lines",
      title: "Lines & more <here>",
      caption: "Every mark.",
      x: { label: "Size, in bytes", kind: "log" },
      y: { label: "Share", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        { kind: "band", of: "theirs", name: "between", axis: "y", from: 0.2, to: 0.3 },
        { kind: "guide", of: "theirs", name: "at ten", axis: "x", at: 10 },
        { kind: "guide", of: "ours", name: "half", axis: "y", at: 0.5 },
        { kind: "line", of: "ours", name: "rising", points: [1, 10, 100].map((x) => ({ x, y: x / 100 })) },
        { kind: "line", of: "theirs", name: "falling", points: [1, 10, 100].map((x) => ({ x, y: 1 - x / 100 })) },
        { kind: "dots", of: "ours", name: "ours", points: [{ x: 50, y: 0.9, range: [0.85, 0.95] }] },
        { kind: "dots", of: "theirs", name: "theirs", points: [{ x: 50, y: 0.8 }] },
        { kind: "band", of: "ours", name: "right", axis: "x", from: 60, to: 100 },
      ],
    },
    {
      name: "made-bars",
      title: "Bars",
      caption: "Names.",
      x: { label: "Order", kind: "names" },
      y: { label: "Pages", kind: "linear" },
      marks: [
        {
          kind: "bars",
          of: "ours",
          name: "one",
          points: [
            { x: "depth", y: 1, range: [0.5, 1.5] },
            { x: "length", y: 2 },
          ],
        },
        {
          kind: "bars",
          of: "ours",
          name: "other",
          points: [
            { x: "depth", y: 3 },
            { x: "length", y: 1 },
          ],
        },
        { kind: "dots", of: "theirs", name: "printed", points: [{ x: "length", y: 2 }] },
      ],
    },
  ],
};
