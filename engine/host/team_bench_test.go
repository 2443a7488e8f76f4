package host

import (
	"fmt"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// BenchmarkTeamOfTwo runs launches of more and more samples with one worker and with two, by turns, and reports how
// much of the one's wall the two take: above 1 the second worker is not worth waking. See serialBelow.
func BenchmarkTeamOfTwo(b *testing.B) {
	for _, n := range []int{64, 128, 256, 512, 1024, 2048, 8192} {
		b.Run(fmt.Sprintf("kernel=count/n=%d/steps=32", n), func(b *testing.B) {
			var teams [2]*bound
			for i := range teams {
				w := enginetest.CountWorkload()
				batch, err := w.NewBatch(New(WithWorkers(i+1)), n, enginetest.Never, 0, 1)
				if err != nil {
					b.Fatal(err)
				}
				teams[i] = batch.Bound.(*bound)
			}
			var best [2]time.Duration
			upto := uint32(0)
			for b.Loop() {
				upto += 32
				for i, t := range teams {
					s, err := t.Launch(nil, upto)
					if err != nil {
						b.Fatal(err)
					}
					if best[i] == 0 || s.Wall < best[i] {
						best[i] = s.Wall
					}
				}
			}
			b.ReportMetric(float64(best[0].Nanoseconds()), "ns-of-one")
			b.ReportMetric(float64(best[1])/float64(best[0]), "two/one")
		})
	}
}
