import type { NameForm } from "./name-forms.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const endings = words(
  // Keys, certificates with keys, key stores, passwords, tunnels.
  `pem key p12 pfx p8 pkcs8 pkcs12 jks jceks bcfks bks keystore truststore keytab kdb kdbx kwallet keychain psafe3 opvault
  agilekeychain 1pif 1pux ppk ovpn pcf rdp rdg csr p10 jwk netrc pgpass htpasswd htdigest htgroup htaccess
  mobileprovision provisionprofile env
  ` +
    // Databases, their journals, their dumps.
    `sql sqlite sqlite2 sqlite3 db db2 db3 s3db sl3 sqlitedb mdb accdb laccdb ldb mdf ldf ndf fdb gdb ibd frm myd myi rdb aof
  realm edb nsf dump dmp bson pgdump psql mysql mongo wal shm db-journal db-wal db-shm sqlite-journal sqlite-wal
  sqlite-shm sqlite3-journal sqlite3-wal sqlite3-shm ibdata wpress jpa bacpac dacpac
  ` +
    // Logs, what crashed programs leave, mail, what shells and debuggers remember.
    `log core hprof heapsnapshot mdmp stackdump crash pcap pcapng mbox mbx pst ost emlx dbx eml history`,
);

/** Whole names that say it without an ending, or in spite of one. */
const names = words(
  `authorized_keys authorized_keys2 known_hosts ssh_config sshd_config identity passwd shadow gshadow master.passwd sudoers
  htpasswd htdigest htgroup htusers netrc _netrc pgpass pgpass.conf my.cnf pg_service.conf s3cfg credentials secrets secret
  token tokens kubeconfig kube.config vault_pass vault-pass vault-token vault_token vault_password_file wallet.dat wallet.json
  ipsec.secrets chap-secrets pap-secrets krb5.conf krb5.keytab secring.gpg pubring.gpg pubring.kbx trustdb.gpg private.gpg secret.gpg
  secring.asc core vmcore nohup.out catalina.out syslog maillog mail.log messages wtmp btmp utmp lastlog dmesg
  dead.letter mbox sent-mail cookies.txt cookies.sqlite logins.json signons.sqlite key3.db key4.db sitemanager.xml recentservers.xml
  filezilla.xml winscp.ini ws_ftp.ini sftp-config.json sftp.json ftp.json ftpconfig ftpsync.settings remote-sync.json
  robomongo.json deployment-config.json tomcat-users.xml recentf rootkey.csv accesskeys.csv auth.json
  mysqldump dump.rdb appendonly.aof google-services.json googleservice-info.plist application_default_credentials.json
  access_tokens.db msal_token_cache.json azureprofile.json publishsettings accountkeys.json ibdata1 desktop.ini~`,
);

