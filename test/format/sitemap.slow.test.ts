import "./sitemap.test.ts";
