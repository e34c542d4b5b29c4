package compare_test

import (
	"fmt"
	"log"

	"loadgen/report/compare"
)

// A new build answers a little later. Eight pairs of runs, taken in the order that
// cancels drift, tell it from chance.
func Example() {
	builds := map[compare.Side]float64{compare.A: 20.0, compare.B: 22.2}
	luck := []float64{0.4, -0.3, 0.1, 0.6, -0.5, 0.2, -0.1, 0.3, 0.5, -0.4, 0.2, -0.2, 0, 0.3, -0.6, 0.1}

	trial := compare.Trial{Metric: compare.Metric{Name: "response p99"}, Pairs: make([]compare.Pair, 8)}
	for i, slot := range compare.Order(8) {
		millis := builds[slot.Side] + luck[i]
		if slot.Side == compare.A {
			trial.Pairs[slot.Pair].A = millis
		} else {
			trial.Pairs[slot.Pair].B = millis
		}
	}
	judgement, err := compare.Gate{}.Judge([]compare.Trial{trial})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(judgement.Verdict)
	for i := range judgement.Findings {
		fmt.Println(judgement.Findings[i].Sentence())
	}
	// Output:
	// regression
	// response p99: regression: +9.9 % (95 % interval +7.3 % to +12.8 %), p = 0.0078 over 8 pairs.
}
