package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

// The files of a new kernel. Their names here end in .tmpl, so that they belong to no package of ours.
//
//go:embed template/*.tmpl
var templateFiles embed.FS

var kernelTemplates = template.Must(template.ParseFS(templateFiles, "template/*.tmpl"))

// maxName bounds the name of a new kernel, in bytes.
const maxName = 64

// newFile is a file to be written, by its name in the folder.
type newFile struct {
	name string
	text []byte
}

func newNew() *cobra.Command {
	return &cobra.Command{
		Use:   "new NAME",
		Short: "Write a folder with a commented kernel to start from",
		Long: `Write the folder NAME with a kernel that runs, a test of it and a go.mod, to start from. NAME becomes the
package's name: lower-case letters and digits.`,
		Example: `  eaglet new heat
  eaglet open ./heat`,
		Args: oneArg("name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[0]
			if err := packageName(name); err != nil {
				return err
			}
			if err := writeFolder(name, kernelFiles(name)); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), `%[1]s: a kernel that runs, its test, and a go.mod
next: open %[2]s in your editor and run: eaglet open ./%[1]s
      eaglet check ./%[1]s says what is wrong, and go test in the folder runs the test
`, name, filepath.Join(name, name+".go"))
			return err
		},
	}
}

// packageName refuses what is no good name of a package, a folder and a Go file at once. Underscores are
// out because a file called heat_test.go or heat_linux.go means something to Go.
func packageName(name string) error {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") == "" && (name[0] < '0' || name[0] > '9')
	switch {
	case len(name) > maxName:
		return usagef("the name has %d characters; want at most %d", len(name), maxName)
	case !plain:
		return usagef("%q cannot be the name of a kernel: want lower-case letters and digits, a letter first, as in heat2d", name)
	case token.IsKeyword(name):
		return usagef("%q cannot be the name of a kernel: it is a keyword of Go", name)
	case types.Universe.Lookup(name) != nil:
		return usagef("%q cannot be the name of a kernel: it is predeclared in Go", name)
	case name == "main" || name == "documentation":
		return usagef("%q cannot be the name of a kernel: a package of this name is special to the go command", name)
	}
	return nil
}

// kernelFiles are the files of a new kernel.
func kernelFiles(name string) []newFile {
	data := struct{ Package, Type string }{name, strings.ToUpper(name[:1]) + name[1:]}
	var out []newFile
	for _, f := range [][2]string{{"go.mod.tmpl", "go.mod"}, {"kernel.go.tmpl", name + ".go"}, {"kernel_test.go.tmpl", name + "_test.go"}} {
		var b bytes.Buffer
		if err := kernelTemplates.ExecuteTemplate(&b, f[0], data); err != nil {
			panic(err) // the templates are ours
		}
		out = append(out, newFile{f[1], b.Bytes()})
	}
	return out
}

// writeFolder makes the folder with all of the files, or nothing: they are written beside it first.
func writeFolder(folder string, files []newFile) (err error) {
	switch _, err := os.Lstat(folder); {
	case err == nil:
		return fmt.Errorf("%s exists already; choose another name, or move it away", folder)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: %w", folder, err)
	}
	draft := fmt.Sprintf(".%s-%d", folder, os.Getpid())
	if err := os.Mkdir(draft, 0o777); err != nil {
		return fmt.Errorf("%s cannot be written: %w", folder, err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(draft)
			err = fmt.Errorf("%s cannot be written: %w", folder, err)
		}
	}()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(draft, f.name), f.text, 0o666); err != nil {
			return err
		}
	}
	return os.Rename(draft, folder)
}
