import { runRobotsCases } from "../robots-cases.ts";
import type { Suite } from "../suite.ts";

export const suite: Suite = {
  name: "robots.txt: crawler-commons",
  source: "github.com/crawler-commons/crawler-commons, SimpleRobotRulesParserTest.java and its robots.txt files",
  run: () => runRobotsCases("robots-crawler-commons.jsonl"),
};
