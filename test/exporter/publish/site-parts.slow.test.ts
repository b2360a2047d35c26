import "./site-parts.test.ts";
