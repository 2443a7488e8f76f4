package tui

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestOutputIsKeptByLines(t *testing.T) {
	o := newOutput(func() time.Time { return scriptStart })
	for _, piece := range []string{"one\ntw", "o\r\n", "thr", "ee"} {
		if n, err := o.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("write gives %d, %v", n, err)
		}
	}
	lines, total := o.kept()
	if total != 2 || lines[0].text != "one" || lines[1].text != "two" {
		t.Errorf("kept %v of %d", lines, total)
	}
	fmt.Fprint(o, strings.Repeat("x", 2*longestLine))
	for i := range 2 * keptOutput {
		fmt.Fprintln(o, i)
	}
	lines, total = o.kept()
	if len(lines) != keptOutput || lines[keptOutput-1].text != fmt.Sprint(2*keptOutput-1) || total < 2*keptOutput {
		t.Errorf("%d lines of %d are kept, the last is %q", len(lines), total, lines[len(lines)-1].text)
	}
	for _, l := range lines {
		if len(l.text) > longestLine {
			t.Errorf("a line of %d bytes is kept", len(l.text))
		}
	}
	if len(o.news) != 1 {
		t.Error("nobody is told")
	}
}

func TestOutputIsAnnouncedAndShown(t *testing.T) {
	m := newTestModel(newScript(10), 100, 24, GlyphsBraille).typed("!")
	if text := m.screen().String(nil); !strings.Contains(text, "nothing was written") {
		t.Errorf("without output:\n%s", text)
	}
	m.typed("esc")
	fmt.Fprintln(m.output, "driver: \x1b[2Jout of luck")
	m.Update(outputMsg{})
	if text := m.screen().String(nil); !strings.Contains(text, "1 line was written to standard output or error: ! shows") {
		t.Errorf("it is not announced:\n%s", text)
	}
	m.typed("!")
	if text := m.screen().String(nil); !strings.Contains(text, "driver: ?[2Jout of luck") {
		t.Errorf("it is not shown, or not made harmless:\n%s", text)
	}
	for i := range 50 {
		fmt.Fprintln(m.output, "line", i)
	}
	m.typed("k", "k", "pgup", "j")
	if text := m.screen().String(nil); !strings.Contains(text, "newer below") {
		t.Errorf("it does not scroll:\n%s", text)
	}
	if m.typed("!"); m.top() != nil || m.outputNews() != "" {
		t.Error("it does not close, or is announced again")
	}
}

// What the process writes to its standard output and error goes into the log, and to its own place again
// afterwards.
func TestStandardOutputIsKeptOffTheScreen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows standard output is not kept off the screen")
	}
	before := [2]os.FileInfo{}
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		before[i] = info
	}
	o := newOutput(time.Now)
	terminal, restore, err := capture(o)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(os.Stdout, "to standard output")
	fmt.Fprintln(os.Stderr, "to standard error")
	info, err := terminal.Stat()
	if err != nil || !os.SameFile(info, before[0]) {
		t.Errorf("what goes to the terminal goes elsewhere: %v", err)
	}
	restore()
	lines, total := o.kept()
	text := fmt.Sprint(lines)
	if total != 2 || !strings.Contains(text, "to standard output") || !strings.Contains(text, "to standard error") {
		t.Errorf("kept %v", lines)
	}
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		if info, err := f.Stat(); err != nil || !os.SameFile(info, before[i]) {
			t.Errorf("descriptor %d is not what it was: %v", i+1, err)
		}
	}
}

// What the Go runtime says when the process dies of a panic is seen by the user, not lost in the log.
func TestACrashIsSeen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows standard output is not kept off the screen")
	}
	const child = "EAGLET_TEST_CRASH"
	if os.Getenv(child) != "" {
		if _, _, err := capture(newOutput(time.Now)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(os.Stderr, "lost with the process")
		done := make(chan struct{})
		go func() { panic("a driver went mad") }()
		<-done
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestACrashIsSeen$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a driver went mad") {
		t.Errorf("the process ends with %v and says\n%s", err, out)
	}
	if strings.Contains(string(out), "lost with the process") {
		t.Error("what was written before came onto the screen")
	}
}

func TestTheMeterTellsTheCost(t *testing.T) {
	var x meter
	at := scriptStart
	x.read(at, 0)
	x.spent(30 * time.Millisecond)
	x.read(at.Add(500*time.Millisecond), 5_000)
	if x.String() != "" {
		t.Errorf("half a second gives %q", &x)
	}
	x.spent(20 * time.Millisecond)
	x.read(at.Add(time.Second), 12_000)
	if got := x.String(); got != "ui 5 %, 12k B/s" {
		t.Errorf("got %q", got)
	}
	x.read(at.Add(time.Hour), 12_000) // a parked clock does not count as a second of nothing
	x.spent(time.Second / 2)
	x.read(at.Add(time.Hour+2*time.Second), 12_000)
	if got := x.String(); got != "ui 25 %, 0 B/s" {
		t.Errorf("after a pause %q", got)
	}
}

func TestTooManyBytesMakeTheNextFrameWait(t *testing.T) {
	var b budget
	at := scriptStart
	if d := b.wait(at, 10_000); d != time.Second*2_000/bytesPerSecond {
		t.Errorf("the first screen, 2,000 bytes more than may come at once, waits %v", d)
	}
	at = at.Add(time.Second)
	if d := b.wait(at, 12_000); d != 0 {
		t.Errorf("a little waits %v", d)
	}
	if d := b.wait(at, 1_000_000_000); d != time.Second {
		t.Errorf("very much waits %v, at most a second", d)
	}
}

func TestTheReportSaysWhatTheObserverSawAndCost(t *testing.T) {
	m := newTestModel(after(41), 120, 40, GlyphsBraille)
	m.meter = meter{known: true, share: 0.021, rate: 12_000}
	m.measure()
	rows := reportRows(&m.scene)
	find := func() string {
		for _, r := range rows {
			if r.name == "observer" {
				return r.value
			}
		}
		return ""
	}
	if got := find(); got != "saw every one of 41 launches; ui 2.1 %, 12k B/s of drawing" {
		t.Errorf("got %q", got)
	}
	m.feed.lost = 7
	m.measure()
	rows = reportRows(&m.scene)
	if got := find(); !strings.Contains(got, "missed 0 launches and 7 events") {
		t.Errorf("with losses %q", got)
	}
}
