from __future__ import annotations

from importlib.metadata import version

import mailstop


def test_the_installed_package_has_the_version_that_the_source_names() -> None:
    assert version("mailstop") == mailstop.__version__
