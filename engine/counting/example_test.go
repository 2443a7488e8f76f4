package counting_test

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/counting"
)

// A batch of which half stops early is weighed: what the band decides and pays, the best constant number of
// steps per launch, and the best there is.
func ExampleWeigh() {
	batch := counting.Shaping{Shape: counting.Half, N: 1000, Shortest: 20, Longest: 300}
	p := counting.NewProfile(batch.Stops())
	w, err := counting.Weigh(p, counting.Rule{Policy: engine.PolicyBand, R: 0.5, StepsMax: 64, Cap: 10_000, Active: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := &w.Constants[w.Best]
	fmt.Printf("band: %d launches, cost %.2f steps of the whole batch\n", w.Run.Launches, w.Run.Cost)
	fmt.Printf("best constant: %d steps per launch, cost %.2f\n", best.K, best.Cost)
	fmt.Printf("oracle: %d launches, cost %.2f; regret of the band %.2f\n", w.Oracle.Launches, w.Oracle.Cost, w.Run.Against(&w.Oracle))
	// Output:
	// band: 7 launches, cost 217.00 steps of the whole batch
	// best constant: 20 steps per launch, cost 161.00
	// oracle: 6 launches, cost 161.00; regret of the band 1.35
}

// What the order of the samples does where 32 neighbours leave together.
func ExampleOrderOf() {
	batch := counting.Shaping{Shape: counting.Half, N: 1024, Shortest: 20, Longest: 300}
	rule := counting.Rule{Policy: engine.PolicyTiled, StepsMax: 64, Cap: 10_000}
	for _, order := range []counting.Arrangement{counting.AsIs, counting.Sorted} {
		o, err := counting.OrderOf(counting.Arrange(batch.Stops(), order, 1), rule, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: lanes used to %.0f %%\n", order, 100*o.Fill())
	}
	// Output:
	// as is: lanes used to 53 %
	// sorted: lanes used to 100 %
}
