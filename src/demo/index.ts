export { type DemoOptions, runDemonstration } from "./demo.ts";
export { type DemoCheck, type DemoMethod, type DemoReport, type DemoVisit, demoMethods } from "./report.ts";
