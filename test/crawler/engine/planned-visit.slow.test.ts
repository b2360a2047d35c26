import "./planned-visit.test.ts";
