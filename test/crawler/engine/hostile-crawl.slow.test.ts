import "./hostile-crawl.test.ts";