const forms: readonly RegExp[] = [
  /^(?:ssh_host_|id_|deploy_|github_|gitlab_|jenkins_|git_)?(?:rsa|dsa|ecdsa|ed25519|ed448)(?:_sk|_key|_id)?$/,
  /^(?:.+[-_.])?(?:id_)?(?:rsa|dsa|ecdsa|ed25519)(?:[-_]key)?$/,
  /^(?:deploy|private|priv|host|ssh|master|signing|server|secret|encryption|api|access|license)[-_.]?keys?$/,
  /^[._]?(?:bash|zsh|ksh|sh|fish|csh|tcsh|mysql|psql|sqlite|python|node_repl|irb|php|rediscli|mongo|dbshell|ash|wget|gdb)(?:_?hist(?:ory)?|-hsts)$|^[._]?(?:viminfo|lesshst|recently-used)$/,
  /(?:^|[-_.])(?:access|error|errors|debug|ssl_request|request|mail|php_errors?|php|slow|query|install|update|cron)_logs?$/,
  /^core(?:\.[\w-]{1,64})?\.\d{1,10}$|^core[-_.]?dump$|^vmcore[-.]|^vgcore\.|^hs_err_pid|^replay_pid|^crash[-_]dump/,
  /^wg\d{1,3}\.conf$|^wireguard\.conf$|^openvpn\.conf$/,
  /^(?:mysql-bin|binlog|mariadb-bin|relay-bin|ib_logfile|ibdata|undo)[._]?\d{0,10}(?:\.index)?$/,
  /\.wordpress\.\d{4}-\d\d-\d\d(?:\.\d{1,3})?\.xml$|^wordpress-export|\.wxr$/,
  /(?:^|[-_.])(?:client[-_]?(?:secrets?|id)|service[-_]?(?:account|principal)(?:[-_]?keys?)?|firebase[-_]adminsdk|access[-_]?(?:keys?|tokens?)|api[-_]?(?:keys?|tokens?|secrets?)|private[-_]?keys?|secret[-_]?(?:keys?|tokens?)|signing[-_]?keys?|ssh[-_]?keys?|vault|oauth[-_]?(?:tokens?|secrets?|credentials?)|auth[-_]?tokens?|license[-_]?keys?|recovery[-_]?(?:codes?|keys?)|backup[-_]?codes?|seed[-_]?phrase)(?:[-_.].{0,80})?\.(?:json|ya?ml|toml|xml|txt|csv|ini|conf|cfg|properties|asc|gpg|pgp)$/,
  /(?:^|[-_. ])(?:private|priv|secret|sec|secring|passwords?|credentials?|backup)(?:[-_]?keys?)?\.(?:asc|gpg|pgp)$/,
  /^(?:.{0,80}[-_. ])?(?:passwords?|passwd|passwort|passw(?:oe|\xc3\xb6)rter|credentials?|creds?|secrets|passphrases?|logins?|pwds?|dbpass|userpass|kennw(?:oe|\xc3\xb6)rter|contrase(?:n|\xc3\xb1)as|mots[-_ ]de[-_ ]passe)\.(?:json|ya?ml|toml|xml|txt|text|csv|tsv|xlsx?|xlsm|ods|docx?|odt|rtf|pdf|ini|conf|cfg|properties|numbers|pages|zip|7z|rar|gz)$/,
  /^(?:.{0,40}[-_.])?(?:secrets?|credentials?|passwords|passwd)\.(?:[cm]?[jt]s|map)$|^(?:db|database|server)\.[cm]?js$/,
  /^(?:lastpass|1password|bitwarden|dashlane|keepass|keepassxc|enpass|nordpass|roboform|keeper|chrome|firefox|safari)(?:[-_ .].{0,60})?(?:pass.{0,60}|login.{0,60}|export.{0,60}|vault.{0,60})?\.(?:csv|json|xml|1pux|txt)$/,
  /^(?:gcp|gcloud|gcs|aws|azure|s3|google|firebase|ssh|ssl|tls|jwt|rsa|pgp|gpg|stripe|paypal|twilio|sendgrid|mailgun|slack|github|gitlab|heroku|docker|smtp|ftp|mail|db|mysql|mongo|redis|admin|root|user|api)[-_.](?:keys?|creds?|tokens?|secrets?|pass|login|auth|config)(?:[-_.].{0,40})?\.(?:json|ya?ml|xml|txt|csv|ini|conf|cfg|properties|php|asc|gpg)$/,
  /^(?:users|user[-_]?(?:list|export|data)|accounts?|customers?|employees|staff[-_]list|payroll|salar(?:y|ies)|subscribers|patients|creditcards?)\.(?:csv|tsv|xlsx?|xlsm|ods|txt)$/,
  /^(?:logs?|errors?|debug|trace|stdout|stderr|output|history|phpinfo|crontab|environment|env|sql|ftp|smtp|mysql|ssh|vpn|wifi|pass|pw|pwd|login|private)\.(?:txt|json)$/,
  /^(?:secret|token|tokens|keys?|keyfile|keystore|private|auth|login|shadow|passwd|pass|account|cookies?|session|oauth2?(?:[-_]?(?:clients?|apps?|config|settings|keys?))?)\.(?:json|ya?ml|toml|txt|ini|conf|cfg|properties)$/,
  /^(?:db|database|databases|dump|dumps|mysql|mysqldump|postgres|postgresql|pgsql|sqlite|mongo|mongodb|redis|phpmyadmin|sql|dbdump|db[-_]?dump|sql[-_]?dump|database[-_]?dump|all[-_]databases|full[-_]?dump|backup|export[-_]db)\.(?:json|xml|csv|txt|ya?ml|zip|gz|tgz|tar|bz2|xz|zst|7z|rar)$/,
];

/** Archives of a site, a home or a backup that lie where downloads would. */
const ownArchive: readonly RegExp[] = [
  /^(?:.{0,80}[-_. ])?(?:backups?|bak|bkp|bck|bup|dumps?|htdocs|wwwroot|webroot|httpdocs|public_html|docroot|documentroot|inetpub|wp[-_]?content|wpcontent)$/,
  /^(?:backups?|bak|bkp|bck|dumps?|cpmove|cpbackup|updraft|akeeba)[-_. ]/,
  /^(?:www|web|site|website|html|root|home|etc|var|srv|opt|old|new|conf|config|configs|configuration|private|secrets?|keys|certs|ssl|ssh|server|prod|production|staging|dev|all|ftp|mail|logs?|app|apps|src|source|project|wordpress-site|db|database|sql|mysql|webapp|webapps|public|data|everything|full|latest-backup|deploy|deployment|admin|repo|git|tmp|temp|upload|uploads|api|backend|mailbox|laravel)$/,
  /_(?:archive|db|plugins|themes|uploads|others)$|^\d{8}_.*_[0-9a-f]{16,}_/,
];
// Named as the site is; of a compressed file it would be a language, as in README.fr.gz.
const siteName =
  /^(?:www\.)?[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,2}[._](?:com|org|net|edu|gov|info|biz|de|uk|fr|nl|eu|ch|at|it|es|pl|ru|cn|jp|br|ca|us|au)\.(?:zip|tgz|7z|rar|tar|txz|tar\.(?:gz|bz2|xz|zst))$/;
const archive = /^(?:zip|gz|tgz|bz2|tbz2?|xz|txz|zst|7z|rar|tar|lz4?|lzma)$/;

/**
 * Whether a name is that of keys, credentials, databases, dumps, logs, core files, mail, or archives of the site itself.
 *
 * @param form - one of the forms of a name
 */
export function isPrivate({ name, stem, ending }: NameForm): boolean {
  if (endings.has(ending) || names.has(name)) return true;
  if (archive.test(ending) && ownArchive.some((one) => one.test(stem))) return true;
  return siteName.test(name) || forms.some((one) => one.test(name));
}
