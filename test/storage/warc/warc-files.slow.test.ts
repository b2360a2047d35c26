import "./warc-files.test.ts";
