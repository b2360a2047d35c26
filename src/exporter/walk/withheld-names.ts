import type { NameForm } from "./name-forms.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Configuration of servers, of sites, of deployment and of tools: whole names. */
const configurationNames = words(
  // Web servers and interpreters.
  `web.config app.config machine.config nginx.conf httpd.conf apache2.conf apache.conf lighttpd.conf caddyfile php.ini php-fpm.conf
  fpm.conf user.ini php-cli.ini haproxy.cfg varnish.vcl traefik.yml traefik.toml server.xml context.xml web.xml ejb-jar.xml
  applicationcontext.xml persistence.xml hibernate.cfg.xml log4j.xml log4j2.xml logback.xml struts.xml sun-web.xml jboss-web.xml
  weblogic.xml ibm-web-bnd.xml faces-config.xml global.asax uwsgi.ini gunicorn.conf.py supervisord.conf passenger.json unicorn.rb puma.rb
  my.ini redis.conf mongod.conf postgresql.conf pg_hba.conf sphinx.conf exim4.conf main.cf master.cf
  ` +
    // Sites' own settings, in the languages that sites are written in.
    `wp-config.php configuration.php localsettings.php settings.php config.php config.inc.php db.php database.php
  connect.php connection.php dbconfig.php conf.php parameters.php settings.inc.php sites.php services.php
  localsettings.py local_settings.py settings.py config.py secrets.py wsgi.py asgi.py manage.py fabfile.py tasks.py
  config.rb secrets.rb schema.rb database.rb config.ru rakefile gemfile gemfile.lock config.xml local.xml settings.xml
  env.php application.ini
  ` +
    // Deployment, containers, clouds, continuous integration.
    `dockerfile containerfile vagrantfile jenkinsfile procfile makefile gnumakefile justfile brewfile berksfile puppetfile ansible.cfg
  hosts inventory crontab docker-compose.yml docker-compose.yaml compose.yml compose.yaml dockerrun.aws.json dockercfg
  firebase.json database.rules.json firestore.rules vercel.json now.json netlify.toml app.yaml app.json cdk.json cdk.context.json
  samconfig.toml serverless.yml serverless.json zappa_settings.json task-definition.json taskdef.json buildspec.yml appspec.yml
  cloudbuild.yaml cloudbuild.json azure-pipelines.yml bitbucket-pipelines.yml codeship-services.yml circle.yml appveyor.yml
  sonar-project.properties renovate.json fastfile appfile chart.yaml values.yaml kustomization.yaml skaffold.yaml tiltfile
  ` +
    // Package managers and build tools.
    `package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bower.json composer.json composer.lock
  composer.phar auth.json installed.json pom.xml build.xml build.gradle settings.gradle gradle.properties cargo.toml cargo.lock
  go.mod go.sum pipfile pipfile.lock poetry.lock pyproject.toml requirements.txt dev-requirements.txt constraints.txt setup.py setup.cfg
  tox.ini mix.exs mix.lock project.json global.json nuget.config packages.config paket.dependencies packages.lock.json tsconfig.json
  jsconfig.json angular.json nx.json lerna.json rush.json turbo.json workspace.json nodemon.json deno.json babel.config.json
  wrangler.json gruntfile.coffee brunch-config.js metalsmith.json phpunit.xml phpstan.neon phpcs.xml psalm.xml rector.php codeception.yml behat.yml karma.conf.js
  local.settings.json host.json launchsettings.json bundleconfig.json libman.json
  ` +
    // What stands for a whole program's settings in any form.
    `config.json configuration.json settings.json conf.json parameters.json options.ini settings.local.json default.json
  production.json development.json staging.json config.txt settings.txt database.json connectionstrings.json`,
);

const configurationForms: readonly RegExp[] = [
  /^appsettings(?:\..{1,40})?\.json$|^connectionstrings?\.(?:json|config)$|\.(?:config|pubxml|publishsettings|azurepubxml)$/,
  /\.(?:tfstate|tfvars|tfplan|tf|hcl|nomad|bicep|pkr\.hcl|tfvars\.json|auto\.tfvars|tfstate\.json)$|^terraform\.tfstate/,
  /\.(?:config|conf)\.(?:[cm]?[jt]sx?|json)$|^webpack\..{1,40}\.js$|^webpack\.js$|^ecosystem\.json$/,
  /^(?:gruntfile|gulpfile|knexfile|ormconfig|truffle-config)(?:\.babel)?\.(?:[cm]?[jt]s|json)$/,
  /^(?:ts|js)config\..{1,40}\.json$|^docker-compose(?:[-.].{1,40})?\.ya?ml$|^dockerfile[-.].{1,40}$|^.{1,40}\.dockerfile$/,
  /^(?:vhosts?|apache|nginx|httpd|php|mysql|ssl|fastcgi|uwsgi|proxy|server|site|default)(?:[-_.].{1,40})?\.(?:conf|cnf|ini)$/,
  /^(?:wp-config|configuration|localsettings|settings|config|database|parameters|secrets|application|bootstrap|credentials)(?:[-_.].{1,40})?\.(?:php|ya?ml|properties|ini|conf|cfg|toml|neon|xml|rb|py|inc|env|pl)$/,
  /^(?:wp-config|localsettings|configuration|settings|config|parameters|database|htaccess)\.txt$/,
  /^(?:prod|production|dev|development|staging|local|db|database|app|api|server|site|my|web|aws|s3|mail|smtp|ftp|firebase|docker|redis|mysql|mongo|nginx|php|wp|env|runtime)[-_.]?(?:config|configuration|settings)\.(?:json|xml|ya?ml|txt|php)$/,
  /^(?:aws|azure|gcp|gcloud|s3|smtp|mail|ftp|ssh|vpn|mongodb|mysql|redis|consul|nomad|packer|daemon|swarm|vault|heroku|inventory|jenkins|datasources?|unattend|autounattend|sysprep|ehcache|quartz|ivy|logging|elmah|settings-security)(?:\.local)?\.(?:json|xml|ya?ml)$/,
  /^(?:application|spring|beans|dispatcher)(?:[-_.].{1,40})?\.xml$|[-_](?:context|servlet|beans|ds)\.xml$/,
  /^azuredeploy(?:\..{1,40})?\.json$|^azureauth\.json$|^cloudformation(?:[-_.].{1,40})?\.(?:json|ya?ml|template)$|^template\.ya?ml$/,
  /^requirements(?:[-_.].{1,40})?\.txt$|^package-lock\..{1,40}\.json$|^composer\..{1,40}\.json$/,
];

