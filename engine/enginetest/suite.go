package enginetest

import (
	"fmt"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

// seed of everything random in the suite that rapid does not draw.
const seed = 20240229

// brief says that the suite is to leave out long batches and repetitions.
func brief() bool { return testing.Short() || raceEnabled }

// RunWorkloads is [Run] on workloads of the caller's choice: for an engine that does not read IR.
func RunWorkloads(t *testing.T, newEngine func(t *testing.T) engine.Engine, workloads ...*Workload) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	rejected := func(t *testing.T, mutant string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("the oracle accepts a mutant: %s", mutant)
		} else {
			t.Logf("%s: %v", mutant, err)
		}
	}
	for i, w := range workloads {
		t.Run(w.Name, func(t *testing.T) {
			t.Run("1 bits are those of a plain loop", func(t *testing.T) {
				e := newEngine(t)
				for _, n := range sizes {
					if brief() && n > manySamples {
						continue
					}
					must(t, Bits(e, w, n, Spread, 100, seed))
				}
				for i, stops := range []Stops{Uniform, Grouped, Half, Descending} {
					must(t, Bits(e, w, 257, stops, 120, seed+uint64(i)))
				}
				rejected(t, "launches run one step too many", Bits(Overshoots(e), w, 33, Uniform, 50, seed))
			})
			t.Run("a stop at any moment is harmless", func(t *testing.T) {
				must(t, StopsAnywhere(newEngine(t), w, seed))
				rejected(t, "a stop leaves a sample between steps", StopsAnywhere(TearsAtStops(newEngine(t), []float64{0.5}), w, seed))
			})
			if brief() && i > 0 {
				return // what follows is about decisions, which do not depend on the kernel
			}
			t.Run("2 launches follow the longest sample", func(t *testing.T) {
				e := newEngine(t)
				must(t, LaunchCounts(e, w, seed))
				must(t, LaunchCounts(WithoutPasses(e), w, seed))
				rejected(t, "launches run one step too many", LaunchCounts(Overshoots(e), w, seed))
				rejected(t, "the counter stays", LaunchCounts(MarksWithoutCounting(e), w, seed))
			})
			t.Run("3 the guard is real", func(t *testing.T) {
				e := newEngine(t)
				must(t, StopsAtCounter(e, w, seed))
				must(t, RunsToCap(MarksWithoutCounting(e), w, seed))
				rejected(t, "the counter stays", StopsAtCounter(MarksWithoutCounting(e), w, seed))
				rejected(t, "an honest engine", RunsToCap(e, w, seed))
			})
			t.Run("4 a preset, reset or edited mask is honoured", func(t *testing.T) {
				e := newEngine(t)
				must(t, PresetMask(e, w, seed))
				rejected(t, "the mask is forgotten", PresetMask(ForgetsMask(e), w, seed))
			})
			t.Run("5 the map lists the live slots", func(t *testing.T) {
				e := newEngine(t)
				for _, n := range []int{0, 1, 7, 256, 257, 4096, 100003} {
					if brief() && n > manySamples {
						continue
					}
					must(t, CompactionMap(e, w, n, seed))
				}
				rejected(t, "compaction always runs", CompactionMap(CompactsAlways(e), w, 257, seed))
				rejected(t, "compaction loses a slot", CompactionMap(LosesALive(e), w, 257, seed))
			})
			t.Run("6 the band decides", func(t *testing.T) {
				e := newEngine(t)
				must(t, BandLaunches(e, w, RestatedBand, seed))
				rejected(t, "a constant k", BandLaunches(e, w, ConstantBand, seed))
				rejected(t, "the counter stays", BandLaunches(MarksWithoutCounting(e), w, RestatedBand, seed))
			})
			t.Run("7 tiled launches of 64", func(t *testing.T) {
				e := newEngine(t)
				must(t, TiledLaunches(e, w, seed))
				must(t, TiledLaunches(WithoutPasses(e), w, seed))
				rejected(t, "the counter stays", TiledLaunches(MarksWithoutCounting(e), w, seed))
			})
			t.Run("5 a reordered batch comes back in sample order", func(t *testing.T) {
				if i > 0 {
					t.Skip("how planes are moved does not depend on the kernel")
				}
				e := newEngine(t)
				has, err := offersOfEngine(e)
				must(t, err)
				must(t, Reordering(e, w, seed))
				if has.Reorderer == nil {
					return
				}
				for _, name := range []string{"extra_bool", "extra_i32", "extra_f32", "extra_u64", "extra_f64"} {
					plane := w.With(WithPlanes).Kernel.Plane(name)
					rejected(t, "reorder forgets plane "+name, Reordering(ForgetsAPlane(e, plane), w, seed))
				}
				rejected(t, "the order is not restored", Reordering(NeverRestores(e), w, seed))
			})
			t.Run("8 a persistent launch is as long as its longest sample", func(t *testing.T) {
				e := newEngine(t)
				has, err := offersOfEngine(e)
				must(t, err)
				must(t, Persistent(e, w, seed))
				if has.Persister != nil {
					rejected(t, "chunks are not counted", Persistent(LosesChunks(e), w, seed))
				}
			})
			t.Run("steps taken may be left out", func(t *testing.T) {
				e := newEngine(t)
				must(t, Untracked(e, w, seed))
				rejected(t, "without steps taken launches end a step early", Untracked(SlipsUntracked(e), w, seed))
			})
			t.Run("a run that goes back is the same run", func(t *testing.T) {
				e := newEngine(t)
				must(t, Travels(e, w, seed))
				has, err := resumes(e, w)
				must(t, err)
				if has {
					rejected(t, "steps taken are lost on the way back", Travels(LosesSteps(e), w, seed))
				}
			})
			t.Run("9 the cap fixture", func(t *testing.T) {
				e := newEngine(t)
				must(t, CapFixture(e, w, seed))
				rejected(t, "launches run one step too many", CapFixture(Overshoots(e), w, seed))
				rejected(t, "the counter stays", CapFixture(MarksWithoutCounting(e), w, seed))
			})
			t.Run("a run in pieces is the run in one", func(t *testing.T) {
				pieces(t, newEngine(t), w)
				rejected(t, "the rest of a cut launch is skipped", PiecesExamples(newEngine(t), w, 100,
					func(e engine.Engine, cuts []float64, _ *engine.Stop) engine.Engine { return SkipsTheRest(e, cuts) }))
			})
		})
	}
	t.Run("faults stop a sample and nobody else", func(t *testing.T) {
		e := newEngine(t)
		must(t, Faults(e, seed))
		must(t, Faults(WithoutPasses(e), seed))
		rejected(t, "launches run one step too many", Faults(Overshoots(e), seed))
	})
	t.Run("samples that are not finite are counted", func(t *testing.T) {
		must(t, NonFinite(newEngine(t), seed))
		rejected(t, "NaNs are made numbers", NonFinite(WashesNaNs(newEngine(t)), seed))
	})
	t.Run("a zero batch is done", func(t *testing.T) {
		must(t, emptyBatch(newEngine(t)))
		rejected(t, "the counter is one ahead", emptyBatch(CountsOneMore(newEngine(t))))
	})
}

// resumes says whether the engine keeps keyframes.
func resumes(e engine.Engine, w *Workload) (bool, error) {
	b, err := w.NewBatch(e, 1, Uniform, 1, seed)
	if err != nil {
		return false, err
	}
	_, has := b.Bound.(engine.Resumer)
	return has, b.Bound.Close()
}

func emptyBatch(e engine.Engine) error {
	b, err := CountWorkload().NewBatch(e, 0, Uniform, 10, seed)
	if err != nil {
		return err
	}
	rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 10})
	if err != nil {
		return err
	}
	if !rep.Done || rep.Launches != 0 || rep.Status != "finished" {
		return fmt.Errorf("%+v", rep)
	}
	return nil
}
