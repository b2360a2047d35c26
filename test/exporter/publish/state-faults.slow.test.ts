import "./state-faults.test.ts";
