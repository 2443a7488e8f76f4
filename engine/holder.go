package engine

// Holder is what a Bound offers whose device has memory of its own. Without it every method of the Bound takes planes
// and mask from the caller's memory, and brings back there what it has changed.
type Holder interface {
	// Hold(true) says that the caller leaves planes and mask alone from now on, so that what methods change may stay
	// in the device's memory; planes and mask as they are now are taken up by the method that needs them first. What
	// no step writes stays as it is in the caller's memory.
	// Hold(false) ends that: the caller's memory, and the steps taken, are up to date, and may be written.
	Hold(on bool) error
	// Fetch brings the caller's memory and the steps taken up to date, to be read, while they are held.
	Fetch() error
}

// hold begins or ends a call in which nobody but the engine touches the batch.
func (r *Runner) hold(on bool) error {
	if h, ok := r.bound.(Holder); ok {
		return h.Hold(on)
	}
	return nil
}

// fetch makes sure that planes, mask and steps taken can be read.
func (r *Runner) fetch() error {
	if h, ok := r.bound.(Holder); ok {
		return h.Fetch()
	}
	return nil
}
