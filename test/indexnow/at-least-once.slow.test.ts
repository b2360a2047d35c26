import "./at-least-once.test.ts";
