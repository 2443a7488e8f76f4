#!/bin/bash
# GPU half: run-gpu.sh PART OUT, PART = cuda | tune | profile (several may be given, comma separated).
# Builds into a temporary folder, writes JSON lines and logs to OUT. Needs nvcc, and for profile ncu.
cd "$(dirname "$0")" || exit
parts=$1 out=$2 b=${TMPDIR:-/tmp}/measure-build
mkdir -p $b "$out"
build() { # label flag
  [ -x $b/cuda-$1 ] && return
  nvcc -O3 -arch=sm_90 --fmad=$2 -Xcompiler -O3,-ffp-contract=off -Xptxas -v -o $b/cuda-$1 cuda.cu >"$out/nvcc-$1.log" 2>&1 || { tail -20 "$out/nvcc-$1.log"; exit 1; }
}
build nofma false & build fma true & wait
for part in ${parts//,/ }; do
  case $part in
  cuda)
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,power.draw --format=csv,noheader >"$out/machine.txt"; lscpu | grep -E 'Model name|^CPU\(s\)' >>"$out/machine.txt"; nvcc --version | tail -2 >>"$out/machine.txt"
    $b/cuda-fma fma limits >"$out/limits.jsonl"
    for f in nofma fma; do timeout 200 $b/cuda-$f $f >"$out/cuda-$f.jsonl" 2>"$out/cuda-$f.err"; echo "cuda-$f rc $?"; done ;;
  profile)
    m=sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed,gpu__time_duration.sum,dram__bytes.sum.per_second,smsp__sass_thread_inst_executed_op_dfma_pred_on.sum,smsp__sass_thread_inst_executed_op_dmul_pred_on.sum,smsp__sass_thread_inst_executed_op_dadd_pred_on.sum,smsp__thread_inst_executed_per_inst_executed.ratio,launch__registers_per_thread,sm__warps_active.avg.pct_of_peak_sustained_active,smsp__cycles_elapsed.avg.per_second
    for f in nofma fma; do for c in "O own uniform 1000000" "O own spread-1000 10000000" "O own uniform 10000000" "O claim16b32 spread-1000 1000000" "O claim16b32 spread-1000 10000000" "O claim16b32 spread-100 10000000" "K claim32 orbits 100000" "K claim16b32 orbits 1000000"; do
      echo "== $f $c"; timeout 60 ncu --clock-control none --metrics $m --csv $b/cuda-$f $f one $c 2>&1 | grep -E '^"[0-9]' | awk -F'","' '{print $(NF-2)" "$NF" "$(NF-1)}' | tr -d '"'; done; done >"$out/profile.txt" ;;
  tune)
    for f in nofma fma; do timeout 100 $b/cuda-$f $f tune >"$out/tune-$f.jsonl" 2>"$out/tune-$f.err"; done ;;
  esac
done
