import "./virtual-publisher.test.ts";
