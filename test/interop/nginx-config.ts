import type { ServerSettings } from "./web-server.ts";

/** What Debian's nginx does by default, on one port, with one folder, and a log that is easy to read. */
export function nginxConfig(settings: ServerSettings): string {
  const { port, docroot, folder, logFile, user, gzip, snippet, http } = settings;
  return `
daemon off;
worker_processes 1;
${user === undefined ? "" : `user ${user};`}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 768; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  log_format plain '$request_method $request_uri $server_protocol $status $body_bytes_sent';
  access_log ${logFile} plain;
  client_body_temp_path ${folder}/temp/body;
  proxy_temp_path ${folder}/temp/proxy;
  fastcgi_temp_path ${folder}/temp/fastcgi;
  uwsgi_temp_path ${folder}/temp/uwsgi;
  scgi_temp_path ${folder}/temp/scgi;
  sendfile on;
  tcp_nopush on;
  gzip ${gzip ? "on" : "off"};
  keepalive_requests 100000;
${http}
  server {
    listen 127.0.0.1:${port};
    root ${docroot};
    index index.html;
${snippet}
  }
}
`;
}
