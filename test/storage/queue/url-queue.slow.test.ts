import "./url-queue.test.ts";
