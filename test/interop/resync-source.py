"""Publishes a folder by ResourceSync with the Python package resync 2.0.1.

resync-source.py URL FOLDER   a resource list and a resource dump of the folder's pages, and what leads to them
"""
import os
import sys

from resync.capability_list import CapabilityList
from resync.dump import Dump
from resync.mapper import Mapper
from resync.resource import Resource
from resync.resource_dump import ResourceDump
from resync.resource_list_builder import ResourceListBuilder
from resync.source_description import SourceDescription
from resync.w3c_datetime import datetime_to_str

site, folder = sys.argv[1:3]
well_known = os.path.join(folder, ".well-known")


def pages(set_path):
    mapper = Mapper([site, folder])
    builder = ResourceListBuilder(mapper=mapper, set_hashes=["md5", "sha-256"], set_path=set_path)
    builder.exclude_patterns = [r"\.well-known"]
    listed = builder.from_disk()
    listed.md_at = datetime_to_str()
    return listed


def write(name, document):
    with open(os.path.join(well_known, name), "w") as file:
        file.write(document.as_xml())


resource_list, packed = pages(False), pages(True)
os.makedirs(well_known, exist_ok=True)
dump = Dump(resources=packed)
dump.max_files = 30
count = dump.write(basename=os.path.join(well_known, "dump-"), write_separate_manifests=False)
resource_dump = ResourceDump()
resource_dump.md_at = datetime_to_str()
for number in range(count):
    name = "dump-%05d.zip" % number
    length = os.path.getsize(os.path.join(well_known, name))
    resource_dump.add(Resource(uri=site + ".well-known/" + name, length=length, mime_type="application/zip"))
write("resourcelist.xml", resource_list)
write("resourcedump.xml", resource_dump)
capabilities = CapabilityList()
capabilities.add_capability(uri=site + ".well-known/resourcelist.xml", name="resourcelist")
capabilities.add_capability(uri=site + ".well-known/resourcedump.xml", name="resourcedump")
write("capabilitylist.xml", capabilities)
description = SourceDescription()
description.add_capability_list(site + ".well-known/capabilitylist.xml")
write("resourcesync", description)
