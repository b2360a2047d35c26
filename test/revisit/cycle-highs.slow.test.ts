import "./cycle-highs.test.ts";
