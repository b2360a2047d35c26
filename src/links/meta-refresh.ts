const form = /^[\t\n\f\r ]*(?:[0-9]|(?=\.))[0-9.]*(?:[\t\n\f\r ]*[;,]|[\t\n\f\r ])[\t\n\f\r ]*([^\t\n\f\r ].*)$/s;
const prefix = /^url[\t\n\f\r ]*=[\t\n\f\r ]*/i;

/**
 * The URL, as it is written, that the `content` of `<meta http-equiv="refresh">` leads to: `0; url=a`, `0;URL='a'`,
 * `5,a`, `0 a`, `.5; url = a`.
 *
 * @returns undefined if it means nothing, or only loads the page again
 * @see HTML Living Standard, section 4.2.5.3 "shared declarative refresh steps"
 */
export function readRefresh(content: string): string | undefined {
  const rest = form.exec(content)?.[1];
  if (rest === undefined) return undefined;
  const url = rest.replace(prefix, "");
  const quote = url[0];
  if (quote !== '"' && quote !== "'") return url === "" ? undefined : url;
  const end = url.indexOf(quote, 1);
  return url.slice(1, end === -1 ? undefined : end) || undefined;
}
