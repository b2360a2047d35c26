import { type ExpectedLink, findOwnLinks, readExpectedLinks } from "../link-pages.ts";
import type { Suite, SuiteResult } from "../suite.ts";

const nameOf = ({ page, url, kind }: ExpectedLink): string => `${page}: ${kind} ${url}`;

/** Every kind of link that HTML allows, each a case; a link that is found and is none is a case that did not pass. */
export const suite: Suite = {
  name: "links",
  source: "fixtures/conformance/links, after the HTML Living Standard, HTML 4.01, SVG 2 and CSS",
  run: (): SuiteResult => {
    const expected = readExpectedLinks();
    const found = new Set(findOwnLinks(expected).map(nameOf));
    const known = new Set(expected.map(nameOf));
    const missed = [...known].filter((name) => !found.has(name)).map((name) => ({ name, why: undefined }));
    const wrong = [...found].filter((name) => !known.has(name));
    return {
      total: known.size + wrong.length,
      passed: known.size - missed.length,
      differences: [...missed, ...wrong.map((name) => ({ name: `${name} is none`, why: undefined }))],
    };
  },
};
