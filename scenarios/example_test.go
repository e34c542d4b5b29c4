package scenarios_test

import (
	"fmt"

	"loadgen/scenarios"
)

// A stress test of a partition is taken from the library, aimed at a smaller
// target, and mistyped once on the way.
func Example() {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Set("model.partition_taget", "500"))
	fmt.Println(s.Set("model.partition_target", "500"))
	fmt.Println(s.Set("phases.peak.rates", "[250, 500, 1000]"))
	fmt.Println(s.Set("phases.peak.partition_key", "2011 Berlin Maraton__Full"))
	for _, fault := range s.Validate() {
		fmt.Println(fault)
	}
	// Output:
	// --set model.partition_taget: unknown model parameter "partition_taget"; did you mean "partition_target"?
	// <nil>
	// <nil>
	// <nil>
	// --set phases.peak.partition_key: none of the 20000 entities loaded has the PartitionKey "2011 Berlin Maraton__Full"; the nearest that exists is "2011 Berlin Marathon__Full"
}
