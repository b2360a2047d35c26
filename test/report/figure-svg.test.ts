import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SaxesParser } from "saxes";
import { drawFigure } from "../../src/report/figure-svg.ts";
import { madeResult } from "./made-result.ts";

const [lines, bars] = madeResult.figures;
if (lines === undefined || bars === undefined) throw new Error("no figures");

/** Texts of an SVG, in order. @throws if it is not well-formed */
function textsOf(svg: string): string[] {
  const texts: string[] = [];
  const parser = new SaxesParser();
  let isText = false;
  parser.on("opentag", ({ name }) => {
    isText = name === "text";
  });
  parser.on("closetag", () => {
    isText = false;
  });
  parser.on("text", (text) => {
    if (isText) texts.push(text);
  });
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(svg).close();
  return texts;
}

describe("drawFigure", () => {
  it("draws every kind of mark as well-formed SVG with a legend that tells ours from theirs", async () => {
    const texts = textsOf(await drawFigure(lines));
    assert.equal(texts[0], "Lines & more <here>");
    assert.deepEqual(texts.slice(1, 9), [
      "Published: between",
      "Published: at ten",
      "Ours: half",
      "Ours: rising",
      "Published: falling",
      "Ours: ours",
      "Published: theirs",
      "Ours: right",
    ]);
    assert.ok(texts.includes("100 %") && texts.some((text) => text.includes("Size, in bytes")));
  });

  it("shows days that lie far apart: few ticks, and bars that can be seen", async () => {
    for (const days of [20_000, 20_500, 2_900_000].map((last) => [19_900, 19_950, last])) {
      const points = days.map((x) => ({ x, y: 1 }));
      const x = { label: "day", kind: "days" } as const;
      const marks = [{ kind: "bars", of: "ours", name: "requests", points }] as const;
      for (const width of [720, 356]) {
        const svg = await drawFigure({ ...bars, x, marks }, width);
        assert.ok(textsOf(svg).length < 40, `${textsOf(svg).length} texts`);
        const widths = [...svg.matchAll(/<rect height="[^"]*" width="([^"]*)" y=/g)].map(([, one]) => Number(one));
        assert.equal(widths.length, 3);
        assert.ok(Math.min(...widths) > 0.99, `widths ${widths}`);
      }
    }
  });

  it("sets names upright that are too long to stand beside each other", async () => {
    const heightOf = (svg: string): number => Number(/height="(\d+)"/.exec(svg)?.[1]);
    const names = Array.from({ length: 9 }, (_, at) => `a name that is long ${at}`);
    const points = names.map((x, at) => ({ x, y: at + 1 }));
    const many = { ...bars, marks: [{ kind: "bars", of: "ours", name: "mean", points }] } as const;
    const [svg, few] = [await drawFigure(many), await drawFigure(bars)];
    for (const name of names) assert.ok(textsOf(svg).includes(name), name);
    assert.match(svg, /rotate\(-90\)[^>]*>[^<]*a name that is long 0/);
    assert.doesNotMatch(few, /rotate\(-90\)/);
    assert.ok(heightOf(svg) > heightOf(few) + 80);
  });

  it("groups bars by name, with what is published among them", async () => {
    const texts = textsOf(await drawFigure(bars));
    assert.ok(
      ["depth", "length", "Order"].every((name) => texts.includes(name)),
      String(texts),
    );
  });

  it("draws error bars where runs repeat, and none elsewhere", async () => {
    const barsOf = async (figure: typeof bars) => (await drawFigure(figure)).match(/marker-start=/g)?.length ?? 0;
    assert.deepEqual([await barsOf(bars), await barsOf(lines)], [1, 1]);
    assert.equal(await barsOf({ ...bars, marks: bars.marks.slice(1) }), 0);
  });

  it("is one image with one label", async () => {
    const svg = await drawFigure(lines);
    assert.deepEqual(svg.match(/aria-[a-z]+="[^"]*"/g), ['aria-label="Lines &amp; more &lt;here&gt;"']);
  });

  it("gives the same bytes again, whatever was drawn before", async () => {
    const first = await drawFigure(lines);
    await drawFigure(bars);
    assert.equal(await drawFigure(lines), first);
  });

  it("gives each of many lines a look of its own, and names them alone where nothing is published", async () => {
    const names = Array.from({ length: 12 }, (_, line) => `line ${line}`);
    const svg = await drawFigure({
      ...lines,
      hasPublished: false,
      marks: names.map((name, y) => ({
        kind: "line",
        of: "ours",
        name,
        points: [
          { x: 1, y },
          { x: 2, y },
        ],
      })),
    });
    assert.deepEqual(textsOf(svg).slice(1, 13), names);
    const looks = [...svg.matchAll(/<path d="M0,0H26"([^>]*)>/g)].map(([, look]) => look);
    assert.deepEqual([looks.length, new Set(looks).size], [12, 12]);
  });

  it("has colours for light and dark", async () => {
    const svg = await drawFigure(lines);
    assert.match(svg, /@media \(prefers-color-scheme:dark\)/);
    // Nothing has a colour that the theme does not know.
    const colours = [...svg.replace(/<style>.*?<\/style>/s, "").matchAll(/(?:fill|stroke)="([^"]+)"/g)].map(
      ([, one]) => one,
    );
    assert.deepEqual(
      [...new Set(colours)].filter((one) => !/^(?:var\(--[a-z0-9-]+\)|none|currentColor)$/.test(one ?? "")),
      [],
    );
  });
});
