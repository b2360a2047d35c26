import "../queue/url-queue-kill.test.ts";
