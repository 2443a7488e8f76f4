package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/engine/host"
)

// machineFacts is what a reader of the figures needs to know; it names no machine and no user.
func machineFacts(c *config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "date: %s\n", time.Now().Format("2006-01-02"))
	if devices, err := host.New().Devices(); err == nil && len(devices) > 0 {
		fmt.Fprintf(&b, "engine: %s\n", devices[0].Name)
	}
	for _, key := range []string{"vendor_id", "cpu family", "model", "model name", "cache size"} {
		fmt.Fprintf(&b, "%s: %s\n", key, cpuinfo(key))
	}
	fmt.Fprintf(&b, "cores: %d\n", runtime.NumCPU())
	fmt.Fprintf(&b, "system: %s/%s, %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version())
	if text, err := exec.Command(c.cc, "--version").Output(); err == nil {
		first, _, _ := strings.Cut(string(text), "\n")
		fmt.Fprintf(&b, "C: %s %s\n", first, strings.Join(compileFlags(c.isa), " "))
	}
	fmt.Fprintf(&b, "instruction set: %s\n", c.isa)
	fmt.Fprintf(&b, "load at the start: %s\n", load())
	return b.String()
}

// cpuinfo is the first value of a key of /proc/cpuinfo.
func cpuinfo(key string) string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		k, v, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}

// load is the system's load averages.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	f := strings.Fields(string(text))
	return strings.Join(f[:min(3, len(f))], " ")
}
