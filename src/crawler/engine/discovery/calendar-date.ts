// With strokes between, or two digits each.
const wholeDate =
  /(?<![0-9])((?:19|2[0-9])[0-9]{2})(?:([-/._])(1[0-2]|0?[1-9])(?:\2(?:[12][0-9]|3[01]|0?[1-9]))?|(0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])?)(?![0-9])/;
const yearName = /^(?:y|yr|year|jahr|annee|ano|anno|yil|rok)$/i;
const monthName = /^(?:m|mo|mon|month|monat|mois|mes|mese)$/i;
const dayName = /^(?:d|day|tag|jour|dia|giorno)$/i;
// Names that calendars use; another parameter's number is no date.
const dateName = /date|day|month|year|cal|week|time|start|end|from|to|since|until|begin|jahr|monat|tag/i;

/** A date that a URL names. */
export interface UrlDate {
  /** Months since the year 0. */
  readonly month: number;
  /** The URL with the date blanked: what all pages of one calendar share. */
  readonly form: string;
}

/**
 * Finds the date that a URL asks for: `/2031/07/`, `/cal/2031-07-04`, `?date=20310704`, `?year=2031&month=7`.
 *
 * @returns undefined if there is none
 */
export function findDate(url: URL): UrlDate | undefined {
  let year: number | undefined;
  let month: number | undefined;
  const form: string[] = [];
  for (const parameter of url.search.slice(1).split("&")) {
    const equals = parameter.indexOf("=");
    const [name, value] = equals === -1 ? [parameter, ""] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
    const found = dateName.test(name) ? wholeDate.exec(value) : null;
    const isYear = yearName.test(name) && /^[0-9]{4}$/.test(value);
    const isMonth = monthName.test(name) && /^(?:0?[1-9]|1[0-2])$/.test(value);
    if (found !== null) {
      year ??= Number(found[1]);
      month ??= Number(found[3] ?? found[4]);
    } else if (isYear) year ??= Number(value);
    else if (isMonth) month ??= Number(value);
    const isDate = found !== null || isYear || isMonth || (dayName.test(name) && /^[0-9]{1,2}$/.test(value));
    form.push(isDate ? `${name}=` : parameter);
  }
  if (year !== undefined) return { month: year * 12 + (month ?? 1), form: `${url.pathname}?${form.join("&")}` };
  const found = wholeDate.exec(url.pathname);
  if (found === null) return undefined;
  const [text, pathYear, , stroked, plain] = found;
  // What stands behind a date in the path names an article, not a page of the calendar.
  const rest = url.pathname.slice(found.index + text.length);
  if (!/^(?:\/|\/?[0-9]{1,2}\/?|\.[a-z]{2,5}|\/index\.[a-z]{2,5})?$/.test(rest)) return undefined;
  const before = url.pathname.slice(0, found.index);
  return { month: Number(pathYear) * 12 + Number(stroked ?? plain), form: `${before}*?${form.join("&")}` };
}
