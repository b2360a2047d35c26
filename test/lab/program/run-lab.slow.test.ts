import "./run-lab.test.ts";
