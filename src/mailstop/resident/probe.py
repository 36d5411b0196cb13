"""Probe: `python -m mailstop.resident.probe [PORT]` ends with 0 when the server of this machine says that it is well.

For a container's health check, in place of a program that the image would need for it. Says nothing else to anybody.
"""

from __future__ import annotations

import http.client
import os
import sys

from mailstop.resident.gate import HEALTH

ANSWER_S = 4.0
PORT = "8471"


def is_well(port: int) -> bool:
    """Whether what listens on this machine's port says that it is well."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_S)
    try:
        connection.request("GET", HEALTH)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    told = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MAILSTOP_HTTP_PORT") or PORT
    sys.exit(0 if told.isdigit() and is_well(int(told)) else 1)
