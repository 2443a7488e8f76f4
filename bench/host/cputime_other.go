//go:build !linux

package main

import "time"

// Processor time is not known here.
func threadTime() time.Duration  { return 0 }
func processTime() time.Duration { return 0 }
