import "./history.test.ts";
