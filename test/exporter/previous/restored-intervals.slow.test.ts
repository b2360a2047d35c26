import "./restored-intervals.test.ts";
