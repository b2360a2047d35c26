import "./standards-history.test.ts";
