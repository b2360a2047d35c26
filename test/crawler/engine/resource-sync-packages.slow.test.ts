import "./resource-sync-packages.test.ts";
