package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/library"
)

// loadKernel loads for a command that prints something about a kernel; diagnostics go to stderr.
func loadKernel(cmd *cobra.Command, path string) (*kernels.Kernel, error) {
	return loadKernelWith(cmd, path, kernels.Options{})
}

// loadKernelWith is loadKernel with options that take the place of the directive's.
func loadKernelWith(cmd *cobra.Command, path string, o kernels.Options) (*kernels.Kernel, error) {
	k, diags := kernels.LoadWith(path, o)
	stderr := cmd.ErrOrStderr()
	if len(diags) > 0 {
		if err := diags.Render(stderr, useColor(stderr)); err != nil {
			return nil, err
		}
	}
	if diags.Errors() {
		return nil, &statusError{status: exitError}
	}
	return k, nil
}

func newCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check KERNEL...",
		Short: "Check kernel files; exit status 1 if one does not compile",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("eaglet check takes at least one kernel; see: eaglet check --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var all kernels.Diagnostics
			stdout := cmd.OutOrStdout()
			for _, path := range args {
				k, diags := kernels.Load(path)
				all = append(all, diags...)
				if k != nil && !asJSON {
					if err := writeOK(stdout, path, k); err != nil {
						return err
					}
				}
			}
			if asJSON {
				if err := all.JSON(stdout); err != nil {
					return err
				}
			} else if err := all.Render(cmd.ErrOrStderr(), useColor(cmd.ErrOrStderr())); err != nil {
				return err
			}
			if all.Errors() {
				return &statusError{status: exitError}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnostics as a JSON array on standard output")
	return cmd
}

// writeOK says in one line what a good kernel is.
func writeOK(w io.Writer, path string, k *kernels.Kernel) error {
	roles := map[ir.Role]int{}
	for i := range k.IR.Planes {
		roles[k.IR.Planes[i].Role]++
	}
	var parts []string
	for _, r := range []ir.Role{ir.RoleState, ir.RoleInput, ir.RoleParam, ir.RoleTable, ir.RoleOutput} {
		if roles[r] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", roles[r], r))
		}
	}
	finish := "no finish declaration"
	if k.IR.Finish != nil {
		finish = "finishes when " + k.IR.Finish.Text
	}
	_, err := fmt.Fprintf(w, "%s: ok, kernel %s: planes %s; %s\n", path, k.IR.Name, strings.Join(parts, ", "), finish)
	return err
}

func newIR() *cobra.Command {
	var after string
	var positions bool
	cmd := &cobra.Command{
		Use:   "ir KERNEL",
		Short: "Print the intermediate representation of a kernel",
		Args:  oneArg("kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if after != "" && !slices.Contains(kernels.Stages(), after) {
				return usagef("--after %s: there is no such pass; the passes are %s", after, strings.Join(kernels.Stages(), ", "))
			}
			k, err := loadKernel(cmd, args[0])
			if err != nil {
				return err
			}
			form := k.IR
			if after != "" {
				if form, err = k.After(after); err != nil {
					return err
				}
			}
			return ir.Print(cmd.OutOrStdout(), form, positions)
		},
	}
	cmd.Flags().StringVar(&after, "after", "", "stop after this `PASS`; lower is the form before the first one")
	cmd.Flags().BoolVar(&positions, "positions", false, "print source positions")
	return cmd
}

func newSidecar() *cobra.Command {
	return &cobra.Command{
		Use:   "sidecar KERNEL",
		Short: "Print what a kernel declares, as JSON: planes, finish condition, operation counts",
		Args:  oneArg("kernel"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := loadKernel(cmd, args[0])
			if err != nil {
				return err
			}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			return enc.Encode(k.Sidecar())
		},
	}
}

func newDevices() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List the engines and devices that a batch can run on",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, e := range engines() {
				devices, err := e.Devices()
				if err != nil {
					fmt.Fprintf(w, "%s\tnot available: %v\n", e.Name(), err)
					continue
				}
				for _, dev := range devices {
					fmt.Fprintf(w, "%s\t%s\n", e.Name(), dev.Name)
				}
				if e.Name() == "host" {
					fmt.Fprintf(w, "\tback ends: %s; EAGLET_HOST=NAME chooses one\n", strings.Join(host.BackEnds(), ", "))
				}
			}
			return w.Flush()
		},
	}
}

func newKernels() *cobra.Command {
	return &cobra.Command{
		Use:   "kernels [NAME]",
		Short: "List the bundled kernels, or print the source of one",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			if len(args) == 1 {
				files, ok := library.Files(args[0])
				if !ok {
					return fmt.Errorf("no bundled kernel is called %s; there are %s", args[0], strings.Join(library.Names(), ", "))
				}
				for _, f := range files {
					if _, err := out.Write(f.Text); err != nil {
						return err
					}
				}
				return nil
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, name := range library.Names() {
				k, diags := kernels.Load(name)
				if diags.Errors() {
					return fmt.Errorf("bundled kernel %s does not compile; this is a bug in eaglet", name)
				}
				first, _, _ := strings.Cut(strings.ReplaceAll(k.Doc, "\n", " "), ". ")
				fmt.Fprintf(w, "%s\t%s\n", name, strings.TrimSuffix(first, "."))
			}
			return w.Flush()
		},
	}
}
