import { createRandom } from "../../src/core/random.ts";
import { generateWeb } from "../webs/generated-web.ts";
import type { WebShape } from "../webs/web-shape.ts";
import { checkSites } from "./crawl-parameters.ts";
import { RankedWeb } from "./rank-coverage.ts";

/** A kind of generated webs. */
export type WebKind = "plain" | "menus";

const shapes: Readonly<Record<WebKind, Partial<WebShape>>> = {
  plain: { linksPerPage: 2, outwardShare: 0.2, homeShare: 0, popularityExponent: 1.6 },
  menus: { linksPerPage: 8, outwardShare: 0.2, homeShare: 0.2, popularityExponent: 1.6, depthSkew: 4 },
};

/** Parameters of experiments that crawl webs of these kinds. */
export const kindParameters = {
  pages: { kind: "whole", default: 5000, quick: 600, min: 10, max: 1_000_000, meaning: "pages of a web" },
  sites: { kind: "whole", default: 150, quick: 30, min: 2, max: 100_000, meaning: "sites of a web" },
  cap: { kind: "whole", default: 500, quick: 100, min: 2, max: 1_000_000, meaning: "pages of a site at most" },
  webs: { kind: "whole", default: 3, quick: 1, min: 1, max: 100, meaning: "webs of each kind, drawn independently" },
  kinds: {
    kind: "choices",
    default: "plain,menus",
    quick: "plain",
    choices: ["plain", "menus"],
    meaning:
      "plain: links lead to home pages only from their own sites' trees; menus: to home pages and those near them",
  },
  rest: { kind: "number", default: 15, min: 0, max: 100_000, meaning: "w: seconds of rest of a site between requests" },
  answer: { kind: "number", default: 1, min: 0.001, max: 1000, meaning: "seconds from each request to its answer" },
} as const;

interface KindValues {
  readonly pages: number;
  readonly sites: number;
  readonly cap: number;
  readonly answer: number;
}

/** Whether a word names a kind of web. */
export function isWebKind(word: string | undefined): word is WebKind {
  return word !== undefined && Object.hasOwn(shapes, word);
}

/**
 * One of the webs of a kind, all of whose answers take equally long.
 *
 * @param number - from 1: which of them
 * @throws TidemarkError `bad-option` if its pages do not go into its sites
 */
export function drawKind(kind: WebKind, number: number, values: KindValues, seed: number): RankedWeb {
  checkSites(values);
  const size = { pages: values.pages, sites: values.sites, siteCap: values.cap };
  const speed = { serverSpread: 0, latencySeconds: values.answer, siteBytesPerSecond: 1e11 };
  return new RankedWeb(generateWeb({ ...size, ...speed, ...shapes[kind] }, createRandom(seed, "web", kind, number)));
}
