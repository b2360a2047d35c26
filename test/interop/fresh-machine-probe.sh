# Says what its user can write: a line for each path, in $STATE_DIRECTORY/probe. fresh-machine.sh runs it in
# place of the unit's command, so that every restriction of the unit holds.
docroot=/var/www/html
for folder in $docroot $docroot/pages $docroot/.well-known $docroot/.well-known/acme-challenge \
  $docroot/.well-known/tidemark /etc /etc/tidemark /usr/local/bin /opt /srv /var/lib /root /dev; do
  if (: >$folder/.probe) 2>/dev/null; then
    echo "can write in $folder"
    rm -f $folder/.probe
  fi
done >"$STATE_DIRECTORY/probe"
(echo >>$docroot/index.html) 2>/dev/null && echo "can change a page" >>"$STATE_DIRECTORY/probe"
mv $docroot/index.html $docroot/index.old 2>/dev/null && mv $docroot/index.old $docroot/index.html && echo "can rename a page" >>"$STATE_DIRECTORY/probe"
(cat /etc/shadow >/dev/null) 2>/dev/null && echo "can read secrets" >>"$STATE_DIRECTORY/probe"
node -e 'require("node:net").createServer().listen(0, "127.0.0.1", () => process.exit(0)).on("error", () => process.exit(1))' \
  && echo "can open a socket" >>"$STATE_DIRECTORY/probe"
echo "end" >>"$STATE_DIRECTORY/probe"
