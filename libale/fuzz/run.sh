#!/usr/bin/env bash
# Fuzz: build the targets under sanitizers and run each for so many seconds.
#
#     libale/fuzz/run.sh SECONDS [TARGET...]
#
# Targets are calls, cards, images, states and vectors.  Builds in FUZZ_BUILD (build-fuzz), which keeps the corpora, so that
# runs add up; the last lines of each say how many executions that were and how much of the code they reached.  The
# compiler is CLANG, or any clang that is installed.  An input that takes more than SLOW seconds (20) of a processor is a
# finding.  Exits with a status other than 0 at the first finding, whose input is in FUZZ_BUILD.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?how many seconds}
export ALE_FUZZ_SECONDS=${SLOW:-20}
shift
build=${FUZZ_BUILD:-build-fuzz}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
clang=${CLANG:-$(compgen -c clang | grep -E '^clang(-[0-9]+)?$' | sort | sed -n 1p)}
[ -n "$clang" ] || { echo "clang is needed to fuzz" >&2; exit 1; }
[ -d "$build" ] || CC=$clang meson setup "$build" -Dfuzz=true -Dtests=false -Dbuildtype=debugoptimized \
    -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
ninja -C "$build" >"$build/log" || { cat "$build/log"; exit 1; }
[ -d "$build/corpus" ] || python3 libale/fuzz/seeds.py "$build/corpus"
[ $# -gt 0 ] || set -- calls cards images states vectors
for name in "$@"; do
    echo "fuzz $name, $seconds s"
    "$build/libale/fuzz/fuzz_$name" -max_total_time="$seconds" -len_control=0 -max_len=16384 -timeout=600 \
        -rss_limit_mb=4000 -print_final_stats=1 -artifact_prefix="$build/" "$build/corpus/$name" \
        >"$build/$name.log" 2>&1 || { tail -60 "$build/$name.log"; exit 1; }
    grep -E "^Done|cov:|number_of_executed" "$build/$name.log" | tail -3
done
