"""Verifies signed requests, a line of JSON each, with the public keys of a directory; prints a line of JSON each."""

import base64
import datetime
import json
import sys
from types import SimpleNamespace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, HTTPSignatureKeyResolver
from http_message_signatures.algorithms import ED25519


class Directory(HTTPSignatureKeyResolver):
    def __init__(self, path):
        with open(path) as file:
            self.keys = {key["kid"]: key["x"] for key in json.load(file)["keys"]}

    def resolve_public_key(self, key_id):
        x = self.keys[key_id]
        return Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(x + "=" * (-len(x) % 4)))

    def resolve_private_key(self, key_id):
        raise NotImplementedError


verifier = HTTPMessageVerifier(signature_algorithm=ED25519, key_resolver=Directory(sys.argv[1]))
for line in sys.stdin:
    request = json.loads(line)
    message = SimpleNamespace(method=request["method"], url=request["url"], headers=request["headers"])
    try:
        [result] = verifier.verify(message, max_age=datetime.timedelta(minutes=5), expect_tag="web-bot-auth")
        covered = [json.loads(name) for name in result.covered_components if name != '"@signature-params"']
        print(json.dumps({"covered": covered, "nonce": result.parameters["nonce"]}))
    except Exception as error:
        print(json.dumps({"refused": type(error).__name__}))
