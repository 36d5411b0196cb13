#!/bin/sh
# Run the tests that drive Claude Code and Codex themselves.
# Usage: sh tests/clients/run.sh PYTHON [PYTEST-ARGUMENT ...]
#
# They run in namespaces of their own: a network with nothing but loopback, and processes that see none of ours (so a
# coding client that started this is no ancestor of anything there) and all end with it. The environment is built from
# nothing. Clients see an ordinary user: as uid 0 or the overflow uid they do not behave as their users know them.
#
# Where that cannot be had, this says which tests were not run and why, and succeeds; with MAILSTOP_REQUIRE_CLIENTS=1
# it fails. A failed test's folder is kept below MAILSTOP_WORLDS (default /var/tmp).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
python=$1
shift

not_run() {
    echo "NOT RUN, $1:" >&2
    (cd "$here" && printf '    tests/clients/%s\n' test_*.py) >&2
    [ "${MAILSTOP_REQUIRE_CLIENTS:-}" != 1 ] || exit 1
    exit 0
}

[ "$(uname -s)" = Linux ] || not_run "the namespaces they need are Linux's"
for tool in git ip mount setpriv setsid unshare; do
    command -v "$tool" >/dev/null || not_run "there is no $tool"
done

# For root, a uid that nobody has: Codex's daemon would fight over /tmp/codex-daemon-UID with that user's own.
if [ "$(id -u)" -eq 0 ]; then
    user="--map-user=4242 --map-group=4242"
else
    user="--map-current-user"
fi
namespaces="unshare --user $user --keep-caps --net --pid --fork --kill-child --mount-proc"
# shellcheck disable=SC2086 # the words are ours
$namespaces true 2>/dev/null || not_run "this system grants no user, network and process namespace"

cache=$("$python" "$here/install.py") || not_run "the clients could not be installed"

targets=$here
for argument in "$@"; do
    [ ! -e "${argument%%::*}" ] || targets=
done

# In /var/tmp, not /tmp: there a sandboxed command of Codex may write anyway, so a test of its sandbox would lie.
worlds=$(mktemp -d "${MAILSTOP_WORLDS:-/var/tmp}/mailstop-XXXXXX")
mkdir -m 700 "$worlds/home"

# shellcheck disable=SC2086
env -i \
    HOME="$worlds/home" \
    TMPDIR="$worlds/home" \
    USER=tester \
    LOGNAME=tester \
    LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM="${TERM:-dumb}" \
    MAILSTOP_CLIENTS="$cache" \
    MAILSTOP_REQUIRE_CLIENTS="${MAILSTOP_REQUIRE_CLIENTS:-}" \
    MAILSTOP_WORLDS="$worlds" \
    setsid $namespaces sh -c 'ip link set lo up && setpriv --ambient-caps=-all --inh-caps=-all -- "$@"; exit $?' sh \
    "$python" -m pytest -q ${targets:+"$targets"} "$@" &
inside=$!

# unshare lets no gentler signal pass; its end ends everything inside.
trap 'kill -KILL "$inside" 2>/dev/null; rm -rf "$worlds"; exit 130' HUP INT TERM
code=0
wait "$inside" || code=$?

rm -rf "$worlds/home"
rmdir "$worlds" 2>/dev/null || echo "kept for a look: $worlds" >&2
exit "$code"
