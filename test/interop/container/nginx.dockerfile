# In place of docker.io/library/nginx where no registry of images can be reached: Debian's nginx, with as much of that image as container/compose.yaml uses.
FROM debian:trixie-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends nginx-light \
  && rm -rf /var/lib/apt/lists/* /etc/nginx/sites-enabled/default /var/lib/nginx \
  && mkdir -p /var/cache/nginx \
  && ln -s /var/cache/nginx /var/lib/nginx \
  && ln -sf /dev/stdout /var/log/nginx/access.log \
  && ln -sf /dev/stderr /var/log/nginx/error.log
CMD ["nginx", "-g", "daemon off;"]
