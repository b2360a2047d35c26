import type { NameForm } from "./name-forms.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Configuration of servers, of sites, of deployment and of tools: whole names. */
const names = words(
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
  gruntfile.js gruntfile.coffee gulpfile.js gulpfile.babel.js gulpfile.ts knexfile.js knexfile.ts ormconfig.json brunch-config.js
  metalsmith.json phpunit.xml phpstan.neon phpcs.xml psalm.xml rector.php codeception.yml behat.yml karma.conf.js
  local.settings.json host.json launchsettings.json bundleconfig.json libman.json
  ` +
    // What stands for a whole program's settings in any form.
    `config.json configuration.json settings.json conf.json parameters.json options.ini settings.local.json default.json
  production.json development.json staging.json config.txt settings.txt database.json connectionstrings.json`,
);

const forms: readonly RegExp[] = [
  /^appsettings(?:\..{1,40})?\.json$|^connectionstrings?\.(?:json|config)$|\.(?:config|pubxml|publishsettings|azurepubxml)$/,
  /\.(?:tfstate|tfvars|tfplan|tf|hcl|nomad|bicep|pkr\.hcl|tfvars\.json|auto\.tfvars|tfstate\.json)$|^terraform\.tfstate/,
  /\.(?:config|conf)\.(?:[cm]?[jt]sx?|json)$|^webpack\..{1,40}\.js$|^webpack\.js$|^ecosystem\.json$/,
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

/**
 * Whether a name is that of configuration: of a server, a site, its deployment, or of tools and package managers.
 *
 * @param form - one of the forms of a name
 */
export function isConfiguration({ name }: NameForm): boolean {
  return names.has(name) || forms.some((one) => one.test(name));
}
