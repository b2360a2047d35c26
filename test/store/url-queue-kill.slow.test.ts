import "./url-queue-kill.test.ts";
