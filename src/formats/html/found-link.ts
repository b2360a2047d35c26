/**
 * What a link is for. `form` is a form that is sent by GET; `cite` the source of a quotation or a change, or a longer
 * description; `link` whatever `<link>` names and no other kind is for, such as `next` and `license`; `preload` what is
 * only fetched early; `meta` a picture or film for those who share the page.
 */
export const linkKinds = [
  "anchor",
  "area",
  "frame",
  "meta-refresh",
  "form",
  "link",
  "alternate",
  "canonical",
  "cite",
  "image",
  "script",
  "style",
  "font",
  "media",
  "object",
  "icon",
  "manifest",
  "preload",
  "meta",
] as const;

/** See {@link linkKinds}. */
export type LinkKind = (typeof linkKinds)[number];

/** A link of a page or a style sheet. */
export interface FoundLink {
  /** Absolute, `http:` or `https:`, without fragment. */
  readonly url: string;
  readonly kind: LinkKind;
  /** Whether each link of this kind to this URL says `nofollow`, `ugc` or `sponsored`. */
  readonly isNofollow: boolean;
}

/** Kinds that lead to other pages, rather than to parts of this one: what a crawler of pages follows. */
export const pageKinds: ReadonlySet<LinkKind> = new Set<LinkKind>([
  "anchor",
  "area",
  "frame",
  "meta-refresh",
  "link",
  "alternate",
  "canonical",
]);
