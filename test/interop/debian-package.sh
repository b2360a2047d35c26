#!/usr/bin/env bash
# Runs as root inside a Debian that is thrown away; debian-package.test.ts starts it. /trial holds the packages
# first.deb and second.deb, and the folder out, where each step leaves what it said and how it ended.
set -u
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# step NAME COMMAND...: what it printed in out/NAME, how it ended in out/NAME.code
step() {
  local name=$1
  shift
  "$@" >"/trial/out/$name" 2>&1 </dev/null
  echo $? >"/trial/out/$name.code"
}

list_rest() {
  find / -xdev -path /trial -prune -o -path /proc -prune -o -path /sys -prune -o -path /tmp -prune -o -iname '*tidemark*' -print | sort
  ls -A /var/www/site.example
}

step install dpkg --install /trial/first.deb
step version tidemark --version
step older sh -c 'dpkg --compare-versions "$(dpkg-deb --field /trial/first.deb Version)" lt "$(dpkg-deb --field /trial/second.deb Version)"'
step lines sh -c 'ls /usr/share/man/man1/tidemark.1.gz /usr/share/fish/vendor_completions.d/tidemark.fish /usr/share/bash-completion/completions/tidemark /usr/share/zsh/vendor-completions/_tidemark; readlink -f /usr/share/doc/tidemark/docs'
# As a unit, or cron, with a search path that does not lead to Node.
step poor-path env -i PATH=/usr/bin:/bin tidemark --version
step no-node sh -c 'mv /usr/local/bin/node /usr/local/bin/node-away; tidemark --version; code=$?; mv /usr/local/bin/node-away /usr/local/bin/node; exit $code'
step verify systemd-analyze verify --man=no /usr/lib/systemd/system/tidemark-{export,crawl}@.{service,timer} /usr/lib/systemd/system/tidemark-watch@.service
step owners sh -c 'find /usr/lib/tidemark /usr/bin/tidemark ! -user root -o -perm -o=w ! -type l; getent group tidemark; getent passwd tidemark-crawl'

mkdir -p /var/www/site.example /var/lib/private/tidemark/site.example /var/lib/tidemark-crawl/other.example
echo '<p>page' >/var/www/site.example/index.html
echo '<p>copy' >/var/lib/tidemark-crawl/other.example/index.html
ln -s /var/www/site.example /etc/tidemark/site.example
echo 'OPTIONS=--sitemap' >/etc/tidemark/site.example.conf
step export tidemark export /etc/tidemark/site.example --base-url https://site.example/ --state /var/lib/private/tidemark/site.example
step sqlite ls /usr/lib/tidemark/node_modules/@libsql
step crawl tidemark crawl http://127.0.0.1:9/ --into /tmp/mirror
systemctl enable tidemark-export@site.example.timer >/dev/null 2>&1
step enabled ls /etc/systemd/system/timers.target.wants

# A systemd that can do nothing of what it is told, as when a document root is gone.
mkdir -p /run/systemd/system
step upgrade dpkg --install /trial/second.deb
step upgraded dpkg-query --show --showformat '${Version} ${Status}' tidemark
step configuration cat /etc/tidemark/site.example.conf
step again tidemark export /etc/tidemark/site.example --base-url https://site.example/ --state /var/lib/private/tidemark/site.example

step remove dpkg --remove tidemark
step kept ls /etc/tidemark /var/lib/private/tidemark
# A document root that is mounted where a link should be.
mkdir /etc/tidemark/mounted.example
mount --bind /var/www/site.example /etc/tidemark/mounted.example
step purge dpkg --purge tidemark
umount /etc/tidemark/mounted.example
rm -r /etc/tidemark
step rest list_rest
touch /trial/out/end
