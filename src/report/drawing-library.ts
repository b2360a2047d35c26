// What figures are drawn with: by name, so that the bundle leaves out the rest of the packages.
export {
  axisFx,
  axisX,
  axisY,
  barY,
  dot,
  gridX,
  gridY,
  line,
  plot,
  rect,
  rectY,
  ruleX,
  ruleY,
} from "@observablehq/plot";
export { parseHTML } from "linkedom";
