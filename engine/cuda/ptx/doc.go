// Package ptx makes PTX text of a kernel: every entry that a CUDA device runs a batch through, and the
// kernels of the run loop itself. It is pure Go and knows the IR only: no driver, no engine, no device.
//
// # How it is used
//
//	m, err := Generate(kernel, Options{})   *Module: m.Text for cuModuleLoadDataEx (add a NUL), names, fault sites
//	Runner()                                text of the run loop's kernels; the same for every kernel (runner.go)
//	RunnerWhile()                           the same with the kernels that set the condition of a WHILE node: a
//	                                        driver without WHILE graphs refuses it as a whole
//
// # Arguments of every entry of a Module
//
// All entries have the same parameters in the same order, so that one array of arguments serves a Bound;
// addresses are of device memory (cancel may be of mapped host memory):
//
//	0  n        u32  samples in a row of a plane: element c*n+i is component c of sample i
//	1  start    u32  the slots [start, end) are run by the entries without a map, and by init and observables;
//	2  end      u32  a whole batch is 0, n
//	3  control  u64  a [Control], 8-byte aligned
//	4  cancel   u64  a u32 that is not 0 when lanes should leave at their next step boundary; 0: never
//	5  mask     u64  n bytes, 0 unfinished
//	6  taken    u64  n u32, steps of the run by sample; 0: not kept, every live sample has taken Control.From
//	7  faults   u64  n u64, written where a sample faults only: low 32 bits its site (Sites[site-1]), high 32 bits
//	                 the steps taken before the step that faulted. 0: not kept. A reorder moves it like a plane
//	8  map      u64  u32 slots, [0, Control.Count) valid; read by the active-set entries only
//	9  out      u64  n f64, written by observables only
//	10 ...      u64  the address of every plane, in the kernel's order; an empty table: any readable address
//	   ...      u64  for every table plane, in the kernel's order, its number of cells
//
// [Module.Args] counts them. Any grid of one-dimensional blocks of a multiple of 32 threads, at most
// [MaxBlock], is right: lanes go on with the slot one grid further. Enough for one slot per thread is usual;
// the active-set entries are worth a grid of some resident waves, since most of a late batch is finished.
//
// # The entries
//
//	Single        one step of every unfinished slot of [start, end) whose steps taken are below Upto
//	Fused         steps until the sample has taken Upto
//	SingleActive  the same through the map
//	FusedActive
//	Persistent    lanes claim slots of [start, end) from Control.Next (set it to start before) until none is left,
//	              and look for new ones every Control.Chunk steps (at least 1). Finished is told now and then
//	              while it runs, and exact at the end
//	Init          Init on every slot of [start, end), whatever the mask. A slot that faults keeps its values, is
//	              counted in Control.Faulted and noted in faults with step 0; the mask is not touched
//	observables   out[i] = observable of slot i as float64, bools 0 or 1
//
// A step is head, trip and tail of the IR. A sample that finishes has its mask byte 1, one that faults 2 and
// the state from before the step; both are counted in Control.Finished. NaNs of float planes are stored as
// the canonical one. Results are those of package interp, bit for bit.
//
// # What a launch counts
//
// Finished and Faulted only grow. With full = Upto - From (1 for the single entries) and live the samples
// that were run, fields that the host or the policy kernel zeroes before a launch say (see [Control.Launch]):
//
//	SampleSteps = live*full - Deficit + Steps    Longest = Short < live ? max(full, Longest) : Longest
//
// so that a warp whose samples all ran to the end of the launch touches no counter at all. Persistent adds
// to Steps, LaneChunks and Refills instead, and to Longest. Stopped is not 0 when a lane saw cancel before
// its sample was done: samples are then at step boundaries of their own, as taken says.
//
// # The kernels of the run loop
//
// Names and parameters of [Runner], in order; addresses u64, counts u32. Blocks are [RunnerBlock] threads;
// grids are "tiles" = (n + [TileSlots] - 1) / TileSlots blocks, "any" number of blocks, or "one" block
// of 32, of which one thread works.
//
//	begin            any    control mask map taken n keep      counts the mask into Finished and Faulted (both 0 before),
//	                                                           any other non-zero byte becomes 1; map = identity (0: none),
//	                                                           taken = 0 unless keep (0: none)
//	start            one    control ring cancel                after begin: Count = Span = N, the first word, Go
//	compact_count    tiles  control mask tiles                 tiles: room for that many u32
//	compact_write    tiles  control mask tiles map dead        dead: room for n u32 where the run may reorder, else 0
//	reorder_gather   (any, rows)  control rows map dead        rows: one [Row] for each row of n elements: planes, mask,
//	reorder_copy     (any, rows)  control rows                 taken, faults, perm
//	reorder_finish   any    control map perm inv
//	settle           one    control ring                       between the launches of a turn of several (fixed steps)
//	policy           one    control ring cancel                at the end of a turn; zeroes what a launch counts
//	restore_map      any    control map perm                   these four after a run that has reordered
//	restore_gather   (any, rows)  rows inv n
//	restore_copy     (any, rows)  rows n
//	restore_finish   any    control map inv n
//
// A turn is launch, compact_count, compact_write, the three reorder kernels, policy, one after the other; a
// compaction whose counter has not moved and a reorder that does not fire return at once. The host fills in
// the block before begin: zero but for Theta, R, N, Rule, StepsMax, Resident, Limit, Boundary, Done,
// Generation, Turn, Launches, Flags, Chunk, Capacity. [RunnerWhile] has start_while and policy_while besides, with the handle of the
// condition as a last u64 parameter: they set it to Go, or to 0 when cancel is set.
//
// ring is a [Ring] in memory that the host can read while kernels run, 0: no events. start sends none; policy
// sends launch, compaction, reorder and policy events of the turn as the host's loop does, with the time of
// the device's clock (%globaltimer, nanoseconds) in place of the trace's and walls of 0; faults are the host's
// to tell. When a launch was stopped policy only sets Go to 0: the block then is as the launch has left it, and
// what Upto - From steps of it are missing is the host's to finish.
//
// The parts: control.go and layout.go the shared memory, generate.go and entry.go the entries as shells round
// head, trip and tail, persistent.go the claiming one, code.go control flow, ops*.go operations, text.go the
// writer; runner*.go the kernels of the loop.
package ptx
