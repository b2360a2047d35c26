import "./warc-visit.test.ts";
