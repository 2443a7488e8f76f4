//go:build unix && !linux

package tui

import "golang.org/x/sys/unix"

// dup2 makes to the same file as from.
func dup2(from, to int) error { return unix.Dup2(from, to) }
