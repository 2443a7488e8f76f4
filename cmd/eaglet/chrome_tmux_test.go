package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// program is the command as the scripts run it: this test program under another name, so nothing is built.
func program(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("eaglet")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// at finds a text on the screen; columns and rows are counted from 1, as mouse reports do.
func (term *terminal) at(text string) (column, row int) {
	term.t.Helper()
	for y, line := range strings.Split(term.screen(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return len([]rune(before)) + 1, y + 1
		}
	}
	term.t.Fatalf("%q is not on the screen:\n%s", text, term.screen())
	return 0, 0
}

// TestSuspendAndResume suspends the workbench by ctrl+z under a shell with job control, and takes it back.
func TestSuspendAndResume(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is missing; job control cannot be tested")
	}
	binary := program(t)
	term := newTerminal(t, 100, 30, "env LC_ALL=C.UTF-8 PS1='prompt: ' bash --norc --noprofile -i")
	term.waitFor("prompt:")
	term.keys(binary+" open oscillator", "Enter")
	term.waitFor("READY", "oscillator")
	term.keys("C-z")
	term.waitFor("Stopped")
	if on := strings.TrimSpace(term.tmux("display-message", "-p", "#{alternate_on} #{mouse_any_flag}")); on != "0 0" {
		t.Errorf("while it is suspended the alternate screen or the mouse is still taken: %s", on)
	}
	term.keys("echo out of the way", "Enter")
	term.waitFor("out of the way")
	term.keys("fg", "Enter")
	screen := term.waitFor("READY", "1 Run", "? help")
	if strings.Contains(screen, "out of the way") {
		t.Errorf("the shell's text stays on the screen:\n%s", screen)
	}
	term.keys("s")
	term.waitFor("PAUSED")
	term.keys("q")
	term.waitFor("prompt:")
}

// TestMouseInATerminal sends what a terminal sends for clicks, and checks what the keys would have done.
func TestMouseInATerminal(t *testing.T) {
	term := newTerminal(t, 120, 40, "env LC_ALL=C.UTF-8 sh -c '"+program(t)+" open oscillator; echo status $?; read line'")
	term.waitFor("READY")
	click := func(text string) {
		t.Helper()
		x, y := term.at(text)
		term.tmux("send-keys", "-l", "\x1b[<0;"+strconv.Itoa(x+1)+";"+strconv.Itoa(y)+"M\x1b[<0;"+strconv.Itoa(x+1)+";"+strconv.Itoa(y)+"m")
	}
	click("5 Source")
	term.waitFor("terminated = s.K >= s.Nstop")
	click("space run  ")
	term.waitFor("DONE")
	click("8 Log")
	term.waitFor("[8 Log]")
	click("? help")
	term.waitFor("Help: the keys of Log")
	term.keys("Escape")
	term.waitGone("Help: the keys of Log")
	term.keys("M")
	term.waitFor("text can be selected")
	if on := strings.TrimSpace(term.tmux("display-message", "-p", "#{mouse_any_flag}")); on != "0" {
		t.Errorf("the mouse is still taken: %s", on)
	}
	for _, size := range [][2]string{{"60", "16"}, {"40", "10"}, {"200", "60"}, {"80", "24"}} {
		term.tmux("resize-window", "-x", size[0], "-y", size[1])
		if size[0] == "40" {
			term.waitFor("need 60x16, have 40x10", "DONE")
			continue
		}
		term.waitFor("oscillator", "DONE", "q quit")
	}
	term.keys("q")
	term.waitFor("status 0")
}

// TestReplayInATerminal records a run, plays it, and looks for what was decided.
func TestReplayInATerminal(t *testing.T) {
	binary := program(t)
	file := filepath.Join(t.TempDir(), "run.eagrec")
	if out, err := exec.Command(binary, "run", "oscillator", "-n", "300", "--policy", "band", "--band-r", "0.25", "--record", file, "--report", "none").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	term := newTerminal(t, 120, 40, "env LC_ALL=C.UTF-8 sh -c '"+binary+" replay "+file+"; echo status $?; read line'")
	term.waitFor("READY", "replay: space plays it")
	term.keys("s")
	term.waitFor("PAUSED", "launch 1", "replay: paused")
	term.keys("e")
	term.waitFor("this is a recording, no engine is behind it")
	term.keys(">", ">", ">", ">", ">", ">", "Space")
	term.waitFor("DONE", "every sample is finished", "replay: at the end")
	term.keys("R")
	term.waitFor("READY", "launch 0")
	term.keys("q")
	term.waitFor("status 0")

	// As somebody sends it: where to look is part of the command.
	term = newTerminal(t, 120, 40, "env LC_ALL=C.UTF-8 sh -c '"+binary+" replay "+file+" --at 7; echo status $?; read line'")
	term.waitFor("DONE", "samples after launch 7", "Why launch 8")
	term.keys("q")
	term.waitFor("status 0")
}

// TestOutputStaysOffTheScreen has the Go runtime write to standard error while the workbench is up.
func TestOutputStaysOffTheScreen(t *testing.T) {
	term := newTerminal(t, 120, 40, "env GODEBUG=gctrace=1 LC_ALL=C.UTF-8 sh -c '"+program(t)+" open oscillator -n 20000; echo status $?; read line'")
	term.waitFor("READY")
	term.keys("Space")
	term.waitFor("DONE")
	for range 3 { // a rewind and a run leave something to collect
		term.keys("R")
		term.waitFor("READY")
		term.keys("Space")
		term.waitFor("DONE")
	}
	if screen := term.screen(); strings.Contains(screen, "gc ") && strings.Contains(screen, " @") {
		t.Errorf("the runtime's output is on the screen:\n%s", screen)
	}
	term.keys("!")
	term.waitFor("Output: ", "gc ", " @")
	term.keys("q")
	term.keys("q")
	term.waitFor("status 0")
}

// TestTheEditorHasTheTerminal opens an editor from the workbench: it must find a terminal on all its ends.
func TestTheEditorHasTheTerminal(t *testing.T) {
	dir := t.TempDir()
	editor := filepath.Join(dir, "editor.sh")
	script := "#!/bin/sh\nif test -t 0 && test -t 1 && test -t 2; then echo the editor is up; else echo no terminal; fi\nread line\n"
	if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	kernel, err := exec.Command(program(t), "kernels", "oscillator").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine.go"), kernel, 0o600); err != nil {
		t.Fatal(err)
	}
	term := newTerminal(t, 100, 30, "cd "+dir+"; env EDITOR="+editor+" LC_ALL=C.UTF-8 sh -c '"+program(t)+" open ./mine.go; echo status $?; read line'")
	term.waitFor("READY")
	term.keys("e")
	term.waitFor("the editor is up")
	term.keys("Enter")
	term.waitFor("READY", "? help")
	term.keys("q")
	term.waitFor("status 0")
}
