export { drawFigure } from "./figure-svg.ts";
export { formatNumber, formatRange } from "./number-text.ts";
export { formatPage } from "./result-page.ts";
export { formatResultAsJson, formatRowsAsCsv, type Origin } from "./row-files.ts";
export { basisWords, countVerdicts, isGoal, type VerdictCount, verdictWords } from "./verdict-count.ts";
export { formatVerdictsAsCsv } from "./verdict-csv.ts";
