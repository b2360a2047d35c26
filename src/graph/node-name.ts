import { parseUrl } from "../core/index.ts";

/** The host that a node's name says: that of a URL; or the name itself, which is a host written backwards, `org.example.www`. */
export function hostOfName(name: string): string {
  if (name.includes("://")) return parseUrl(name)?.hostname ?? name;
  return name.split(".").reverse().join(".");
}

/** Whether a node belongs to a site: to its host, or one below it. @param site - a host, `example.org` */
export function isOfSite(name: string, site: string): boolean {
  const host = hostOfName(name);
  return host === site || host.endsWith(`.${site}`);
}
