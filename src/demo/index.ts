export {
  type DemoCheck,
  type DemoMethod,
  type DemoReport,
  type DemoVisit,
  demoMethods,
  runDemonstration,
} from "./demo.ts";
