export {
  parseRobots,
  Robots,
  robotsAllow,
  robotsCrawlDelaySeconds,
  robotsSitemaps,
  robotsUsage,
  robotsUsageText,
} from "./robots.ts";
export { ownProductToken, type RobotsAgent, robotsAgentOf } from "./robots-agent.ts";
export { formatRobotsBlock, replaceRobotsBlock } from "./robots-block.ts";
export { isUtf16Robots, maxRobotsBytes } from "./robots-line.ts";
export { isNoindexField, maxMetaBytes, saysNoindex } from "./robots-meta.ts";
