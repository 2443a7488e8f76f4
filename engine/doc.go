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
//	entry    a compiled form of a kernel: fused, a launch per turn; persistent, one launch whose lanes are
//	         refilled with samples
//	pick     the choice between the two
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
// live sample:
//
//	          launch of 16 steps   boundary   launch of 8
//	lane 0    ################        |       ########
//	lane 1    #####...........        |       ########   sample 1 has finished; the lane takes sample 4
//	lane 2    ################        |       ########
//	lane 3    ###########.....        |       ........   sample 3 too; nobody is left for this one
//	          '#' a step, '.' idle    R
//
// Short launches pay for boundaries, long ones for idle lanes. How many steps a launch should take is thus a
// question with an answer in between.
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
//	tiled     64 steps per launch. On a host a boundary frees nothing: lanes are tiles of samples that leave
//	          with their last one. An engine that is a [Passer] makes one pass over the batch, tile by tile;
//	          the report and the derived launch events are those of the launches it stands for.
//	band      the above. The same launches on every engine, so a host shows what a device would do.
//	measured  one step per launch; each time the live samples have halved, one launch of min(8, rest) steps is
//	          timed against the one-step launch before it. Once it costs less per step, the band goes on.
//	          A batch whose samples all run to the end is exactly the one-step loop.
//	doubling  the older rule: double when fewer than 1 live sample in 16 finished in the last launch, halve
//	          when more than 1 in 4 did ([Doubling]). To be compared with the band.
//	fixed     the kernel says steps=K.
//	auto      tiled where the Bound is a Passer, else measured.
//
// The measured policy asks the clock whether a boundary costs anything worth saving, before it trusts the
// band. Fewer live samples are what makes a boundary dear beside the steps between two of them, so its price
// has at least doubled at each try, and a run tries at most log2(n) times. Nothing else decides by walls, but for the pick below; a test or a replay
// hands in its own RunOptions.Clock.
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
// # Reorder
//
// Compaction makes launches shorter, not denser: the map lists live slots wherever they lie, and on a device
// a warp of 32 neighbours costs the same memory lines for one live sample as for 32. With RunOptions.Reorder
// = theta, a compaction that ran is followed by an offer to move the live samples together
// ([ReorderFires]):
//
//	count < theta*32*live32   the live samples fill less than theta of the groups of 32 that they touch,
//	count < span              there is something to move,
//	span >= 4096              and enough of it to matter.
//
// A reorder is a stable partition, live first, of everything with one element per sample: planes, mask,
// steps taken, and the permutation that remembers who is who. The span shrinks to the live samples, so each
// reorder moves less than the one before it.
//
//	slots    0 1 2 3 4 5 6 7            0 1 2 3 4 5 6 7
//	samples  a b C d E f g H     ->     C E H a b d f g        live ones in capitals
//	map      2 4 7                      0 1 2
//	span     .............. 8           .... 3
//
// An example with theta = 0.5: of 6,000 samples every third is left. 2,000 live samples touch all 188
// groups, 2000/(32*188) = 0.33 of them; 0.33 < 0.5, so they move, and the next launch touches 63 groups.
//
// The caller never sees it: sample i lies at i whenever a call returns, also after a stop. A run that is
// continued begins from sample order and may reorder again, so the number of reorders, and nothing else,
// depends on where it was stopped. On a host there are no warps; there it is something to see and measure.
//
// # Two entries and the pick
//
// The fused entry is the loop above. The persistent entry, of an engine that is a [Persister], is one launch
// whose lanes claim samples off a counter: a lane runs chunk steps, looks whether its sample is done, and takes
// the next one. No lane waits for a boundary; what is lost is half a chunk per sample, and at the end the
// lanes that find nobody. [ChooseChunk] sets the chunk from the mean number of steps of the last run; SlotFill
// in the report is the share of the lanes' steps that samples took. It reports one launch, as long as its
// longest sample.
//
// Which entry is faster depends on how the samples' steps are spread, and nobody knows before the batch has
// run. So the runner times what it has to run anyhow:
//
//	n >= 8 * resident lanes   persistent, untimed: every lane is refilled often
//	n <= wave/4               fused, untimed: most lanes would find nobody
//	between, run 1            fused if n <= wave, else persistent; timed
//	between, run 2            the other one: the probe
//	between, later            the faster one, untimed
//
// On a device the persistent entry can be launched in blocks of several sizes ([Blocker]): each of them has a
// probe of its own, so that the pick is settled one run later. On a host a block is a worker and its lanes, and
// there is one size. [Runner.LaunchPolicy] says what a run would take now.
//
// The other entry must stay below 0.98 of the current wall (per sample-step) to take its place, so that noise
// does not flip the pick. A pick holds for its [Bucket], the magnitude of the longest sample and the step fill,
// sum of steps / (n * longest): 1 when everybody takes as long, small when a few take much longer. When a
// run falls into another bucket, the next one is a probe. A bucket that was settled once is kept for the
// process, by engine, device, kernel, precision and n, so that another runner starts where this one ended.
//
// An example. 3,000 samples on 1,024 lanes: run 1 is persistent and takes 40 ms, run 2 fused and takes 39.5 ms:
// 0.9875, not below 0.98, so persistent stays. Had it taken 39 ms, 0.975, run 3 would be fused.
//
// A named policy is a choice of launches and so of the fused entry; RunOptions.Entry names one outright. Step
// mode and runs with parts of the caller's in their turns are fused, and so is a run that may reorder.
//
// # The loop by hand
//
// The runner is written in parts that stand on their own:
//
//	[RepeatWhile]    while ran < MaxIters and guard(): the parts of its body in order
//	[Skippable]      a part that is left out when a condition says so
//	[GraphPipeline]  parts one after the other: before, the loop, after
//	[Launching], [Compacting]   the primitives of a Bound as parts
//	[Runner.Loop]    a whole run as a part, with parts of the caller's in every turn
//
// The bodies and guards of the runner's own loops, where K is the word of a fixed-K kernel:
//
//	fixed K              launch                                    finished != n   ceil(max_steps/K) turns
//	fixed K, active set  every/K launches, compaction, reorder     finished != n   ceil(max_steps/every)
//	auto                 launch, compaction, reorder, policy       steps are left  ceil(max_steps/least word) + 1
//
// Parts are resumable: one that saw a stop returns [ErrStopped] and goes on where it was when called again.
// A loop inside a loop is refused.
//
// [NewStep] makes one program of several kernels on shared planes, one step of each in turn (propagate,
// diagnose, event): the state goes through memory between them, so its launches take one step, and a kernel
// with another fixed K is refused. A derivative's kernel comes before its primal and so reads the mask as it
// was when the step began.
//
// # Exactness
//
// The words of an auto kernel sum to Report.Steps and never pass max_steps: the last word is cut. A fixed
// K goes on to the end of its launch, up to K-1 steps further, or of its turn when it compacts; RunSteps
// is exact for both. Steps is the longest sample's own count whenever ExactSteps says so; Longest always
// is, as every sample's steps are kept in steps taken. A benchmark may do without that plane
// (RunOptions.Untracked, where the engine is a [Tracker]): then Longest is the sum of the words, a pass has no
// launch events, and a run that was stopped cannot be continued.
//
// # Stopping and going on
//
// A [Stop] is looked at inside launches. A stopped batch has every sample at a step boundary, and planes,
// mask, counter and report agree. Continue finishes the launch that was cut, to the step where it was to
// end, before anything is decided: the words, the decisions, the report and the bits are those of the run
// that nobody stopped. Reaching max_steps and being stopped are results, not errors.
//
// # Going back
//
// A run keeps its course: the words of its launches, run by run of equal ones, and what the measured policy timed. With
// [Keyframes] it also keeps copies of the batch at some boundaries, at most a hundredth of its time and as much memory
// as it is given. [Runner.RunTo] goes to any step, also one within a launch, from where the run stands or from the
// keyframe before it, by the launches of its course; their events are not sent again. From there Continue gives the
// launches, the decisions and the bits of the run that never went back. An engine whose Bound is no [Resumer] goes
// back to the start instead.
//
// # Looking at a run
//
// An [Onlooker] asks, and the run lets him look at planes, mask and steps taken at its next boundary, where every live
// sample has taken the same number of steps. He may read, not write, and a reordered batch he reads through the
// places of its samples. His time is in no wall, so that nothing is decided by it. A pass has no boundaries: its
// samples are ahead of and behind each other, and he is told so.
//
// # Decisions are data
//
// Everything decided is sent as an [Event] into a bounded ring ([Trace]) that never makes the run wait;
// the events of one turn share its number. [Sentence] says each in words. A report travels beside the
// ring, so a reader too slow for the ring loses detail, never the end.
//
// A [Recorder] drains the ring into a file (.eagrec, layout in recording.go) on a goroutine of its own, and a
// [RecordingReader] gives the same events back: whoever draws them cannot tell a run from its recording. The
// R of a recording, pinned, makes the same decisions again.
//
// An event costs about 0.1 µs, and a launch sends two to four. Runs of 13 to 65 ms with 24 to 374 events took
// 0.0 to 0.1 % longer with a trace, medians of 400 runs each way whose 95 % intervals end below 0.5 %; and 0.6 to
// 1.3 % longer when a recorder was started and closed with each run (BenchmarkTraced of engine/host, one worker on
// a shared AMD EPYC with 2 cores).
//
// Read in this order: planes.go, engine.go (what an engine offers), runner.go (the calls), part.go (loops and
// pipelines), loop.go (one turn), onlooker.go, course.go, keyframe.go and runto.go, choose.go (what is settled before it), policy.go with band.go, tiled.go,
// measured.go, doubling.go and fixed.go, pass.go, reorder.go, entry.go and pick.go, step.go, calibrate.go,
// event.go and trace.go, recording.go, summary.go with nonfinite.go, refusal.go, words.go.
//
// [enginetest]: https://pkg.go.dev/github.com/eaglet-workbench/eaglet/engine/enginetest
package engine
