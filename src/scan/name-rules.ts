import type { WithholdRule } from "../model/index.ts";

const versionControl = new Set([".git", ".svn", ".hg", ".bzr", ".jj", "CVS", "_darcs", "RCS", "SCCS", ".fslckout"]);
const serverConfiguration = new Set([
  ".htaccess",
  ".htpasswd",
  ".htdigest",
  ".htgroup",
  ".user.ini",
  "web.config",
  "nginx.conf",
  "httpd.conf",
  "php.ini",
]);
// Jakarta Servlet 6.0, section 10.5: a container serves nothing of it.
const javaApplication = /^(?:WEB|META)-INF$/i;
const backupName =
  /(?:~|^#.*#|\.(?:bak|backup|old|orig|save|sav|swp|swo|swn|tmp|temp|rej|part|crdownload|dpkg-(?:old|dist|new|bak)|rpm(?:save|orig|new)|ucf-(?:old|dist|new)))$/i;
const desktopDroppings = new Set(["Thumbs.db", "thumbs.db", "desktop.ini", "Desktop.ini"]);
const serverSource =
  /\.(?:shtm|stm|php[0-9s]?|phtml|phps|phar|inc|aspx?|as[chmt]x|asa|asax|cshtml|vbhtml|jspx?|cfml?|cfc|cgi|fcgi)$/i;
const privateData =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.env.*|core\.\d+)$|\.(?:sql|sqlite3?|db|db3|mdb|accdb|dump|pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)(?:\.(?:gz|bz2|xz|zst|zip|7z))?$/i;

// Most files of most sites. No rule below holds back a name that ends so, unless a dot begins it.
const innocentEndings = new Set(
  "html htm xhtml css js mjs json png jpg jpeg gif svg webp avif ico txt md xml pdf woff woff2 mp3 mp4 webm".split(" "),
);

function isPlain(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot > 0 && name.charCodeAt(0) !== 0x2e && innocentEndings.has(name.slice(dot + 1));
}

/**
 * Judges a file's or folder's name before anything else is known of it: default-deny.
 *
 * @param name - its bytes, one character a byte
 * @param isFolder - a folder held back holds back all that is below it
 * @returns the rule that holds it back, or undefined
 */
export function judgeName(name: string, isFolder: boolean): WithholdRule | undefined {
  if (!isFolder && isPlain(name)) return undefined;
  if (versionControl.has(name) || name.endsWith(",v")) return "version-control";
  if (isFolder && name === "cgi-bin") return "server-source";
  if (serverConfiguration.has(name.toLowerCase())) return "server-configuration";
  if (isFolder && javaApplication.test(name)) return "server-configuration";
  const first = name.charCodeAt(0);
  const isHidden = first === 0x2e;
  if (isFolder) return isHidden ? "hidden" : undefined;
  if (privateData.test(name)) return "private-data";
  if (isHidden) return "hidden";
  if (backupName.test(name) || desktopDroppings.has(name)) return "backup";
  if (serverSource.test(name)) return "server-source";
  return undefined;
}
