package session

import "sync"

// hub hands notifications to subscribers. The owner puts, each subscriber takes at its own pace.
type hub struct {
	mu     sync.Mutex
	subs   map[*subscriber]struct{}
	closed bool
}

// subscriber is one queue without bound, and the goroutine that moves it into a channel. The queue holds
// at most one Changed at its end; everything else in it is kept.
type subscriber struct {
	mu     sync.Mutex
	queue  []Notification
	wake   chan struct{} // holds one: there may be something in the queue
	flying bool          // the pump holds one that was the first
	ended  bool          // no more will be put
	out    chan Notification
	leave  chan struct{}
	leaver sync.Once
}

// subscribe adds a subscriber; the function takes it out again and closes its channel.
func (h *hub) subscribe() (<-chan Notification, func()) {
	s := &subscriber{wake: make(chan struct{}, 1), out: make(chan Notification, 64), leave: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(s.out)
		return s.out, func() {}
	}
	if h.subs == nil {
		h.subs = map[*subscriber]struct{}{}
	}
	h.subs[s] = struct{}{}
	go s.pump()
	return s.out, func() {
		h.mu.Lock()
		delete(h.subs, s)
		h.mu.Unlock()
		s.leaver.Do(func() { close(s.leave) })
	}
}

// notify puts a notification into every queue; it never waits for a reader.
func (h *hub) notify(n Notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.put(n)
	}
}

// close ends every queue: what is in it is still delivered, then the channel is closed.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subs {
		s.mu.Lock()
		s.ended = true
		s.mu.Unlock()
		s.signal()
	}
}

func (s *subscriber) put(n Notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if len(s.queue) == 0 && !s.flying {
		// With nothing before it, it goes into the channel at once when there is room, so that a reader
		// who has seen a state also finds what was told before it.
		select {
		case s.out <- n:
			return
		default:
		}
	}
	_, change := n.(Changed)
	if last := len(s.queue) - 1; last >= 0 && change {
		if _, already := s.queue[last].(Changed); already {
			return
		}
	}
	s.queue = append(s.queue, n)
	s.signal()
}

func (s *subscriber) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take removes the first of the queue; what is taken is no longer merged with, for its reader may be
// looking at the state already.
func (s *subscriber) take() (n Notification, ok, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying = len(s.queue) > 0
	if !s.flying {
		return nil, false, s.ended
	}
	n, s.queue = s.queue[0], s.queue[1:]
	return n, true, false
}

// pump moves the queue into the channel; it ends when the subscriber leaves, or when the queue is over
// and read to its end.
func (s *subscriber) pump() {
	defer close(s.out)
	for {
		n, ok, ended := s.take()
		switch {
		case ended:
			return
		case ok:
			select {
			case s.out <- n:
			case <-s.leave:
				return
			}
		default:
			select {
			case <-s.wake:
			case <-s.leave:
				return
			}
		}
	}
}
