import "./tell-index-now.test.ts";
