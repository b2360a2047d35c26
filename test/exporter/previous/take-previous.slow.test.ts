import "./take-previous.test.ts";
