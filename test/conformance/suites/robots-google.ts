import { runRobotsCases } from "../robots-cases.ts";
import type { Suite } from "../suite.ts";

export const suite: Suite = {
  name: "robots.txt: google/robotstxt",
  source: "github.com/google/robotstxt, robots_test.cc; what it asserts of allowed paths, line ends and sitemaps",
  run: () => runRobotsCases("robots-google.jsonl"),
};
