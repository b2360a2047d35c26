export default {
  site: "https://example.org",
  build: { inlineStylesheets: "never" },
  cacheDir: "./.cache",
  vite: { cacheDir: "./.cache/vite" },
};
