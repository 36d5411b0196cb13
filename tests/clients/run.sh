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

uid=$(id -u)
user=--map-current-user
if [ "$uid" -eq 0 ]; then
    uid=4242 # nobody's
    user="--map-user=$uid --map-group=$uid"
fi
namespaces="unshare --user $user --keep-caps --net --pid --fork --kill-child --mount-proc"
# shellcheck disable=SC2086 # the words are ours
$namespaces true 2>/dev/null || not_run "this system grants no user, network and process namespace"

cache=$("$python" "$here/install.py") || not_run "the clients could not be installed"
# Without it the tests beside postbag are skipped, or fail where the clients are required.
(cd "$here/../.." && MAILSTOP_CLIENTS=$cache "$python" -m tests.clients.postbag) || :

targets=$here
for argument in "$@"; do
    [ ! -e "${argument%%::*}" ] || targets=
done

# In /var/tmp, not /tmp: there a sandboxed command of Codex may write anyway, so a test of its sandbox would lie.
worlds=$(mktemp -d "${MAILSTOP_WORLDS:-/var/tmp}/mailstop-XXXXXX")
mkdir -m 700 "$worlds/home" "$worlds/daemons"

# In the namespaces: bring up loopback, let the sockets of Codex's daemons, which have one folder a user, lie with all
# else, and drop the capabilities that this took.
# shellcheck disable=SC2016 # for the inner shell
inner='
    ip link set lo up &&
    { [ -d "$2" ] || mkdir -m 700 "$2"; } && mount --bind "$1" "$2" &&
    shift 2 && setpriv --ambient-caps=-all --inh-caps=-all -- "$@"
    exit $?'

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
    setsid $namespaces sh -c "$inner" sh "$worlds/daemons" "/tmp/codex-daemon-$uid" \
    "$python" -m pytest -q ${targets:+"$targets"} "$@" &
inside=$!

# unshare lets no gentler signal pass; its end ends everything inside.
trap 'kill -KILL "$inside" 2>/dev/null; rm -rf "$worlds"; exit 130' HUP INT TERM
code=0
wait "$inside" || code=$?

rm -rf "$worlds/home" "$worlds/daemons"
rmdir "$worlds" 2>/dev/null || echo "kept for a look: $worlds" >&2
exit "$code"
