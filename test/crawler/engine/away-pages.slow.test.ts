import "./away-pages.test.ts";
