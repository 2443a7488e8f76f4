package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminal is a tmux server of its own with one window.
type terminal struct {
	t      *testing.T
	socket string
}

// newTerminal starts command in a terminal of the given size. Without tmux the test is skipped, or fails
// where EAGLET_REQUIRE names it.
func newTerminal(t *testing.T, width, height int, command string) *terminal {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // where sessions are left
	if _, err := exec.LookPath("tmux"); err != nil {
		if strings.Contains(os.Getenv("EAGLET_REQUIRE"), "tmux") {
			t.Fatal("tmux is missing, and EAGLET_REQUIRE asks for it")
		}
		t.Skip("tmux is missing; install it to run the real program in a terminal")
	}
	term := &terminal{t, filepath.Join(t.TempDir(), "socket")}
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), command)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", term.socket, "kill-server").Run() })
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (term *terminal) keys(keys ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys"}, keys...)...)
}

func (term *terminal) screen() string {
	term.t.Helper()
	return term.tmux("capture-pane", "-p")
}

// waitFor polls until every text is on the screen at once, and returns that screen.
func (term *terminal) waitFor(texts ...string) string {
	term.t.Helper()
	var screen string
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		screen = term.screen()
		missing := false
		for _, text := range texts {
			missing = missing || !strings.Contains(screen, text)
		}
		if !missing {
			return screen
		}
	}
	term.t.Fatalf("%q did not come onto the screen:\n%s", texts, screen)
	return ""
}

// waitGone waits until a text has left the screen. A key that follows esc at once would be taken for one with
// alt held.
func (term *terminal) waitGone(text string) {
	term.t.Helper()
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if !strings.Contains(term.screen(), text) {
			return
		}
	}
	term.t.Fatalf("%q stays on the screen", text)
}

// build makes the real binary.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "eaglet")
	cmd := exec.Command("go", "build", "-o", binary, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// TestWorkbenchInATerminal drives the real program as a newcomer does: it opens and runs, is rewound,
// stepped, run on, asked for help, and leaves the terminal as it was.
func TestWorkbenchInATerminal(t *testing.T) {
	term := newTerminal(t, 80, 24, "env -u NO_COLOR LC_ALL=C.UTF-8 sh -c '"+build(t)+"; echo status $?; read line'")
	term.waitFor("oscillator", "policy band", "DONE", "live 0.0 %", "sqrt(2R/h)")
	term.keys("R")
	term.waitFor("READY")
	term.keys("s")
	term.waitFor("PAUSED", "launch 1")
	term.keys("S")
	term.waitFor("PAUSED", "launch 2")
	term.keys("5")
	term.waitFor("terminated = s.K >= s.Nstop")
	term.keys("Space")
	term.waitFor("DONE", "live 0.0 %")
	term.keys("?")
	term.waitFor("Help")
	term.keys("Escape")
	term.tmux("resize-window", "-x", "120", "-y", "40")
	term.waitFor("1 Run", "5 Source", "9 Report", "Report: finished", "Log:", "Why")
	term.keys("q")
	term.waitFor("status 0")
	if on := strings.TrimSpace(term.tmux("display-message", "-p", "#{alternate_on}")); on != "0" {
		t.Errorf("the alternate screen is still on (%s) after quitting", on)
	}
}

// TestSignalRestoresTheTerminal ends the program from outside while a long run is on.
func TestSignalRestoresTheTerminal(t *testing.T) {
	binary, state := build(t), t.TempDir()
	term := newTerminal(t, 80, 24, "env LC_ALL=C.UTF-8 XDG_STATE_HOME="+state+" sh -c '"+binary+
		" open lorenz -n 200000 --max-steps 1000000 --set t_end=1000 --set ball=1e9; echo status $?; read line'")
	term.waitFor("lorenz", "READY")
	term.keys("Space")
	term.waitFor("RUN")
	if out, err := exec.Command("pkill", "-TERM", "-f", "^"+binary+" open").CombinedOutput(); err != nil {
		t.Fatalf("pkill: %v %s", err, out)
	}
	screen := term.waitFor("status ")
	if strings.Contains(screen, "status 0") {
		t.Errorf("a killed program says it went well:\n%s", screen)
	}
	if on := strings.TrimSpace(term.tmux("display-message", "-p", "#{alternate_on}")); on != "0" {
		t.Errorf("the alternate screen is still on (%s) after a signal", on)
	}
	if !strings.Contains(strings.ReplaceAll(screen, "\n", ""), "eaglet open --last goes on with it") {
		t.Errorf("it is not said where the session is kept:\n%s", screen)
	}
	if text, err := os.ReadFile(filepath.Join(state, "eaglet", "last.toml")); err != nil || !strings.Contains(string(text), "samples = 200000") {
		t.Errorf("the session is not kept: %v\n%s", err, text)
	}
}
