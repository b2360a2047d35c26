"""Follows a site by the reference client of ResourceSync, the Python package resync 2.0.1.

resync-peer.py baseline URL FOLDER           a copy by way of the source description and the resource list
resync-peer.py incremental URL FOLDER FROM   what changed since FROM, list by list
resync-peer.py dumps URL FOLDER              what changed, from the packages of the days alone

What its own command cannot do is done with its library: its reader of lists of changes knows no index of them,
so the index is read by its parser of sitemaps, and each list is given to the client; and it has no reader of dumps,
so packages are found and their manifests read by its classes, and the files taken out of the ZIP by Python's.
"""
import io
import logging
import os
import sys
import tempfile
import urllib.request
import zipfile

from resync.capability_list import CapabilityList
from resync.change_dump import ChangeDump
from resync.change_dump_manifest import ChangeDumpManifest
from resync.client import Client
from resync.mapper import Mapper
from resync.sitemap import Sitemap
from resync.source_description import SourceDescription

command, site, folder = sys.argv[1:4]
folder = os.path.abspath(folder)
os.makedirs(folder, exist_ok=True)
os.chdir(tempfile.mkdtemp())  # The client keeps its state where it stands.
logging.basicConfig(level=logging.ERROR)


def capability(name):
    description = SourceDescription()
    description.read(uri=site + ".well-known/resourcesync")
    capabilities = CapabilityList()
    capabilities.read(uri=description.resources.first().uri)
    return capabilities.capability_info(name).uri


def client():
    made = Client()
    made.set_mappings([site, folder])
    return made


if command == "baseline":
    client().baseline_or_audit(allow_deletion=True)
elif command == "incremental":
    with urllib.request.urlopen(capability("changelist")) as answer:
        lists = Sitemap().parse_xml(fh=answer, capability="changelist", sitemapindex=True)
    for uri in [entry.uri for entry in lists]:
        client().incremental(allow_deletion=True, change_list_uri=uri, from_datetime=sys.argv[4])
elif command == "dumps":
    dump = ChangeDump()
    dump.read(uri=capability("changedump"))
    mapper = Mapper([site, folder])
    for package in sorted(dump.resources.uris()):
        with urllib.request.urlopen(package) as answer:
            packed = zipfile.ZipFile(io.BytesIO(answer.read()))
        assert packed.testzip() is None
        manifest = ChangeDumpManifest()
        packed.extract("manifest.xml")
        manifest.read(uri="manifest.xml")
        for entry in manifest:
            path = mapper.src_to_dst(entry.uri)
            if entry.change == "deleted":
                os.path.exists(path) and os.remove(path)
                continue
            content = packed.read(entry.path.lstrip("/"))
            assert len(content) == entry.length, entry.uri
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
