// Package engine runs batches of independent samples until every sample is done: it holds what all
// engines share, from the memory of a batch ([Planes]) to the loop that decides ([Runner]). It must not
// know any concrete engine, the kernel language, files or a terminal; it imports kernels/ir and the
// standard library only.
//
// # The words
//
//	sample   one independent problem; a batch is n of them
//	plane    one array with an element per sample (structure of arrays)
//	mask     a byte per sample, not 0 = finished: 1 by its own stop, 2 by a fault; set-only within a run
//	counter  the number of set mask bytes, kept by the engine
//	launch   every unfinished sample runs up to word steps with its state in registers and leaves at its
//	         own stop; a boundary is the place between two launches
//	word     the steps that a launch may take
//	live     not finished
//	active   of a kernel with guard=active_set: the map of slots that a launch goes through
//	band     the rule that chooses the next word from what the last launch saw
//
// # The loop
//
// A simulation whose samples stop at steps of their own is a loop around one step. Testing the batch
// after every step wastes the tests; testing never wastes the steps of everybody who is finished. So the
// loop's body, a turn, is a launch of several steps followed by a look around:
//
//	while some sample is unfinished and steps are left:
//	    launch    every live sample: up to word steps, until its own stop
//	    compact   when a sample finished: rebuild the map of live slots
//	    policy    choose the next word
//
// Steps inside a launch cost the batch no memory traffic and no boundary. But a sample that finishes in
// the middle of a launch leaves its lane idle until the boundary, where compaction hands the lane to a
// live sample. How many steps a launch should take is thus a question with an answer in between.
//
// Whatever the answer, the bits are the same. A sample's state depends on its own steps only, a sample
// that finishes at step j keeps the state of step j, and one that is finished at the start of a launch is
// not touched: one step per launch, any policy, a run cut and continued, all give equal planes, mask and
// counter. Policies only move time about; [enginetest] holds every engine to that.
//
// # The band: why sqrt(2R/h)
//
// Let R be the cost of one compaction, in steps of a launch in which everybody is live, and h the share
// of the batch that finishes per step. A launch of k steps pays R once: R/k per step. During it h*k of
// the batch finish, evenly spread, so each of their lanes idles for k/2 steps on average: h*k*(k/2) in
// all, h*k/2 per step. The sum
//
//	cost(k) = R/k + h*k/2
//
// falls, then rises; its derivative -R/k² + h/2 is zero at
//
//	k* = sqrt(2R/h)
//
// where both terms are equal and their sum is sqrt(2Rh). Near the bottom the curve is flat (half or twice
// k* costs a quarter more), so the nearest power of two is good enough: [Band] takes it, within 8..64. It
// takes h from the last launch, newly/(n*word), over the whole batch n because R is in full-live steps.
//
// An example. 10,000 samples; 57 of them finished in a launch of 16 steps; R = 0.25:
//
//	h  = 57/(10,000*16)          = 3.6e-4 of the batch per step
//	k* = sqrt(2*0.25/3.6e-4)     = 37.5 steps
//	k  = 32                      the power of two nearest to 37.5 on the logarithmic scale (22.6..45.3)
//
//	cost(16) = 0.0156 + 0.0029   = 0.0185 full-live steps lost per step
//	cost(32) = 0.0078 + 0.0057   = 0.0135   <- chosen; the best possible is sqrt(2Rh) = 0.0133
//	cost(64) = 0.0039 + 0.0114   = 0.0153
//
// Nobody finishing says h = 0, so launches take 64 steps; many finishing at once shorten them to 8. [FlipPoints]
// says how near a decision was to the next one: here 64 from R = 0.365 or down to h = 2.4e-4, and 16 below
// R = 0.091 or above h = 9.8e-4.
//
// The first word is 16, as nothing is known yet. R is measured once per process for each engine, device,
// kernel, precision and n ([Calibrator]) and rounded to a power of two, so that two runs decide alike
// though no clock says the same twice; RunOptions.R pins it.
//
// # Policies
//
//	tiled   64 steps per launch. On a host a boundary frees nothing: lanes are tiles of samples that leave
//	        with their last one. An engine that is a [Passer] makes one pass over the batch, tile by tile;
//	        the report and the derived launch events are those of the launches it stands for.
//	band    the above. The same launches on every engine, so a host shows what a device would do.
//	fixed   the kernel says steps=K.
//	auto    tiled where the Bound is a Passer, else band.
//
// # Compaction
//
// A kernel with guard=active_set launches through a map of live slots. After a launch the runner offers a
// compaction; it runs only if the counter has moved since the last one, and leaves in map[0, count) the
// live slots in ascending order. A run starts with the identity map, so a mask edited between runs counts.
// Auto kernels are offered one after every launch, fixed-K kernels every K*ceil(16/K) steps. A batch that
// fits one resident wave of a device (RunOptions.Wave) has no lane to hand on: it skips compaction and
// takes 64 steps from the first launch on.
//
// # Exactness
//
// The words of an auto kernel sum to Report.Steps and never pass max_steps: the last word is cut. A fixed
// K goes on to the end of its launch, up to K-1 steps further, or of its turn when it compacts; RunSteps
// is exact for both. Steps is the longest sample's own count whenever ExactSteps says so; Longest always
// is.
//
// # Stopping and going on
//
// A [Stop] is looked at inside launches. A stopped batch has every sample at a step boundary, and planes,
// mask, counter and report agree. Continue finishes the launch that was cut, to the step where it was to
// end, before anything is decided: the words, the decisions, the report and the bits are those of the run
// that nobody stopped. Reaching max_steps and being stopped are results, not errors.
//
// # Decisions are data
//
// Everything decided is sent as an [Event] into a bounded ring ([Trace]) that never makes the run wait;
// the events of one turn share its number. [Sentence] says each in words. A report travels beside the
// ring, so a reader too slow for the ring loses detail, never the end.
//
// Read in this order: planes.go, engine.go (what an engine offers), runner.go (the calls), loop.go (one
// turn), band.go, tiled.go and pass.go, fixed.go, calibrate.go, event.go and trace.go, summary.go,
// refusal.go, words.go.
//
// [enginetest]: https://pkg.go.dev/github.com/eaglet-workbench/eaglet/engine/enginetest
package engine
