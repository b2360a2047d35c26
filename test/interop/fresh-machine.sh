#!/usr/bin/env bash
# Runs as root inside a machine that was made fresh, as a unit of its systemd; fresh-machine.ts starts it.
# /trial holds the package, the documents' commands as install.sh, upgrade.sh, remove-site.sh and remove-program.sh, the servers'
# lines, and the folder out, where each step leaves what it said and how it ended.
set -u
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
site=example.org
unit=tidemark-export@$site.service
docroot=/var/www/html
published=$docroot/.well-known/tidemark
state=/var/lib/private/tidemark/$site

# step NAME COMMAND...: what it printed in out/NAME, how it ended in out/NAME.code
step() {
  local name=$1
  shift
  "$@" >"/trial/out/$name" 2>&1 </dev/null
  echo $? >"/trial/out/$name.code"
}

list_docroot() { (cd $docroot && find . -not -type d -printf '%p %s\n' | sort); }
read_index() { gzip -dc $published/index.gz; }
# Each fetch prints the status and the headers, as curl sees them.
fetch() { curl --silent --max-time 10 --output /trial/body --dump-header - "$@"; }

# The probe as the unit's user, without the unit.
probe_alone() {
  local uid group
  uid=$(stat -c %u $state)
  group=$(getent group tidemark | cut -d: -f3)
  STATE_DIRECTORY=$published setpriv --reuid "$uid" --regid "$uid" --groups "$group" sh /trial/fresh-machine-probe.sh
  cat $published/probe
  rm -f $published/probe
}

# A site as many are: pages, a rule of robots.txt, certificates by ACME, something private.
rm -f $docroot/*
mkdir -p $docroot/private $docroot/.well-known/acme-challenge $docroot/pages
for page in $(seq 300); do echo "<p>page $page" >$docroot/pages/$page.html; done
echo "<p>hello" >$docroot/index.html
echo "<p>private" >$docroot/private/index.html
echo "token" >$docroot/.well-known/acme-challenge/token
echo "secret" >$docroot/pages/secret.html && chmod 600 $docroot/pages/secret.html
printf 'User-agent: *\nDisallow: /private/\n' >$docroot/robots.txt
step before list_docroot

# What the document says, word for word, but that the package is not yet in a registry.
step install bash -euxc "$(sed 's|install --global tidemark|install --global --offline --cache /trial/npm /trial/tidemark.tgz|' /trial/install.sh)"
step verify systemd-analyze verify --man=no /etc/systemd/system/tidemark-export@.{service,timer} /etc/systemd/system/tidemark-watch@.service
step export systemctl show -p Result,ExecMainStatus,User,DynamicUser $unit
step index read_index
step robots cat $docroot/robots.txt
step timer systemctl show -p ActiveState,NextElapseUSecRealtime,Persistent tidemark-export@$site.timer
step status tidemark status --base-url https://$site/
step status-of-others setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent tidemark status --base-url https://$site/
step owners stat -c '%U:%G %a %n' $published $published/index.gz

# A change, and then none.
echo "<p>changed" >$docroot/index.html
step change systemctl start $unit
step index-changed read_index
step same systemctl start $unit
step index-same read_index

# The unit itself, but for its command: what can it write, where the folders would let it?
mkdir -p /etc/systemd/system/tidemark-export@$site.service.d
printf '[Service]\nExecStart=\nExecStart=/bin/sh /trial/fresh-machine-probe.sh\n' \
  >/etc/systemd/system/tidemark-export@$site.service.d/probe.conf
chmod -R a+w $docroot /etc/tidemark /opt /srv
systemctl daemon-reload
step probe systemctl start $unit
step sandbox cat $state/probe
step no-sandbox probe_alone
rm -r $state/probe /etc/systemd/system/tidemark-export@$site.service.d
chmod -R go-w $docroot && chmod 2775 $published && chmod go-w /etc/tidemark /opt /srv
systemctl daemon-reload

# And the same user without the sandbox, where only the folders' own rights hold.
step rights probe_alone

# Another night systemd may give the user another number: files of the old one stay in the folder.
chown -R 61999 $published/* && chown -h 61999 $published
echo "<p>changed again" >$docroot/index.html
step other-user systemctl start $unit
step index-other-user read_index

# A power cut left the lock. Its process number is another user's process now, which the unit cannot see.
printf '{"pid":1,"host":"%s","processStart":"an-earlier-boot 1","since":"then"}\n' "$(hostname)" >$state/lock
echo "<p>changed after a power cut" >$docroot/index.html
step power-cut systemctl start $unit
step index-power-cut read_index

# The document's lines in the servers' own configuration, as Debian ships it.
cp /trial/nginx.conf /etc/nginx/snippets/tidemark.conf
sed -i '0,/server_name _;/s//&\n\tinclude snippets\/tidemark.conf;/' /etc/nginx/sites-available/default
cp /trial/apache.conf /etc/apache2/conf-available/tidemark.conf
step apache-enable sh -c 'a2enmod headers && a2enconf tidemark'
archive=$(cd $published && ls [0-9]*.gz | head -1)
for server in nginx apache2; do
  step $server systemctl start $server
  base=http://127.0.0.1/.well-known/tidemark
  for file in index.gz "$archive"; do
    name=$server-$([ "$file" = index.gz ] && echo index || echo archive)
    step "$name" fetch "$base/$file"
    step "$name-bytes" cmp /trial/body "$published/$file"
    tag=$(sed -n 's/^[Ee][Tt]ag: *//p' "/trial/out/$name" | tr -d '\r')
    step "$name-again" fetch -H "If-None-Match: $tag" "$base/$file"
  done
  step $server-robots fetch http://127.0.0.1/robots.txt
  systemctl stop $server
done

echo 'OPTIONS=--exclude pages/1*.html --exclude *.txt' >/etc/tidemark/$site.conf
step configured systemctl start $unit
step index-configured read_index

# npm did its part above.
step upgrade bash -euxc "$(sed '/^npm install/d' /trial/upgrade.sh)"
step after-upgrade systemctl start $unit

# Instead of systemd: the user, and the line with the search path that stands above it.
step cron-user bash -euxc "$(cat /trial/cron-user.sh)"
step cron env -i HOME=/home/tidemark "$(head -n 1 /trial/cron.txt)" \
  setpriv --reuid tidemark --regid tidemark --init-groups \
  sh -c "$(tail -n 1 /trial/cron.txt | cut -d' ' -f7-)"
step index-cron read_index
userdel --remove tidemark 2>/dev/null
getent group tidemark >/dev/null || groupadd --system tidemark

printf '<p>hello\n' >$docroot/index.html
# What `systemctl edit` makes.
mkdir /etc/systemd/system/tidemark-export@.service.d
printf '[Service]\nNice=5\n' >/etc/systemd/system/tidemark-export@.service.d/override.conf
step remove bash -euxc "$(cat /trial/remove-site.sh)
$(cat /trial/remove-program.sh)"
step after list_docroot
step rest sh -c 'ls -d /etc/tidemark/* /var/lib/tidemark/* /etc/systemd/system/*tidemark* /usr/local/bin/tidemark 2>/dev/null; getent group tidemark'
touch /trial/out/end
