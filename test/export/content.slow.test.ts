import "./content.test.ts";
