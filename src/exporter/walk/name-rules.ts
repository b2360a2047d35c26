import type { WithholdRule } from "../../core/index.ts";
import { isPublishedEnding, isPublishedType, isServerEnding } from "./media-types.ts";
import { formsOfName, isBackupName, lowerName, type NameForm } from "./name-forms.ts";
import { isConfiguration, isPrivate } from "./withheld-names.ts";

const versionControl = new Set(
  ".git .svn .hg .bzr .jj .pijul cvs _darcs rcs sccs _svn .fslckout _fossil_ .fossil codeowners".split(" "),
);
// Jakarta Servlet 6.0, section 10.5: a container serves nothing of it.
const javaApplication = /^(?:web|meta)-inf$/;
const serverFiles = new Set([".htaccess", ".htpasswd", ".htdigest", ".htgroup", ".user.ini"]);
const hiddenPrivate =
  /^\.(?:env(?:rc)?(?:[-_.].*)?|pgpass|netrc|my\.cnf|npmrc|pypirc|s3cfg|boto|dockercfg|.*_history)$/;
const desktopDroppings = new Set(["thumbs.db", "desktop.ini", "ehthumbs.db", "$recycle.bin"]);
const pythonCache = new Set(["__pycache__", "cgi-bin", "fcgi-bin", "scgi-bin"]);

// Most files of most sites. No rule below holds back a name that ends so, unless a dot begins it, or the mark of an office
// program's lock file.
const innocentEndings = new Set(
  "html htm xhtml css png jpg jpeg gif svg webp avif ico woff woff2 ttf mp3 mp4 webm".split(" "),
);

function isPlain(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot > 0 && name.charCodeAt(0) !== 0x2e && !name.startsWith("~$") && innocentEndings.has(name.slice(dot + 1));
}

/** A page whose own name is a dot: `..md`. Two dots and the ending of a type that is published make no hidden file. */
function isDotPage(name: string): boolean {
  return /^\.\.[a-z0-9]+$/.test(name) && isPublishedEnding(name.slice(2));
}

/**
 * Judges a file's or folder's name before anything else is known of it: default-deny, without regard to case.
 *
 * @param name - its bytes, one character a byte
 * @param isFolder - a folder held back holds back all that is below it
 * @returns the rule that holds it back, or undefined; `unknown-type` only where no other rule does
 */
export function judgeName(name: string, isFolder: boolean): WithholdRule | undefined {
  if (!isFolder && isPlain(name)) return undefined;
  const lower = lowerName(name);
  if (isFolder) return judgeFolderName(lower);
  if (versionControl.has(lower) || lower.endsWith(",v")) return "version-control";
  if (serverFiles.has(lower)) return "server-configuration";
  if (hiddenPrivate.test(lower)) return "private-data";
  const forms = formsOfName(name);
  if (lower.charCodeAt(0) === 0x2e && !isDotPage(lower)) return isPrivateAfterDot(forms) ? "private-data" : "hidden";
  return judgeForms(lower, forms) ?? (isPublishedType(lower) ? undefined : "unknown-type");
}

function judgeFolderName(lower: string): WithholdRule | undefined {
  if (versionControl.has(lower) || lower.endsWith(",v")) return "version-control";
  if (pythonCache.has(lower)) return "server-source";
  if (javaApplication.test(lower)) return "server-configuration";
  // RFC 8615: what lies there is meant to be found.
  if (lower === ".well-known") return undefined;
  return lower.charCodeAt(0) === 0x2e ? "hidden" : undefined;
}

function isPrivateAfterDot(forms: readonly NameForm[]): boolean {
  return forms.some((form) => form.ending !== "" && isPrivate(form) && form.ending !== "log");
}

function judgeForms(lower: string, forms: readonly NameForm[]): WithholdRule | undefined {
  if (forms.some(({ name }) => desktopDroppings.has(name))) return "backup";
  const [own] = forms;
  const texts = own?.ending === "txt" && /[-_.]|^ht|^passw/.test(own.stem) ? formsOfName(own.stem) : [];
  const all = [...forms, ...texts];
  if (all.some(isConfiguration)) return "server-configuration";
  if (all.some(isPrivate)) return "private-data";
  if (own !== undefined && isServerEnding(own.ending)) return "server-source";
  // The source of a script under an ending that no server runs.
  if (isBackupName(lower) || all.some(({ ending }) => isServerEnding(ending))) return "backup";
  return undefined;
}
