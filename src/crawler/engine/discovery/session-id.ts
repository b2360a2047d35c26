// Names of parameters that hold a visit's identity, in lower case. Short ones only beside a value that looks like one.
const sure: ReadonlySet<string> = new Set(
  "jsessionid phpsessid aspsessionid asp.net_sessionid sessionid session_id cfid cftoken osid oscsid zenid sessid".split(
    " ",
  ),
);
const likely: ReadonlySet<string> = new Set("sid session s phpsess".split(" "));
const tokenValue = /^(?=[^&]*[0-9])[0-9a-z_-]{16,128}$/i;
// Servlets write `;jsessionid=...` behind the path, ASP.NET `/(S(...))/` within it.
const pathParameter = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*/gi;
const aspSegment = /\/\((?:[A-Z]\([0-9a-z]{20,32}\)){1,3}\)(?=\/)/gi;

function isSession(parameter: string): boolean {
  const equals = parameter.indexOf("=");
  if (equals === -1) return false;
  const name = parameter.slice(0, equals).toLowerCase();
  return sure.has(name) || (likely.has(name) && tokenValue.test(parameter.slice(equals + 1)));
}

/**
 * Takes out of a URL what only names a visit: `;jsessionid=...`, `/(S(...))/`, `PHPSESSID=...`, and `sid=` and its
 * like where the value is a token of 16 or more characters, one of them a digit.
 *
 * @param url - absolute, without fragment
 * @returns the same text if there is nothing of the kind
 */
export function withoutSession(url: string): string {
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const bare =
    path.includes(";") || path.includes("/(") ? path.replace(pathParameter, "").replace(aspSegment, "") : path;
  if (mark === -1) return bare;
  const parameters = url.slice(mark + 1).split("&");
  const kept = parameters.filter((parameter) => !isSession(parameter));
  if (kept.length === parameters.length) return bare + url.slice(mark);
  return kept.length === 0 ? bare : `${bare}?${kept.join("&")}`;
}
