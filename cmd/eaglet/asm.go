package main

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine/cuda"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// asmEntries are the entries that a listing may be asked for. On the host they share their code.
var asmEntries = []string{"step", "fused", "persistent", "active"}

func newAsm() *cobra.Command {
	var target, entry string
	var compile kernels.Options
	cmd := &cobra.Command{
		Use:   "asm KERNEL",
		Short: "Print the machine code of a kernel, annotated",
		Long: `Print the machine code that the host engine makes of a kernel: address, bytes, instruction, the group of lanes it
works for, the value of the intermediate representation that it computes (see: eaglet ir), and what the memory that it
names is for. Source lines stand above what was made of them; groups of lanes take turns, so they come round again.

The code can be listed for any target, whether this machine runs it or not. Target ptx is the text of all entries that
the driver of an NVIDIA GPU is given.`,
		Example: `  eaglet asm oscillator
  eaglet asm kepler --target avx512 | less`,
		Args: oneArg("kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if target == "" {
				target = defaultTarget()
			}
			if !slices.Contains(targetNames(), target) {
				return usagef("--target %s: want %s", target, strings.Join(targetNames(), " or "))
			}
			if !slices.Contains(asmEntries, entry) {
				return usagef("--entry %s: want %s", entry, strings.Join(asmEntries, ", "))
			}
			k, err := loadKernelWith(cmd, args[0], compile)
			if err != nil {
				return err
			}
			if target == cuda.Target {
				text, err := cuda.List(k.IR)
				if err == nil {
					_, err = io.WriteString(cmd.OutOrStdout(), text)
				}
				return err
			}
			return writeAsm(cmd.OutOrStdout(), k, target, entry)
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "instruction set: "+strings.Join(targetNames(), ", ")+" (default: the best of this machine)")
	cmd.Flags().StringVar(&entry, "entry", "fused", "entry: "+strings.Join(asmEntries, ", "))
	cmd.Flags().StringVar(&compile.FMA, "fma", "", "fused multiply-adds: off or contract (default: the directive's)")
	cmd.Flags().StringVar(&compile.Precision, "precision", "", "what float64 in the kernel means: f64 or f32 (default: the directive's)")
	return cmd
}

// targetNames are the targets that code can be listed for.
func targetNames() []string { return append(host.TargetNames(), cuda.Target) }

// defaultTarget is the best that this machine runs, or the most common one.
func defaultTarget() string {
	names := host.TargetNames()
	if best := host.BackEnds()[0]; slices.Contains(names, best) {
		return best
	}
	return names[len(names)-1]
}

// writeAsm prints the code of a kernel.
func writeAsm(out io.Writer, k *kernels.Kernel, target, entry string) error {
	x, err := host.List(k.IR, target)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "kernel %s for %s: %d lanes in groups of %d, unroll %d, %d vector registers, %d spills, %d bytes of code, frame of %d bytes\n",
		k.IR.Name, target, x.Lanes, x.Lanes/x.Unroll, x.Unroll, x.Registers, x.Spills, x.TextBytes, x.FrameBytes)
	fmt.Fprintf(w, "entry %s: every entry runs this code; they differ in which samples the lanes take up, and how many steps a call makes\n", entry)
	var last ir.Pos
	for i := range x.Lines {
		l := &x.Lines[i]
		if p := l.Pos; p.Line > 0 && (p.Line != last.Line || p.File != last.File) {
			fmt.Fprintf(w, "\n; %s\n", sourceLine(k, p))
			last = p
		}
		group, value := "", l.Op
		if l.Group >= 0 {
			group = fmt.Sprintf("g%d", l.Group)
		}
		if l.Result != 0 {
			value = fmt.Sprintf("%%%d %s", l.Result, l.Op)
		}
		text := l.Text
		if l.Note != "" {
			text = fmt.Sprintf("%-52s ; %s", text, l.Note)
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%6x  %-30s %-2s %-16s %s", l.Offset, fmt.Sprintf("% x", l.Bytes), group, value, text), " "))
	}
	return w.Flush()
}

// sourceLine is a line of a kernel's source with its place.
func sourceLine(k *kernels.Kernel, p ir.Pos) string {
	if p.File < 0 || int(p.File) >= len(k.Sources) {
		return fmt.Sprintf("line %d", p.Line)
	}
	f := &k.Sources[p.File]
	lines := strings.Split(string(f.Text), "\n")
	text := ""
	if int(p.Line) <= len(lines) {
		text = strings.TrimSpace(lines[p.Line-1])
	}
	return fmt.Sprintf("%s:%d  %s", path.Base(f.Name), p.Line, text)
}
