import { normaliseUrl } from "../../../src/formats/url/url-normal.ts";
import { Assertions, readCases, type Suite } from "../suite.ts";

interface UrlCase {
  readonly input: string;
  readonly base?: string;
  /** What a browser makes of it; null if it is no URL. */
  readonly href: string | null;
}

// What the standard's own answer says: http or https, and no user or password before the host.
const crawled = /^https?:\/\/(?![^/?#]*@)/;
const respelt = /[%#]|\?$|\?#/;

export const suite: Suite = {
  name: "URLs in one spelling: WHATWG URL",
  source: "github.com/web-platform-tests/wpt, url/resources/urltestdata.json; taken or not, the same URL, idempotent",
  run: () => {
    const assertions = new Assertions();
    for (const { input, base, href } of readCases<UrlCase>("url-whatwg.jsonl")) {
      const name = `${JSON.stringify(input)}${base === undefined ? "" : ` from ${base}`}`;
      const normal = normaliseUrl(input, base);
      if (href === null || !crawled.test(href)) {
        assertions.check(`${name}: is not crawled`, normal === undefined);
        continue;
      }
      const same = respelt.test(href) ? normal === normaliseUrl(href) : normal === href;
      assertions.check(`${name}: is ${href}`, normal !== undefined && same);
      assertions.check(`${name}: twice is once`, normal !== undefined && normaliseUrl(normal) === normal);
    }
    return assertions.result();
  },
};
