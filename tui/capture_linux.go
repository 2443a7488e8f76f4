package tui

import "golang.org/x/sys/unix"

// dup2 makes to the same file as from. Linux on some processors has dup3 only.
func dup2(from, to int) error { return unix.Dup3(from, to, 0) }
