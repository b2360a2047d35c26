#!/usr/bin/env python3
"""Lists the web events of the last days of a crawler: share-reader.py URL DAYS.
Written from McLearn's thesis (Waterloo 2002), chapter 3, alone."""
import gzip, sys, time, urllib.error, urllib.request
from urllib.parse import urljoin

REQUIRED = ("url", "size", "lmd", "lpd", "cid", "stat")  # 3.2.2; ttl is optional

def get(url):
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        body = answer.read(64 << 20)
        return gzip.decompress(body) if answer.headers.get("Content-Encoding") == "gzip" else body

def field(line):
    name, colon, value = line.partition(":")
    if not colon:
        sys.exit(f"no field: {line!r}")
    return name.strip().lower(), value.strip()

def control(site):  # 3.2.1
    fields = {}
    for line in get(urljoin(site, "/robots.shr")).decode("ascii").splitlines():
        name, value = field(line)
        fields.setdefault(name, []).append(value)
    for name in ("crawler", "repository", "version"):
        if len(fields.get(name, [])) != 1:
            sys.exit(f"robots.shr has no {name}, or several")
    return fields

def records(text):
    record = {}
    for line in text.splitlines() + [""]:
        if line.strip():
            name, value = field(line)
            record[name] = value
        elif record:
            yield record
            record = {}

def main(site, days):
    fields = control(site)
    today = int(time.time()) // 86400
    for day in range(today - days + 1, today + 1):
        try:  # 3.2.3: <days since 1970>.dat
            text = get(urljoin(fields["repository"][0], f"{day}.dat")).decode("ascii")
        except urllib.error.HTTPError as error:
            if error.code == 404:
                continue
            raise
        for record in records(text):
            missing = [name for name in REQUIRED if name not in record]
            if missing or record["stat"] not in "CUD" or int(record["lpd"]) // 86400 != day:
                sys.exit(f"no event: {record}")
            print(*(record[name] for name in ("stat", "size", "lmd", "lpd", "cid", "url")), sep="\t")

main(sys.argv[1], int(sys.argv[2]))
