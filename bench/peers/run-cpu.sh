#!/bin/bash
# The C arms alone: run-cpu.sh OUT [avx512|avx2]. Needs gcc and a quiet machine; about 10 minutes on two cores.
# To run eaglet beside them, by turns, use the Go program: go run ./bench/host -out OUT.
set -eu
out=$(mkdir -p "$1" && cd "$1" && pwd)
isa=${2:-$(grep -qw avx512dq /proc/cpuinfo && echo avx512 || echo avx2)}
cd "$(dirname "$0")"
b=$(mktemp -d)
trap 'rm -rf "$b"' EXIT
flags="-O3 -march=native"
[ "$isa" = avx2 ] && flags="-O3 -march=x86-64-v3 -mtune=native -DAVX2"
gcc $flags -ffp-contract=off -c workloads.c -o "$b/workloads.o"
: >"$out/compile.jsonl"
for f in nofma:off fma:fast; do
  s=$(date +%s%N)
  gcc $flags -ffp-contract="${f#*:}" cpu.c "$b/workloads.o" -o "$b/cpu-${f%:*}" -lm -lpthread
  echo "{\"compile\":\"gcc-${f%:*}\",\"seconds\":$((($(date +%s%N) - s) / 1000000))e-3}" >>"$out/compile.jsonl"
done
{ lscpu | grep -E 'Model name|^CPU\(s\)'; gcc --version | head -1; echo "$isa: gcc $flags"; cat /proc/loadavg; } >"$out/machine.txt"
if [ "$isa" = avx512 ]; then
  gcc -O3 -march=native -ffp-contract=off -o "$b/cpu-limits" cpu-limits.c && "$b/cpu-limits" >"$out/limits.jsonl"
fi
for f in nofma fma; do "$b/cpu-$f" $f 1 "$(nproc)" >"$out/c-$f.jsonl"; done
cat /proc/loadavg >>"$out/machine.txt"
