export { type DemoOptions, runDemonstration } from "./demo.ts";
export { type Month, type MonthOptions, type Months, simulateMonths } from "./month.ts";
export { type DemoCheck, type DemoMethod, type DemoReport, type DemoVisit, demoMethods } from "./report.ts";
