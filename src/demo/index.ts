export {
  type DemoCheck,
  type DemoMethod,
  type DemoOptions,
  type DemoReport,
  type DemoVisit,
  demoMethods,
  runDemonstration,
} from "./demo.ts";
