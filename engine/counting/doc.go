// Package counting says what a run would decide and what it would cost, counted from the steps after which
// its samples stop: nothing is run, no clock is read. It must not know engines, kernels or planes; the rules
// themselves are those of package engine.
//
// The decisions of a run depend on counters alone, and counters on nothing but the stops, so what [Count]
// says is what the runner does: the same words, the same compactions, the same reorders.
//
// # What is paid
//
// The unit is a step of a full-live launch: n lanes for one step.
//
//	with an active set      a launch holds the lanes of the map for all of its word, also of samples that
//	                        finish on the way; a compaction hands them back and costs R
//	                        cost = sum over launches of word*lanes/n, plus R per compaction
//	without one, or where   nothing is handed back at a boundary: 32 neighbours leave together, with the
//	the batch fits a wave   last of them, wherever launches end
//	                        cost = sum over groups of 32 of size*(last stop of the group)/n
//
// This is the account that the band is derived from (package engine, "why sqrt(2R/h)"). What it leaves out:
// memory traffic per launch, and a group of 32 that leaves in the middle of a launch because all of its
// samples happen to finish.
//
// # What would have been best
//
// [Constants] counts every constant word, [Oracle] the best sequence of words there is under this account,
// exactly: no policy, knowing the future, can pay less with launches of the same greatest length. [Weigh]
// gives all of them beside a policy, and regret is the ratio of two costs.
//
// [Shape] makes stops that are only thought of, [Arrange] puts stops in another order, and [OrderOf] counts what the
// order of samples in memory makes of a run.
//
// Read profile.go, rule.go, count.go, best.go, order.go, shape.go.
package counting
