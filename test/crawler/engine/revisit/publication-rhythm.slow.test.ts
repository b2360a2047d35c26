import "./publication-rhythm.test.ts";
