export { type FoundLink, type LinkKind, pageKinds } from "./found-link.ts";
export { type LinkOptions, type PageLinks, readLinks, readStyleLinks } from "./page-links.ts";
export { type ServedForm, servedFormOf } from "./served-form.ts";
