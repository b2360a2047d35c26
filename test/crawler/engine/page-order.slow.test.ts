import "./page-order.test.ts";
