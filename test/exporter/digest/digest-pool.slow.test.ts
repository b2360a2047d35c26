import "./digest-pool.test.ts";
