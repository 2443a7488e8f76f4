// Package ptxtest compares generated device code with the interpreter, on whatever runs it: the emulator of
// package emu, or a device. It names no driver; a [Machine] is handed to it.
//
//	for _, c := range ptxtest.Cases(400, 60) {
//		if err := c.Check(machine); err != nil { t.Errorf("%s: %v", c.Name, err) }
//	}
package ptxtest
