import "./zip-entries.test.ts";
