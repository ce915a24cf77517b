#!/usr/bin/env bash
# Runs each fuzz target of the module for the given time (default 10s), one after
# the other: Go fuzzes one target at a time. Making a new input smaller takes up to
# a minute unless it is bounded, which would be all of a short run.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-10s}

found=0
while IFS=: read -r file declaration; do
	target=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]+).*/\1/' <<<"$declaration")
	echo "== $target in $(dirname "$file")"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 100x "./$(dirname "$file")"
	found=$((found + 1))
done < <(git ls-files -co --exclude-standard -- '*_test.go' | grep -v '^witness/' | xargs grep -HE '^func Fuzz' || true)

if ((found == 0)); then
	echo "no fuzz target found" >&2
	exit 1
fi
echo "$found fuzz targets ran for $time each"
