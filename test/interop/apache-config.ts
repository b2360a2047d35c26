import type { ServerSettings } from "./web-server.ts";

const modulesFolder = "/usr/lib/apache2/modules";
const modules = [
  "mpm_event",
  "authz_core",
  "mime",
  "dir",
  "deflate",
  "filter",
  "env",
  "headers",
  "alias",
  "rewrite",
  "include",
];

/** What Debian's Apache does by default, on one port, with one folder, and a log that is easy to read. */
export function apacheConfig(settings: ServerSettings): string {
  const { port, docroot, folder, logFile, user, gzip, snippet } = settings;
  return `
ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
${modules.map((name) => `LoadModule ${name}_module ${modulesFolder}/mod_${name}.so`).join("\n")}
${user === undefined ? "" : `User ${user}\nGroup ${user}`}
PidFile ${folder}/apache2.pid
DefaultRuntimeDir ${folder}/temp
Mutex file:${folder}/temp
ErrorLog ${folder}/error.log
LogFormat "%r %>s %b" plain
CustomLog ${logFile} plain
KeepAlive On
MaxKeepAliveRequests 100000
TypesConfig /etc/mime.types
AddType application/x-gzip .gz .tgz
${gzip ? "AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css application/javascript" : ""}
DocumentRoot ${docroot}
DirectoryIndex index.html
<Directory />
  Require all denied
</Directory>
<Directory ${docroot}>
  Options FollowSymLinks
  AllowOverride None
  Require all granted
</Directory>
${snippet}
`;
}
