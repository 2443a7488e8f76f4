package watch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Defaults of Options.
const (
	DefaultPause = 80 * time.Millisecond
	DefaultPoll  = 2 * time.Second
)

// maxFileBytes bounds what is read of one file; a longer one counts by its first bytes and its size.
const maxFileBytes = 4 << 20

// Options are how a watch behaves; zero values mean the defaults.
type Options struct {
	Pause time.Duration // without events before the content is looked at
	Poll  time.Duration // between two looks at sizes and times where no events come; < 0: never
}

// Watch is a running watch. Close ends it.
type Watch struct {
	path    string // cleaned; a file, or a folder whose Go files count
	folder  bool
	options Options
	aim     *aim // nil where the system gives no events
	changes chan Change
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
}

// Change says that the content is another one than at the last Change, or at New.
type Change struct {
	Path string
	Seen time.Time         // when the first event of it came
	Sum  [sha256.Size]byte // of the names, sizes and contents that were found
}

// New watches a file, or the Go files of a folder (those of tests apart). The error says that path cannot
// be read now.
func New(path string, o Options) (*Watch, error) {
	if o.Pause == 0 {
		o.Pause = DefaultPause
	}
	if o.Poll == 0 {
		o.Poll = DefaultPoll
	}
	path = filepath.Clean(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	w := &Watch{
		path: path, folder: info.IsDir(), options: o,
		changes: make(chan Change, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	stamp := w.stamp() // before the content, so that what is written in between is looked at
	first, err := w.hash()
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	if notify, err := fsnotify.NewWatcher(); err == nil {
		w.aim = newAim(notify, path, w.folder)
		if !w.aim.place() {
			notify.Close()
			w.aim = nil
		}
	}
	if w.aim == nil && o.Poll < 0 {
		return nil, errors.New("watch: the system gives no events for " + path + ", and polling is off")
	}
	go w.loop(first, stamp)
	return w, nil
}

// Changes gives a Change for each new content. A reader that is slow gets the newest, merged with those
// before it. The channel is closed by Close.
func (w *Watch) Changes() <-chan Change { return w.changes }

// Close ends the watch and waits for its goroutine.
func (w *Watch) Close() error {
	w.once.Do(func() { close(w.quit) })
	<-w.done
	return nil
}

// goFile says whether a file of this name is part of a kernel's folder.
func goFile(name string) bool {
	base := filepath.Base(name)
	return strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, "_test.go") && !strings.ContainsAny(base[:1], "._")
}

// loop owns everything but the channels.
func (w *Watch) loop(last [sha256.Size]byte, stamp string) {
	defer close(w.done)
	defer close(w.changes)
	var events <-chan fsnotify.Event
	var failures <-chan error
	place := func() {}
	if w.aim != nil {
		defer w.aim.notify.Close()
		events, failures = w.aim.notify.Events, w.aim.notify.Errors
		place = func() { w.aim.place() }
	}
	var poll <-chan time.Time
	if w.options.Poll > 0 {
		ticker := time.NewTicker(w.options.Poll)
		defer ticker.Stop()
		poll = ticker.C
	}
	pause := time.NewTimer(time.Hour)
	pause.Stop()
	var seen time.Time // zero: nothing is pending
	look := func() {
		if seen.IsZero() {
			seen = time.Now()
		}
		pause.Reset(w.options.Pause)
	}
	for {
		select {
		case <-w.quit:
			return
		case e, ok := <-events:
			if !ok {
				events = nil
			} else if w.aim.counts(e.Name) {
				look()
			}
		case _, ok := <-failures:
			if !ok {
				failures = nil
			} else { // events were lost: look
				look()
			}
		case <-poll:
			place()
			if now := w.stamp(); now != stamp {
				stamp = now
				look()
			}
		case <-pause.C:
			place() // before the look, so that what comes after it gives events
			stamp = w.stamp()
			sum, err := w.hash()
			if err != nil { // between two steps of an editor's save, or gone: the next event or poll says
				stamp, seen = "", time.Time{}
				continue
			}
			if sum != last {
				last = sum
				w.send(Change{Path: w.path, Seen: seen, Sum: sum})
			}
			seen = time.Time{}
		}
	}
}

// send puts c into the channel, in the place of one that has not been read.
func (w *Watch) send(c Change) {
	select {
	case old := <-w.changes:
		c.Seen = old.Seen
	default:
	}
	w.changes <- c
}

// files are the names that count now, sorted.
func (w *Watch) files() ([]string, error) {
	if !w.folder {
		return []string{w.path}, nil
	}
	entries, err := os.ReadDir(w.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && goFile(e.Name()) {
			names = append(names, filepath.Join(w.path, e.Name()))
		}
	}
	slices.Sort(names)
	return names, nil
}

// hash is of names, sizes and contents.
func (w *Watch) hash() (sum [sha256.Size]byte, err error) {
	names, err := w.files()
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	for _, name := range names {
		if err := hashFile(h, name); err != nil {
			return sum, err
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

func hashFile(h io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", name)
	}
	fmt.Fprintf(h, "%q %d\n", name, info.Size())
	_, err = io.Copy(h, io.LimitReader(f, maxFileBytes))
	return err
}

// stamp is names, sizes and times: cheap to take, and another one when a file was written.
func (w *Watch) stamp() string {
	names, err := w.files()
	if err != nil {
		return "unreadable"
	}
	var b strings.Builder
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			b.WriteString("missing ")
			continue
		}
		fmt.Fprintf(&b, "%q %d %d ", name, info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}
