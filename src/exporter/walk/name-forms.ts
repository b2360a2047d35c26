/** A name as a rule sees it: in small letters, cut at its last dot. */
export interface NameForm {
  readonly name: string;
  /** What stands before the last dot; the whole name if a dot only begins it, or there is none. */
  readonly stem: string;
  /** What stands behind the last dot; empty if there is nothing. */
  readonly ending: string;
}

/** How many endings are removed from one name: a name has at most 255 bytes, and people add three or four. */
const maxRemoved = 8;

const date = String.raw`(?:19|20)\d\d[-._]?(?:0[1-9]|1[0-2])(?:[-._]?(?:0[1-9]|[12]\d|3[01])(?:[-._t ]?\d{2}(?:[-._:h]?\d{2}){0,2}z?)?)?`;
// What is packed or encrypted is what its name says without that.
const packing = /\.(?:gz|bz2|xz|zst|lz4?|lzma|br|z|zip|7z|rar|tar|tgz|tbz2?|txz|asc|gpg|pgp|age|enc|aes|crypt)$/;
const folderPacking = /\.(?:zip|7z|rar|tar|tgz|tbz2?|txz)$/;
const sureBackup =
  /(?:~|^~\$.*|^#.*#|\.(?:bak|backup|bkp|bck|old|orig|original|save|saved|sav|sw[j-p]|tmp|temp|rej|part|partial|crdownload|copy|prev|previous|swap|un~|dpkg-(?:old|dist|new|bak|tmp)|rpm(?:save|orig|new)|ucf-(?:old|dist|new)|pac(?:new|save|orig)|merge_file_\w+|(?:mine|theirs|ours|base|local|remote)))\d{0,4}$/;
const rotation = new RegExp(
  String.raw`(?:\.~?\d{1,14}~?|[-._]${date}|\.(?:disabled|inactive|off|dist|sample|example|template|tpl|tmpl|default|new|dev|development|prod|production|stag(?:e|ing)|test|live|local|bk|in|html?_?old|\d{0,3}[_-]?(?:old|copy|bak|backup|orig)))$|[-_](?:old|copy|bak|backup|orig|save|new|tmp)\d{0,4}$`,
);
const stemMark = new RegExp(
  String.raw`(?:[-_. ]+(?:old|copy|kopie|copie|bak|backup|bkp|orig|original|save|saved|new|tmp|temp|prev|previous|test|dev|development|prod|production|stag(?:e|ing)|local|live|example|sample|dist|template|default|final|v?\d{1,14}|${date})\d{0,4}|[ _-]*\(\d{1,4}\)|[~_-])$`,
);
const stemPrefix = new RegExp(
  String.raw`^(?:copy(?: \(\d{1,4}\))? of |copie de |kopie von |(?:old|bak|backup|orig|copy|tmp|temp|new|prev)[-_. ]|${date}[-_. ]|[_#~-]+(?=[a-z0-9]))`,
);

// Of an app-1.0.zip it is a version that says it is a release; app-2026.01.31.zip is a copy of that day.
const release =
  /^(?:apps?|src|source|project|server|webapps?|api|backend|admin|data|laravel)[-_ ]?v?\d{1,3}(?:\.\d{1,5}){1,3}(?:[-.]?(?:a|alpha|b|beta|rc|pre)[-.]?\d{0,3})?$/;

/**
 * A name in small letters. Only letters of ASCII change: one character is a byte, and another one may be a part of a letter
 * in UTF-8.
 */
export function lowerName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

export function cutName(name: string): NameForm {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? { name, stem: name, ending: "" } : { name, stem: name.slice(0, dot), ending: name.slice(dot + 1) };
}

/**
 * All that a name may stand for: itself, and what is left when endings of backups, rotation, dates and compression are
 * removed, such as `wp-config.php` for `wp-config-old.php.20260101.gz`.
 *
 * @param name - one character a byte
 * @returns forms in small letters, the name itself first; a bounded number
 */
export function formsOfName(name: string): NameForm[] {
  const lower = lowerName(name);
  const forms = formsOfLower(lower);
  // serviceAccountKey.json is service-account-key.json.
  const spaced = lowerName(name.replace(/([a-z])([A-Z])/g, "$1-$2"));
  return spaced === lower ? forms : [...forms, ...formsOfLower(spaced)];
}

function formsOfLower(name: string): NameForm[] {
  const forms: NameForm[] = [];
  let rest = name;
  let isFolder = false;
  for (let removed = 0; removed < maxRemoved; removed++) {
    const form = cutName(rest);
    forms.push(form);
    const stem = bareStem(form.stem);
    // A packed folder core-2.0.zip is a release, and no core file.
    const isPacked = folderPacking.test(form.name) && release.test(form.stem);
    const isRelease = isPacked || (isFolder && !/[a-z]/.test(form.ending));
    if (stem !== form.stem && !isRelease) forms.push(cutName(form.ending === "" ? stem : `${stem}.${form.ending}`));
    const shorter = removeEnding(rest);
    if (shorter === rest || shorter === "") break;
    if (folderPacking.test(rest)) isFolder = true;
    rest = shorter;
  }
  return forms;
}

/** Whether an ending says by itself that a file is what an editor, a package manager or a download left. */
export function isBackupName(name: string): boolean {
  return sureBackup.test(lowerName(name));
}

function removeEnding(name: string): string {
  if (name.startsWith("#") && name.endsWith("#")) return name.slice(1, -1);
  if (name.startsWith("~$")) return name.slice(2);
  for (const form of [packing, sureBackup, rotation]) {
    const found = form.exec(name);
    if (found !== null && found.index > 0) return name.slice(0, found.index);
  }
  return name;
}

function bareStem(stem: string): string {
  let bare = stem;
  for (let removed = 0; removed < maxRemoved; removed++) {
    const shorter = bare.replace(stemMark, "").replace(stemPrefix, "");
    if (shorter === bare || shorter === "") break;
    bare = shorter;
  }
  return bare;
}
