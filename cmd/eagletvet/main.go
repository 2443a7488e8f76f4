// Command eagletvet checks kernels where other Go code is checked. It runs by itself or under go vet:
//
//	eagletvet ./...                              also -fix, -diff and -json
//	go vet -vettool=$(which eagletvet) ./...
//
// Packages without an //eaglet:kernel directive are skipped.
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/eaglet-workbench/eaglet/kernels/analyzer"
)

func main() { singlechecker.Main(analyzer.Analyzer) }