/** Whether a form of a name is that of configuration: of a server, a site, its deployment, or of tools and package managers. */
export function isConfiguration({ name }: NameForm): boolean {
  return configurationNames.has(name) || configurationForms.some((one) => one.test(name));
}

/** Endings of private data. */
const privateEndings = words(
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
const privateNames = words(
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

const privateForms: readonly RegExp[] = [
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
  /^(?:.{0,80}[-_. ])?(?:passwords?|passwd|passwort|passw(?:oe|o\xcc\x88|\xc3[\x96\xb6])rter|credentials?|creds?|secrets|passphrases?|logins?|pwds?|dbpass|userpass|kennw(?:oe|o\xcc\x88|\xc3[\x96\xb6])rter|contrase(?:n|n\xcc\x83|\xc3[\x91\xb1])as|mots?[-_ ]de[-_ ]passe)\.(?:json|ya?ml|toml|xml|txt|text|csv|tsv|xlsx?|xlsm|ods|docx?|odt|rtf|pdf|ini|conf|cfg|properties|numbers|pages|zip|7z|rar|gz)$/,
  /^(?:.{0,40}[-_.])?(?:secrets?|credentials?|passwords|passwd)\.(?:[cm]?[jt]s|map)$|^(?:db|database|server)\.[cm]?[jt]s$/,
  /^(?:.{0,80}[-_. ])?(?:recovery[-_ ]?(?:codes?|keys?)|backup[-_ ]?codes?|seed[-_ ]?phrase)(?:[-_. ].{0,80})?\.(?:txt|text|csv|json|xlsx?|ods|docx?|odt|rtf|pdf)$/,
  /^(?:.{0,40}[-_.])?sa[-_]?key(?:[-_.].{0,40})?\.json$|^gha[-_]creds(?:[-_.].{0,40})?\.json$/,
  /^(?:lastpass|1password|bitwarden|dashlane|keepass|keepassxc|enpass|nordpass|roboform|keeper|chrome|firefox|safari)(?:[-_ .].{0,60})?(?:pass.{0,60}|login.{0,60}|export.{0,60}|vault.{0,60})?\.(?:csv|json|xml|1pux|txt)$/,
  /^(?:gcp|gcloud|gcs|aws|azure|s3|google|firebase|ssh|ssl|tls|jwt|rsa|pgp|gpg|stripe|paypal|twilio|sendgrid|mailgun|slack|github|gitlab|heroku|docker|smtp|ftp|mail|db|mysql|mongo|redis|admin|root|user|api)[-_.](?:keys?|creds?|tokens?|secrets?|pass|login|auth|config)(?:[-_.].{0,40})?\.(?:json|ya?ml|xml|txt|csv|ini|conf|cfg|properties|php|asc|gpg)$/,
  /^(?:users|user[-_]?(?:list|export|data)|accounts?|customers?|employees|staff[-_]list|payroll|salar(?:y|ies)|subscribers|patients|creditcards?)\.(?:csv|tsv|xlsx?|xlsm|ods|txt)$/,
  /^(?:logs?|errors?|debug|trace|stdout|stderr|output|history|phpinfo|crontab|environment|env|sql|ftp|smtp|mysql|ssh|vpn|wifi|pass|pw|pwd|login|private)\.(?:txt|json)$/,
  /^(?:secret|token|tokens|identity|keys?|keyfile|keystore|private|auth|login|shadow|passwd|pass|account|cookies?|session|oauth2?(?:[-_]?(?:clients?|apps?|config|settings|keys?))?)\.(?:json|ya?ml|toml|txt|ini|conf|cfg|properties)$/,
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

/** Whether a form of a name is that of keys, credentials, databases, dumps, logs, core files, mail, or archives of the site itself. */
export function isPrivate({ name, stem, ending }: NameForm): boolean {
  if (privateEndings.has(ending) || privateNames.has(name)) return true;
  if (archive.test(ending) && ownArchive.some((one) => one.test(stem))) return true;
  return siteName.test(name) || privateForms.some((one) => one.test(name));
}
