import { normaliseUrl } from "../../../src/formats/url/url-normal.ts";
import { Assertions, readCases, type Suite } from "../suite.ts";

interface UrlCase {
  readonly name: string;
  readonly input: string;
  readonly normal: string;
  readonly differs?: string;
}

export const suite: Suite = {
  name: "URLs in one spelling: crawler-commons",
  source: "github.com/crawler-commons/crawler-commons, BasicURLNormalizerTest.java",
  run: () => {
    const assertions = new Assertions();
    for (const { name, input, normal, differs } of readCases<UrlCase>("url-crawler-commons.jsonl"))
      assertions.check(`${name}: ${JSON.stringify(input)}`, normaliseUrl(input) === normal, differs);
    return assertions.result();
  },
};
